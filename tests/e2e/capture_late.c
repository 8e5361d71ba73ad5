/*
 * capture_late.c - messages that are under way when the capture begins: rank 1 receives each ten steps later
 * than rank 0 sends it, up to step 150, where it receives all that it can; from step 100 on all is captured.
 * usage: capture_late STEPS
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { BEHIND = 10, FROM = 100, UNTIL = 150, DATA = 1, TICK = 2 };

static void nap(void)
{
	struct timespec t = { .tv_nsec = 1000000 };

	nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	int rank, value = 0, n = argc > 1 ? atoi(argv[1]) : 0, received = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Pcontrol(0);
	for (int i = 0; i < n; i++) {
		if (i == FROM)
			MPI_Pcontrol(1);
		if (rank == 0) {
			nap();
			MPI_Send(&value, 1, MPI_INT, 1, DATA, MPI_COMM_WORLD);
			MPI_Send(&value, 1, MPI_INT, 1, TICK, MPI_COMM_WORLD);
			continue;
		}
		MPI_Recv(&value, 1, MPI_INT, 0, TICK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (; received <= i - (i < UNTIL ? BEHIND : 0); received++)
			MPI_Recv(&value, 1, MPI_INT, 0, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
