/*
 * folds_mpi.c - rank 0 polls for messages very often, which rank 1 sends late; each prints how many
 * calls of each kind it made: "RANK CALL COUNT".
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, done = 0, value = 7;
	long ntests = 0, nprobes = 0;
	MPI_Request request;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int k = 0; k < 3; k++) {
		if (rank == 1) {
			usleep(50000);
			MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
			usleep(50000);
			MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
		} else if (rank == 0) {
			MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
			for (done = 0; !done; ntests++)
				MPI_Test(&request, &done, MPI_STATUS_IGNORE);
			for (done = 0; !done; nprobes++)
				MPI_Iprobe(1, 2, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
			MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("MPI_Barrier 3\nMPI_Iprobe %ld\nMPI_Irecv 3\nMPI_Recv 3\nMPI_Test %ld\n",
			nprobes, ntests);
	MPI_Finalize();
	return 0;
}
