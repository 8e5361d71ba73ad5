/*
 * par_mpi.c - tacho-mpi.so: the few MPI calls behind par.h. Loaded by tacho
 * only when a launcher started several of it.
 */
#include "config.h"

#include <mpi.h>
#include <stdint.h>

#include "par.h"

#define MOST	(1u << 30)		/* MPI counts are ints */

extern const struct par_mpi tacho_par_mpi;

static int start(int *rank, int *size)
{
	int ready = 0;

	MPI_Initialized(&ready);
	if (!ready && MPI_Init(NULL, NULL) != MPI_SUCCESS)
		return -1;
	MPI_Comm_rank(MPI_COMM_WORLD, rank);
	MPI_Comm_size(MPI_COMM_WORLD, size);
	return 0;
}

static void end(void)
{
	MPI_Finalize();
}

static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast_from(void *data, size_t size, int root)
{
	char *at = data;

	for (size_t left = size; left; ) {
		size_t n = left < MOST ? left : MOST;

		MPI_Bcast(at, (int)n, MPI_BYTE, root, MPI_COMM_WORLD);
		at += n;
		left -= n;
	}
}

static void bcast(void *data, size_t size)
{
	bcast_from(data, size, 0);
}

static void sizes(size_t mine, size_t *all)
{
	MPI_Allgather(&mine, (int)sizeof(mine), MPI_BYTE, all, (int)sizeof(mine), MPI_BYTE,
		      MPI_COMM_WORLD);
}

static void gather(const void *mine, const size_t *all_sizes, char *all)
{
	int rank, size;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int r = 0; r < size; r++) {
		if (r == rank)
			for (size_t i = 0; i < all_sizes[r]; i++)
				all[i] = ((const char *)mine)[i];
		bcast_from(all, all_sizes[r], r);
		all += all_sizes[r];
	}
}

static int max(int mine)
{
	int all = mine;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return all;
}

const struct par_mpi tacho_par_mpi = { start, end, barrier, bcast, sizes, gather, max };
