/*
 * Ranks that wait for some others only: for the rank that posts a window, for ranks that complete
 * puts into it, for the other group of an inter-communicator, and for neighbours in a topology.
 * Some poll instead. The last rank is late.
 */
#include <mpi.h>
#include <time.h>

enum { ROUNDS = 3, LATE_MS = 20 };

static int rank, n, memory[4];

static void late(void)
{
	nanosleep(&(struct timespec){ 0, (rank == n - 1 ? LATE_MS : 1) * 1000000L }, NULL);
}

/* Each rank's memory is for the one before it. */
static void window(MPI_Win win, MPI_Group before, MPI_Group next)
{
	int is_over = 0, value = rank;

	for (int i = 0; i < ROUNDS; i++) {
		late();
		MPI_Win_post(before, 0, win);
		MPI_Win_start(next, 0, win);
		MPI_Put(&value, 1, MPI_INT, (rank + 1) % n, 0, 1, MPI_INT, win);
		late();
		MPI_Win_complete(win);
		if (i % 2)
			MPI_Win_wait(win);
		for (is_over = i % 2; !is_over;)
			MPI_Win_test(win, &is_over);
	}
}

static void groups(void)
{
	MPI_Comm half, inter;
	int value = rank, sum = 0, odd = rank % 2;

	MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !odd, 7, &inter);
	for (int i = 0; i < ROUNDS; i++) {
		late();
		MPI_Barrier(inter);
		late();
		MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter);
		late();
		MPI_Bcast(&value, 1, MPI_INT, odd ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT, inter);
	}
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

/* Blocking, begun and waited for in another order, and persistent. */
static void neighbours(MPI_Comm comm)
{
	int out[4] = { rank, rank, rank, rank }, in[4];
	MPI_Request requests[2];

	for (int i = 0; i < ROUNDS; i++) {
		late();
		MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
		late();
		MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm);
		late();
		MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm, &requests[0]);
		MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, &requests[1]);
		late();
		MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	}
#if MPI_VERSION >= 4
	MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, comm, MPI_INFO_NULL, requests);
	for (int i = 0; i < ROUNDS; i++) {
		late();
		MPI_Start(requests);
		MPI_Wait(requests, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(requests);
#endif
	MPI_Comm_free(&comm);
}

/* A chain, a ring, a star, and one in which each gets data from the one before it only. */
static void topologies(void)
{
	int open_ended = 0, closed = 1, before = (rank + n - 1) % n, next = (rank + 1) % n;
	int ends[] = { 3, 4, 5, 6 }, edges[] = { 1, 2, 3, 0, 0, 0 };
	MPI_Comm comm;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &open_ended, 0, &comm);
	neighbours(comm);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &closed, 0, &comm);
	neighbours(comm);
	MPI_Graph_create(MPI_COMM_WORLD, n, ends, edges, 0, &comm);
	neighbours(comm);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
		MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
	neighbours(comm);
}

int main(int argc, char **argv)
{
	MPI_Group all, before, next;
	int ranks[2];
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	ranks[0] = (rank + n - 1) % n;
	ranks[1] = (rank + 1) % n;
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &ranks[0], &before);
	MPI_Group_incl(all, 1, &ranks[1], &next);
	MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	window(win, before, next);
	groups();
	topologies();
	MPI_Win_free(&win);
	MPI_Group_free(&next);
	MPI_Group_free(&before);
	MPI_Group_free(&all);
	MPI_Finalize();
	return 0;
}
