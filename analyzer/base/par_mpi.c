/*
 * par_mpi.c - tacho-mpi.so: the few MPI calls behind par.h. Loaded by tacho
 * only when a launcher started several of it.
 */
#include "config.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/par.h"

#define MOST (1u << 30) /* MPI counts are ints */

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

static int barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}

static void bcast_from(void *data, size_t size, int root)
{
	char *at = data;

	for (size_t left = size; left;) {
		size_t n = left < MOST ? left : MOST;

		MPI_Bcast(at, (int)n, MPI_BYTE, root, MPI_COMM_WORLD);
		at += n;
		left -= n;
	}
}

static int sizes(size_t mine, size_t *all)
{
	MPI_Allgather(&mine, (int)sizeof(mine), MPI_BYTE, all, (int)sizeof(mine), MPI_BYTE,
		MPI_COMM_WORLD);
	return 0;
}

static int gather(const void *mine, const size_t *all_sizes, char *all)
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
	return 0;
}

static int max(int mine)
{
	int all = mine;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return all;
}

static int allreduce(double *values, size_t n)
{
	return MPI_Allreduce(MPI_IN_PLACE, values, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) ==
			MPI_SUCCESS
		? 0
		: -1;
}

static int alltoall(const void *mine, void *all, size_t each)
{
	return MPI_Alltoall(mine, (int)each, MPI_BYTE, all, (int)each, MPI_BYTE, MPI_COMM_WORLD) ==
			MPI_SUCCESS
		? 0
		: -1;
}

/* Messages on their way, oldest first. */
static struct sending {
	struct sending *next;
	MPI_Request request;
	char data[];
} * sendings, **sendings_end = &sendings;

/* MPI sends in order, but may end them in any. */
static void sent_free(void)
{
	int done = 1;

	while (sendings && done) {
		struct sending *first = sendings;

		MPI_Test(&first->request, &done, MPI_STATUS_IGNORE);
		if (!done)
			return;
		sendings = first->next;
		if (!sendings)
			sendings_end = &sendings;
		free(first);
	}
}

static int send(int to, const void *data, size_t size)
{
	struct sending *sending = malloc(sizeof(*sending) + size);

	if (!sending)
		return -1;
	sending->next = NULL;
	memcpy(sending->data, data, size);
	MPI_Isend(sending->data, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD, &sending->request);
	*sendings_end = sending;
	sendings_end = &sending->next;
	sent_free();
	return 0;
}

static int probe(int *from, size_t *size)
{
	MPI_Status status;
	int there, n;

	sent_free();
	MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
	if (!there)
		return 0;
	MPI_Get_count(&status, MPI_BYTE, &n);
	*from = status.MPI_SOURCE;
	*size = (size_t)n;
	return 1;
}

static void receive(int from, void *data, size_t size)
{
	MPI_Recv(data, (int)size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

const struct par_mpi tacho_par_mpi = { start, end, barrier, sizes, gather, max, allreduce, alltoall,
	send, probe, receive };
