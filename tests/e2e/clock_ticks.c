/*
 * clock_ticks.c - marks moments and prints their true time, between messages and collectives that
 * tie the ranks' clocks together. A line per moment: "rank before_ns after_ns" of CLOCK_REALTIME
 * around the marker. usage: clock_ticks FILE-PREFIX
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

#define TICKS 20

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void talk(int rank, int size)
{
	double value = 1, sum;
	int token = 0;

	for (int i = 0; i < 20; i++)
		MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int other = 1; other < size; other++) {
		if (rank == 0) {
			MPI_Send(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
			MPI_Recv(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else if (rank == other) {
			MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		}
	}
}

int main(int argc, char **argv)
{
	char path[4096];
	int rank, size;
	FILE *file;

	if (argc != 2)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(path, sizeof(path), "%s.%d", argv[1], rank);
	file = fopen(path, "w");
	if (!file)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 0; i < TICKS; i++) {
		long long before, after;

		talk(rank, size);
		before = now_ns();
		tacho_region_begin("tick");
		after = now_ns();
		tacho_region_end();
		fprintf(file, "%d %lld %lld\n", rank, before, after);
		usleep(50000);
	}
	fclose(file);
	MPI_Finalize();
	return 0;
}
