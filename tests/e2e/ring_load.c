/*
 * ring_load.c - all-reduces of a known size in phases of known length, for
 * network rates: `ring_load MIB TIMES [EXIT [HOST]]`. Rank 0 prints what a
 * ring moves per node. EXIT: rank 1's exit status, after MPI_Finalize.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tacho.h"

int main(int argc, char **argv)
{
	int mib = argc > 1 ? atoi(argv[1]) : 1, times = argc > 2 ? atoi(argv[2]) : 10;
	int status = argc > 3 ? atoi(argv[3]) : 0, rank, size;
	int count = mib << 18;
	float *from = calloc((size_t)count, sizeof(*from)),
	      *to = calloc((size_t)count, sizeof(*to));
	char host[64] = "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	gethostname(host, sizeof(host) - 1);
	if (!from || !to)
		MPI_Abort(MPI_COMM_WORLD, 9);
	from[0] = 1;
	tacho_phase_begin("train");
	for (int i = 0; i < times; i++)
		MPI_Allreduce(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	tacho_phase_end();
	if ((int)to[0] != size)
		status = 8;
	printf("rank %d of %d on %s\n", rank, size, host);
	if (rank == 0)
		printf("ring %lld\n", 2ll * (size - 1) * count * 4 / size * times);
	free(from);
	free(to);
	MPI_Finalize();
	return rank == 1 || status == 8 ? status : 0;
}
