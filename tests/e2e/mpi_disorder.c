/*
 * mpi_disorder.c - non-blocking all-reduces of 400 and 200 bytes, which odd ranks
 * wait for in the other order. Two ranks or more.
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	static int in[100], out[2][100];
	MPI_Request q[2];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 20; i++) {
		MPI_Iallreduce(in, out[0], 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[0]);
		MPI_Iallreduce(in, out[1], 50, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[1]);
		MPI_Allreduce(in, out[0], 6, MPI_INT, MPI_SUM, MPI_COMM_SELF);
		MPI_Wait(&q[rank % 2], MPI_STATUS_IGNORE);
		MPI_Wait(&q[1 - rank % 2], MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
