/* killed_load.c HOW FILE: rank 1 is killed in step 100 (self), or none is, and rank 1 hangs, when FILE is made (hang). */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, one = 1, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; argc == 3 && i < 101; i++) {
		if (rank == 1 && i == 100 && strcmp(argv[1], "self") == 0)
			kill(getpid(), SIGKILL);
		if (rank == 1)
			usleep(5000);
		MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	if (rank == 1) {
		close(open(argv[2], O_CREAT | O_WRONLY, 0600));
		sleep(100);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
