/*
 * ranks_load.c - a small step with the calls of a training, for many ranks:
 * `ranks_load STEPS`. Each rank prints its process id, so that a test can
 * take its spool away.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tacho.h"

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10, rank, size;
	double own[64] = { 1 }, all[64], next[64];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("rank %d pid %d\n", rank, (int)getpid());
	fflush(stdout);
	tacho_phase_begin("train");
	for (int i = 0; i < steps; i++) {
		tacho_step_begin((uint64_t)i);
		MPI_Sendrecv(own, 64, MPI_DOUBLE, (rank + 1) % size, 1, next, 64, MPI_DOUBLE,
			(rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Allreduce(own, all, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		tacho_step_end(1);
	}
	tacho_phase_end();
	MPI_Finalize();
	return (int)all[0] != size;
}
