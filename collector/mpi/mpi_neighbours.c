/*
 * mpi_neighbours.c - the neighbours of a process in neighbourhood collectives: asked of MPI at the
 * first such call on a communicator, and recorded as a property of the process.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/define.h"
#include "core/process.h"
#include "core/real.h"
#include "mpi/mpi_comm.h"

/* Further communicators are not recorded: a program may make and free one in each step. */
#define COMMS_MOST 1024

/* The functions of MPI that are asked. QUERY(name, parameters) */
#define QUERIES(QUERY)                                                                             \
	QUERY(Topo_test, (mpi_handle, int *))                                                      \
	QUERY(Cart_shift, (mpi_handle, int, int, int *, int *))                                    \
	QUERY(Graph_neighbors, (mpi_handle, int, int, int *))                                      \
	QUERY(Dist_graph_neighbors, (mpi_handle, int, int *, int *, int, int *, int *))

struct queries {
#define QUERY(name, params) int(*name) params;
	QUERIES(QUERY)
#undef QUERY
};

static bool queries_find(struct queries *pmpi)
{
	void *found;
	bool all = true;

#define QUERY(name, params)                                                                        \
	found = real_symbol("PMPI_" #name);                                                        \
	pmpi->name = (int(*) params)(found ? found : real_symbol("MPI_" #name));                   \
	all &= pmpi->name != NULL;
	QUERIES(QUERY)
#undef QUERY
	return all;
}

/* The neighbours into `in` and `out`; -1 for a missing neighbour. */
static void ask(mpi_handle handle, const struct mpi_comm *comm, int *in, int *out, int *weights)
{
	int topology = 0, n = (int)comm->indegree;
	struct queries pmpi;

	if (!queries_find(&pmpi) || pmpi.Topo_test(handle, &topology) != 0)
		return;
	if (topology == MPI_TOPOLOGY_DIST_GRAPH) {
		pmpi.Dist_graph_neighbors(handle, n, in, weights, (int)comm->outdegree, out,
			weights + n);
		return;
	}
	if (topology == MPI_TOPOLOGY_CART(tacho_abi.family))
		for (int i = 0; i < n / 2; i++)
			pmpi.Cart_shift(handle, i, 1, &in[2 * i], &in[2 * i + 1]);
	else
		pmpi.Graph_neighbors(handle, comm->rank, n, in);
	memcpy(out, in, sizeof(*out) * comm->outdegree);
}

#define RANK_ROOM sizeof("4294967295,") /* with its NUL */

/* "1,3" */
static size_t ranks_print(char *text, const struct mpi_comm *comm, const int *ranks, uint32_t n)
{
	size_t at = 0;

	for (uint32_t i = 0; i < n; i++)
		if (ranks[i] >= 0 && (uint32_t)ranks[i] < comm->size)
			at += (size_t)snprintf(text + at, RANK_ROOM, at ? ",%d" : "%d", ranks[i]);
	text[at] = '\0';
	return at;
}

static void define(mpi_handle handle, const struct mpi_comm *comm)
{
	size_t n = (size_t)comm->indegree + comm->outdegree, at;
	int *ranks = malloc(2 * n * sizeof(*ranks) + 1);
	char *text = malloc(RANK_ROOM * n + 2), key[64];

	if (ranks && text) {
		memset(ranks, 0xff, 2 * n * sizeof(*ranks));
		ask(handle, comm, ranks, ranks + comm->indegree, ranks + n);
		at = ranks_print(text, comm, ranks, comm->indegree);
		text[at++] = '/';
		ranks_print(text + at, comm, ranks + comm->indegree, comm->outdegree);
		snprintf(key, sizeof(key), "process.neighbours.%u", comm->id);
		process_define_property(key, text);
	}
	free(text);
	free(ranks);
}

void neighbours_define(mpi_handle handle, const struct mpi_comm *comm)
{
	static struct map defined = MAP_EMPTY;
	static _Atomic uint32_t n;
	int saved = errno;

	handle = handle_key(handle);
	if (!comm->id || map_get(&defined, handle) == comm->id)
		return;
	map_set(&defined, handle, comm->id);
	if (atomic_fetch_add(&n, 1) < COMMS_MOST)
		define(handle, comm);
	errno = saved;
}
