/*
 * limits_load.c - computes for so many milliseconds of wall time on each rank and meets the others
 * every 20 ms: limits_load MS [STOP_AFTER_MS STOP_MS]. Rank 0 is stopped meanwhile, as a batch system
 * does it; prints for how long each rank ran, by its own clock of CPU time.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* Stops the caller's process, once, from another one. */
static void stop_later(long after_ms, long ms)
{
	pid_t self = getpid();

	if (fork())
		return;
	pause_ms(after_ms);
	kill(self, SIGSTOP);
	pause_ms(ms);
	kill(self, SIGCONT);
	_exit(0);
}

int main(int argc, char **argv)
{
	double began, step;
	struct timespec ran;
	int rank, mine = 1, sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0 && argc > 3)
		stop_later(atol(argv[2]), atol(argv[3]));
	for (began = MPI_Wtime(), sum = 1; sum;) {
		for (step = MPI_Wtime(); MPI_Wtime() - step < 0.02;)
			;
		/* all leave in the same round: the first clock decides */
		mine = MPI_Wtime() - began < atof(argv[1]) / 1e3;
		MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ran);
	printf("ran %.3f\n", (double)ran.tv_sec + (double)ran.tv_nsec / 1e9);
	MPI_Finalize();
	return 0;
}
