/*
 * watch_load.c - a training of steps that all take equally long, of which rank 1 computes all the time.
 *
 * usage: watch_load STEPS MS CALLS [FILE]
 *
 * Each rank first makes CALLS calls of MPI that nobody need look at, and then STEPS steps of MS
 * milliseconds in which rank 1 computes and the others wait for it; no more of them once the file is
 * gone. Then FILE.RANK is made; for as long as the file is there each rank makes many short calls.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

static void compute(double seconds)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((double)(now.tv_sec - from.tv_sec) + (double)(now.tv_nsec - from.tv_nsec) / 1e9 <
		seconds);
}

/* Without a call of libc, so that nothing of it is recorded. */
static int is_there(const char *file)
{
	struct stat st;

	return file && syscall(SYS_newfstatat, AT_FDCWD, file, &st, 0) == 0;
}

/* Says so by a file, in the same way. */
static void steps_are_over(const char *file, int rank)
{
	char path[300];

	snprintf(path, sizeof(path), "%s.%d", file, rank);
	syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0600);
}

int main(int argc, char **argv)
{
	long steps = argc > 1 ? atol(argv[1]) : 10, ms = argc > 2 ? atol(argv[2]) : 10,
	     calls = argc > 3 ? atol(argv[3]) : 0;
	const char *file = argc > 4 ? argv[4] : NULL;
	const struct timespec nap = { .tv_nsec = 3000000 };
	double value = 1, sum;
	int rank;

	MPI_Init(&argc, &argv);
	for (long i = 0; i < calls; i++)
		MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (long i = 0, is_over = 0; i < steps && !is_over; i++) {
		tacho_step_begin((uint64_t)i);
		if (rank == 1)
			compute((double)ms / 1e3);
		value = file && !is_there(file);
		MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		is_over = sum > 0;
		tacho_step_end(32);
	}
	if (is_there(file))
		steps_are_over(file, rank);
	for (; is_there(file); syscall(SYS_nanosleep, &nap, NULL))
		for (int i = 0; i < 100; i++)
			MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
	MPI_Finalize();
	return 0;
}
