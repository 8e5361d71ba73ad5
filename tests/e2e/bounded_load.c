/*
 * bounded_load.c - steps that make more records than a small budget holds, and the figures that a
 * recording must have.
 *
 * usage: bounded_load FILE STEPS [SLOW [HANG [BUSY]]]: step SLOW takes 0.2 s longer on rank 1; rank 0
 * ends by a signal in step HANG; before the first step each rank asks BUSY times for its rank
 *
 * A step sleeps 0.3 ms, reads 4 KiB 40 times, sends 1,000 bytes around the ring and sums a number; each
 * 50th is followed by a phase of 10 reads. Each rank prints a line: rank, reads, bytes read, messages,
 * their bytes, collectives, ns slept.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

enum { READS = 40, BLOCK = 4096, MESSAGE = 1000 };

static long slept;

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void nap(long ns)
{
	struct timespec t = { .tv_nsec = ns };
	long start = now_ns();

	nanosleep(&t, NULL);
	slept += now_ns() - start;
}

static void reads(int fd, int n)
{
	static char block[BLOCK];

	for (int i = 0; i < n; i++)
		if (pread(fd, block, sizeof(block), 0) != (ssize_t)sizeof(block))
			perror("pread");
}

static void around(int rank, int size, int step)
{
	static char out[MESSAGE], in[MESSAGE];
	MPI_Request requests[2];

	MPI_Irecv(in, MESSAGE, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(out, MESSAGE, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	(void)step;
}

int main(int argc, char **argv)
{
	int rank, size, fd, steps, validations = 0, slow = argc > 3 ? atoi(argv[3]) : -1,
				   hang = argc > 4 ? atoi(argv[4]) : -1,
				   busy = argc > 5 ? atoi(argv[5]) : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	fd = open(argv[1], O_RDONLY);
	steps = atoi(argv[2]);
	for (int i = 0; i < busy; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	tacho_phase_begin("train");
	for (int n = 0; n < steps; n++) {
		double value = n, sum;

		tacho_step_begin(n);
		nap(300000 + (n == slow && rank == 1 ? 200000000 : 0));
		reads(fd, READS);
		around(rank, size, n);
		if (n == hang && rank == 0)
			raise(SIGKILL);
		MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		tacho_step_end(8);
		if (n % 50 == 49) {
			tacho_phase_end();
			tacho_phase_begin("validate");
			reads(fd, 10);
			validations++;
			tacho_phase_end();
			tacho_phase_begin("train");
		}
	}
	tacho_phase_end();
	printf("%d %d %d %d %d %d %ld\n", rank, steps * READS + validations * 10,
		(steps * READS + validations * 10) * BLOCK, steps, steps * MESSAGE, steps, slept);
	MPI_Finalize();
	return 0;
}
