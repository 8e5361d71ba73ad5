/*
 * damage_load.c - rank 0 computes longest, the others wait for it in each all-reduce. RESULT_DIR/result.R
 * has, for each number of all-reduces so far, the time since MPI_Init ended and that outside of MPI.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 2000 };

static double past[ROUNDS][2];

static void compute(double seconds)
{
	volatile double x = 1;

	for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
		for (int i = 0; i < 100; i++)
			x = x * 1.0000001 + 1e-9;
}

static void write_results(int rank)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/result.%d", getenv("RESULT_DIR"), rank);
	file = fopen(path, "w");
	for (int i = 0; file && i < ROUNDS; i++)
		fprintf(file, "%d %.9f %.9f\n", i + 1, past[i][0], past[i][1]);
	if (!file || fclose(file) != 0)
		exit(1);
}

int main(int argc, char **argv)
{
	double began, in_mpi = 0, value = 1, sum;
	int rank;

	MPI_Init(&argc, &argv);
	began = MPI_Wtime();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < ROUNDS; i++) {
		double enter, leave;

		compute(rank ? 0.0001 : 0.0003);
		enter = MPI_Wtime();
		MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		leave = MPI_Wtime();
		in_mpi += leave - enter;
		past[i][0] = leave - began;
		past[i][1] = leave - began - in_mpi;
	}
	write_results(rank);
	MPI_Finalize();
	return 0;
}
