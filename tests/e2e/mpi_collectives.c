/*
 * mpi_collectives.c - every collective, blocking, not, and persistent where
 * the library has that, on world, on an inter-communicator and on topologies,
 * with the bytes that its trace must contain (mpi_expect.h).
 */
#include "mpi_expect.h"

static int in[1024], out[1024];
static COUNT counts[64];
static DISPL places[64];
static MPI_Datatype types[64];
static MPI_Aint far_places[64];

/* Parts of 1, 2, 3… ints. */
static int sum(int n)
{
	return n * (n + 1) / 2;
}

#define COLL(name, comm, sent, received, root)                                                     \
	expect("MPI_%s comm %d sent %d received %d root %d", name, comm, sent, received, root)

static MPI_Request q;

#if MPI_VERSION >= 4 || defined HAVE_PERSISTENT
static int made[8]; /* persistent ones by number of the communicator */

/* As a request that is started, once: several of MPICH 4.0 fail the second time. */
#define PERSISTENT(name, comm, sent, received, root, ...)                                          \
	do {                                                                                       \
		MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &q);                                 \
		EXPECT_CALL(#name "_init", comm);                                                  \
		MPI_Start(&q);                                                                     \
		expect("MPI_%s_init comm %d sent %d received %d root %d start 0 of %d", #name,     \
			comm, sent, received, root, ++made[comm]);                                 \
		EXPECT_CALL("Start", 0);                                                           \
		MPI_Wait(&q, NO_STATUS);                                                           \
		expect("MPI_Wait  [%s_init]", #name);                                              \
		MPI_Request_free(&q);                                                              \
		EXPECT_CALL("Request_free", 0);                                                    \
	} while (0)
#else
#define PERSISTENT(...) (void)0
#endif

/* The same call in each form; posted calls are completed at once. */
#define EACH(name, iname, comm, sent, received, root, ...)                                         \
	do {                                                                                       \
		MPI_##name(__VA_ARGS__);                                                           \
		COLL(#name, comm, sent, received, root);                                           \
		MPI_##iname(__VA_ARGS__, &q);                                                      \
		COLL(#iname, comm, sent, received, root);                                          \
		MPI_Wait(&q, NO_STATUS);                                                           \
		expect("MPI_Wait  [%s]", #iname);                                                  \
		PERSISTENT(name, comm, sent, received, root, __VA_ARGS__);                         \
	} while (0)

static void prepare(void)
{
	for (int i = 0; i < 64; i++) {
		counts[i] = i + 1;
		places[i] = i < 16 ? sum(i) : 0;
		far_places[i] = 4 * places[i];
		types[i] = MPI_INT;
	}
	for (int i = 0; i < 1024; i++)
		in[i] = rank * 1000 + i;
}

static void symmetric(void)
{
	int own = 4 * (rank + 1), all = 4 * sum(size);

	EACH(Barrier, Ibarrier, 1, 0, 0, -1, W);
	EACH(Allreduce, Iallreduce, 1, 40, 40, -1, in, out, 10, MPI_INT, MPI_SUM, W);
	result("sum %d", out[3]);
	EACH(Allreduce, Iallreduce, 1, 8, 8, -1, MPI_IN_PLACE, out, 2, MPI_INT, MPI_MAX, W);
	EACH(Allreduce, Iallreduce, 1, 0, 0, -1, in, out, 0, MPI_DOUBLE, MPI_SUM, W);
	EACH(Scan, Iscan, 1, 12, 12, -1, in, out, 3, MPI_INT, MPI_SUM, W);
	EACH(Exscan, Iexscan, 1, 12, rank ? 12 : 0, -1, in, out, 3, MPI_INT, MPI_SUM, W);
	EACH(Allgather, Iallgather, 1, 8, 8 * size, -1, in, 1, MPI_LONG_LONG, out, 2, MPI_INT, W);
	EACH(Allgather, Iallgather, 1, 8, 8 * size, -1, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2,
		MPI_INT, W);
	EACH(Allgatherv, Iallgatherv, 1, own, all, -1, in, rank + 1, MPI_INT, out, counts, places,
		MPI_INT, W);
	result("gathered %d", out[sum(size) - 1]);
	EACH(Allgatherv, Iallgatherv, 1, own, all, -1, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out,
		counts, places, MPI_INT, W);
	EACH(Alltoall, Ialltoall, 1, 12 * size, 12 * size, -1, in, 3, MPI_INT, out, 12, MPI_CHAR,
		W);
	EACH(Alltoall, Ialltoall, 1, 8 * size, 8 * size, -1, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL,
		out, 2, MPI_INT, W);
	EACH(Reduce_scatter, Ireduce_scatter, 1, all, own, -1, in, out, counts, MPI_INT, MPI_SUM,
		W);
	EACH(Reduce_scatter_block, Ireduce_scatter_block, 1, 8 * size, 8, -1, in, out, 2, MPI_INT,
		MPI_SUM, W);
}

/* All send i+1 ints to rank i, so rank r gets r+1 from each. */
static void irregular(void)
{
	int part = 4 * (rank + 1), all = 4 * sum(size);
	COUNT got[64];
	DISPL at[64];

	for (int i = 0; i < 64; i++) {
		got[i] = rank + 1;
		at[i] = i * (rank + 1);
	}
	EACH(Alltoallv, Ialltoallv, 1, all, part * size, -1, in, counts, places, MPI_INT, out, got,
		at, MPI_INT, W);
	result("alltoallv %d", out[rank]);
	for (int i = 0; i < 64; i++) {
		places[i] *= 4;
		at[i] *= 4;
	}
	EACH(Alltoallw, Ialltoallw, 1, all, part * size, -1, in, counts, places, types, out, got,
		at, types, W);
	result("alltoallw %d", out[rank]);
	prepare();
}

static void rooted(int root)
{
	int is_root = rank == root, own = 4 * (rank + 1), all = 4 * sum(size);
	void *place = is_root ? MPI_IN_PLACE : (void *)in;
	void *out_place = is_root ? MPI_IN_PLACE : (void *)out;

	EACH(Bcast, Ibcast, 1, is_root ? 20 : 0, is_root ? 0 : 20, root, out, 5, MPI_FLOAT, root,
		W);
	EACH(Reduce, Ireduce, 1, 12, is_root ? 12 : 0, root, in, out, 3, MPI_INT, MPI_SUM, root, W);
	EACH(Reduce, Ireduce, 1, 12, is_root ? 12 : 0, root, place, out, 3, MPI_INT, MPI_SUM, root,
		W);
	EACH(Gather, Igather, 1, 8, is_root ? 8 * size : 0, root, in, 2, MPI_INT, out, 8, MPI_BYTE,
		root, W);
	EACH(Gather, Igather, 1, 8, is_root ? 8 * size : 0, root, place, 2, MPI_INT, out, 2,
		MPI_INT, root, W);
	EACH(Gatherv, Igatherv, 1, own, is_root ? all : 0, root, in, rank + 1, MPI_INT, out, counts,
		places, MPI_INT, root, W);
	EACH(Gatherv, Igatherv, 1, own, is_root ? all : 0, root, place, rank + 1, MPI_INT, out,
		counts, places, MPI_INT, root, W);
	EACH(Scatter, Iscatter, 1, is_root ? 8 * size : 0, 8, root, in, 2, MPI_INT, out, 2, MPI_INT,
		root, W);
	EACH(Scatter, Iscatter, 1, is_root ? 8 * size : 0, 8, root, in, 2, MPI_INT, out_place, 2,
		MPI_INT, root, W);
	EACH(Scatterv, Iscatterv, 1, is_root ? all : 0, own, root, in, counts, places, MPI_INT, out,
		rank + 1, MPI_INT, root, W);
	EACH(Scatterv, Iscatterv, 1, is_root ? all : 0, own, root, in, counts, places, MPI_INT,
		out_place, rank + 1, MPI_INT, root, W);
	result("rooted %d %d", out[0], out[rank]);
}

/* A ring: two neighbours each. Communicator number 3. */
static void neighbours(void)
{
	MPI_Comm ring;
	int periods[1] = { 1 };

	MPI_Cart_create(W, 1, &size, periods, 0, &ring);
	COLL("Cart_create", 1, 0, 0, -1);
	EACH(Neighbor_allgather, Ineighbor_allgather, 3, 8, 16, -1, in, 2, MPI_INT, out, 2, MPI_INT,
		ring);
	EACH(Neighbor_allgatherv, Ineighbor_allgatherv, 3, 8, 16, -1, in, 2, MPI_INT, out,
		(COUNT[]){ 2, 2 }, places, MPI_INT, ring);
	EACH(Neighbor_alltoall, Ineighbor_alltoall, 3, 16, 16, -1, in, 2, MPI_INT, out, 2, MPI_INT,
		ring);
	EACH(Neighbor_alltoallv, Ineighbor_alltoallv, 3, 24, 24, -1, in, (COUNT[]){ 3, 3 },
		(DISPL[]){ 0, 3 }, MPI_INT, out, (COUNT[]){ 3, 3 }, (DISPL[]){ 0, 3 }, MPI_INT,
		ring);
	EACH(Neighbor_alltoallw, Ineighbor_alltoallw, 3, 24, 24, -1, in, (COUNT[]){ 3, 3 },
		far_places, types, out, (COUNT[]){ 3, 3 }, far_places, types, ring);
	MPI_Comm_free(&ring);
	EXPECT_CALL("Comm_free", 3);
}

/* Even ranks here, odd ranks there. Communicators 4 (half) and 5 (inter). */
static void across(void)
{
	MPI_Comm half, inter;
	int here = rank % 2, n = size / 2, is_root = rank == 0, root;

	MPI_Comm_split(W, here, rank, &half);
	COLL("Comm_split", 1, 0, 0, -1);
	MPI_Intercomm_create(half, 0, W, here ? 0 : 1, 17, &inter);
	EXPECT_CALL("Intercomm_create", 4);
	root = here ? 0 : is_root ? MPI_ROOT : MPI_PROC_NULL;
	MPI_Barrier(inter);
	COLL("Barrier", 5, 0, 0, -1);
	MPI_Bcast(out, 5, MPI_INT, root, inter);
	COLL("Bcast", 5, is_root ? 20 : 0, here ? 20 : 0, here ? 0 : is_root ? -2 : -3);
	MPI_Reduce(in, out, 5, MPI_INT, MPI_SUM, root, inter);
	COLL("Reduce", 5, here ? 20 : 0, is_root ? 20 : 0, here ? 0 : is_root ? -2 : -3);
	MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root, inter);
	COLL("Gather", 5, here ? 8 : 0, is_root ? 8 * n : 0, here ? 0 : is_root ? -2 : -3);
	MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root, inter);
	COLL("Scatter", 5, is_root ? 8 * n : 0, here ? 8 : 0, here ? 0 : is_root ? -2 : -3);
	MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, inter);
	COLL("Allgather", 5, 8, 8 * n, -1);
	MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, inter);
	COLL("Alltoall", 5, 8 * n, 8 * n, -1);
	MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, inter);
	COLL("Allreduce", 5, 8, 8, -1);
	result("across %d", out[0]);
	MPI_Comm_free(&inter);
	EXPECT_CALL("Comm_free", 5);
	MPI_Comm_free(&half);
	EXPECT_CALL("Comm_free", 4);
}

int main(int argc, char **argv)
{
	expect_begin(&argc, &argv, 0);
	prepare();
	symmetric();
	irregular();
	rooted(0);
	rooted(size - 1);
	neighbours();
	across();
	return expect_end();
}
