/*
 * An open chain of ranks, the last one late: only its neighbour waits for it, in a blocking and in
 * a non-blocking collective; and a scatter of which only the root gets anything.
 */
#include <mpi.h>
#include <time.h>

enum { ROUNDS = 3, LATE_MS = 40 };

static void sleep_ms(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

int main(int argc, char **argv)
{
	int rank, n, open_ended = 0, out[2] = { 0 }, in[2] = { 0 }, counts[64] = { 1 },
		     places[64] = { 0 };
	MPI_Request request;
	MPI_Comm chain;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &open_ended, 0, &chain);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Barrier(chain);
		sleep_ms(rank == n - 1 ? LATE_MS : 1);
		MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, chain);
		MPI_Barrier(chain);
		sleep_ms(rank == n - 1 ? LATE_MS : 1);
		MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, chain, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Barrier(chain);
		sleep_ms(rank == n - 1 ? LATE_MS : 1);
		MPI_Scatterv(out, counts, places, MPI_INT, in, rank ? 0 : 1, MPI_INT, 0, chain);
	}
	MPI_Finalize();
	return 0;
}
