/*
 * children_load.c - a process that forks children which do little and end in any way.
 *
 * usage: children_load HOW N [FAULTS]: N children write 10 bytes to `out` and end by HOW: raw (SYS_exit), _exit, exec,
 * kill (SIGKILL), deep (its child does the same before), jail (in another root), more (it writes
 * 1,000 times), cell (both, by a system call that is not intercepted), thread (another thread writes as well), names (it opens 100 files) or together (SIGKILL ends
 * all of them, the parent too, once they have written), or stay (all wait for ever). The file FAULTS
 * gets the page faults per child.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tacho.h"

static const char *how;
static int out;

static int is(const char *name)
{
	return strcmp(how, name) == 0;
}

static void *put(void *unused)
{
	if (write(out, "0123456789", 10) != 10)
		abort();
	return unused;
}

static void wait_for(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
}

static void names(void)
{
	char name[64];

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "a-sample-of-the-data-set-%d", i);
		close(open(name, O_CREAT | O_RDONLY, 0600));
	}
}

static void child(int depth)
{
	pthread_t thread;

	if (is("jail") && (mkdir("jail", 0700) < 0 || 1) && chroot("jail") < 0)
		abort();
	if (is("cell") && (mkdir("jail", 0700) < 0 || 1) && syscall(SYS_chroot, "jail") < 0)
		abort();
	if (is("deep") && depth == 0) {
		pid_t pid = fork();

		if (!pid)
			child(1);
		wait_for(pid);
	}
	put(NULL);
	for (int i = 0; i < 999 && (is("more") || is("cell")); i++)
		put(NULL);
	if (is("thread") &&
		(pthread_create(&thread, NULL, put, NULL) || pthread_join(thread, NULL)))
		abort();
	if (is("names"))
		names();
	if (is("raw"))
		syscall(SYS_exit, 0);
	if (is("exec"))
		execl("/bin/true", "true", NULL);
	if (is("kill"))
		kill(getpid(), SIGKILL);
	while (is("together") || is("stay"))
		pause();
	_exit(0);
}

static long size_of_out(void)
{
	struct stat st;

	return fstat(out, &st) < 0 ? -1 : (long)st.st_size;
}

static void faults_write(const char *path, int n)
{
	FILE *file = fopen(path, "w");
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	fprintf(file, "%ld\n", usage.ru_minflt / n);
	fclose(file);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 1;

	how = argc > 1 ? argv[1] : "raw";
	out = open("out", O_CREAT | O_WRONLY | O_TRUNC | O_APPEND, 0600);
	tacho_step_begin(0);
	put(NULL);
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid)
			child(0);
		if (!is("together") && !is("stay"))
			wait_for(pid);
	}
	while (is("stay"))
		pause();
	while (is("together") && size_of_out() < 10L * (n + 1))
		usleep(1000);
	if (is("together"))
		kill(0, SIGKILL);
	tacho_step_end(1);
	if (argc > 3)
		faults_write(argv[3], n);
	return 0;
}
