/*
 * efficiency_load.c - steps in which one rank works after the other, and the network takes its time.
 *
 * usage: efficiency_load FILE STEPS: two ranks; in each step rank 0 sleeps 4 ms, in the last third of
 * them 1 ms, then rank 1 sleeps 2 ms, and summing a number takes 2 ms more, in a user-defined
 * operation. Both read 40 bytes one by one, so that a small budget holds few steps.
 *
 * Rank 0 prints a line a step: its number, what rank 0 and rank 1 did outside of MPI, what the step would
 * take if MPI took no time, and what it took; all in ns.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

enum { READS = 40 };

struct step {		    /* ns */
	long before, after; /* the rank's work before and after the barrier */
	long all;
};

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void nap(long ns)
{
	struct timespec t = { .tv_nsec = ns };

	nanosleep(&t, NULL);
}

static void slow_sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
	for (int i = 0; i < *n; i++)
		((double *)inout)[i] += ((double *)in)[i];
	(void)type;
	nap(2000000);
}

static void reads(int fd)
{
	char byte;

	for (int i = 0; i < READS; i++)
		if (pread(fd, &byte, 1, 0) != 1)
			perror("pread");
}

static struct step step_make(int rank, int fd, int n, MPI_Op op, long ns)
{
	double value = 1, sum;
	struct step step;
	long start = now();

	tacho_step_begin(n);
	if (rank == 0)
		nap(ns);
	step.before = now() - start;
	MPI_Barrier(MPI_COMM_WORLD);
	step.after = -now();
	if (rank == 1)
		nap(2000000);
	reads(fd);
	step.after += now();
	MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
	tacho_step_end(1);
	step.all = now() - start;
	return step;
}

static long longer(long a, long b)
{
	return a > b ? a : b;
}

static void steps_print(const struct step *first, const struct step *second, int n)
{
	for (int i = 0; i < n; i++)
		printf("%d %ld %ld %ld %ld\n", i, first[i].before + first[i].after,
			second[i].before + second[i].after,
			longer(first[i].before, second[i].before) +
				longer(first[i].after, second[i].after),
			first[i].all);
}

int main(int argc, char **argv)
{
	int rank, fd, n = argc > 2 ? atoi(argv[2]) : 0, bytes = n * (int)sizeof(struct step);
	struct step *steps = calloc(n, sizeof(*steps)), *all = calloc(2 * n, sizeof(*all));
	MPI_Op op;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Op_create(slow_sum, 1, &op);
	fd = open(argv[1], O_RDONLY);
	MPI_Barrier(MPI_COMM_WORLD);
	tacho_phase_begin("train");
	for (int i = 0; i < n; i++)
		steps[i] = step_make(rank, fd, i, op, 3 * i < 2 * n ? 4000000 : 1000000);
	tacho_phase_end();
	MPI_Gather(steps, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
	if (rank == 0)
		steps_print(all, all + n, n);
	MPI_Op_free(&op);
	MPI_Finalize();
	return 0;
}
