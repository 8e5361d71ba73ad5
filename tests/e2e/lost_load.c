/*
 * lost_load.c - steps of equal length, of which a small spool holds only the first.
 *
 * usage: lost_load FILE STEPS CALLS…, calls in a step by rank
 *
 * A step is 3 ms without a call that is recorded, CALLS reads of 4 KiB, an Allreduce; 16 samples.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

int main(int argc, char **argv)
{
	struct timespec nap = { .tv_nsec = 3000000 };
	char block[4096];
	int rank, fd, steps, calls;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 4 + rank)
		return 2;
	fd = open(argv[1], O_RDONLY);
	steps = atoi(argv[2]);
	calls = atoi(argv[3 + rank]);
	MPI_Barrier(MPI_COMM_WORLD);
	tacho_phase_begin("train");
	for (int n = 0; n < steps; n++) {
		double value = n, sum;

		tacho_step_begin(n);
		syscall(SYS_nanosleep, &nap, NULL);
		for (int i = 0; i < calls; i++)
			if (pread(fd, block, sizeof(block), 0) < 0)
				perror("pread");
		MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		tacho_step_end(16);
	}
	tacho_phase_end();
	MPI_Finalize();
	return 0;
}
