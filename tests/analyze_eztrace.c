/*
 * analyze_eztrace.c - what EZTrace records for tests/analyze_eztrace.sh: the calls are counted
 * there.
 */
#include <mpi.h>
#include <unistd.h>

enum { REDUCTIONS = 10, MESSAGES = 5 };

int main(int argc, char **argv)
{
	double mine, sum;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	mine = rank;
	for (int i = 0; i < REDUCTIONS; i++) {
		if (rank == 0)
			usleep(2000);
		MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	for (int i = 0; i < MESSAGES; i++)
		if (rank == 0)
			MPI_Send(&mine, 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD);
		else if (rank == 1)
			MPI_Recv(&sum, 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
