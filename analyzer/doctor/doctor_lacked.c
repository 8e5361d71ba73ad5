/*
 * doctor_lacked.c - how much CPU time others took from the measurements: run-queue wait of all threads that
 * measured, and of one that only computes the time that it did not run (quotas, stops).
 */
#include "config.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>

#include "doctor/doctor.h"

static void schedstat_add(const char *path, struct doctor_cpu *cpu)
{
	FILE *file = fopen(path, "re");
	double ran, waited;

	if (!file)
		return;
	if (fscanf(file, "%lf %lf", &ran, &waited) == 2) {
		cpu->ran_ns += ran;
		cpu->waited_ns += waited;
	}
	fclose(file);
}

void doctor_cpu_thread(struct doctor_cpu *cpu)
{
	schedstat_add("/proc/thread-self/schedstat", cpu);
}

void doctor_cpu_all(struct doctor_cpu *cpu)
{
	DIR *tasks = opendir("/proc/self/task");
	char path[320];

	*cpu = (struct doctor_cpu){ 0 };
	for (struct dirent *task; tasks && (task = readdir(tasks));) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", task->d_name);
		if (task->d_name[0] != '.')
			schedstat_add(path, cpu);
	}
	if (tasks)
		closedir(tasks);
}

void doctor_lacked_find(struct doctor_node *node, const struct doctor_cpu *before)
{
	struct doctor_cpu now;
	double ran, waited;

	doctor_cpu_all(&now);
	ran = node->cpu.ran_ns + now.ran_ns - before->ran_ns;
	waited = node->cpu.waited_ns + now.waited_ns - before->waited_ns;
	if (ran + waited > 0)
		node->lacked = fmax(node->lacked, waited / (ran + waited));
}
