/*
 * where_load.c - ranks that hang, each in its way.
 *
 * usage: where_load HOW MS
 *
 * Passes 20 collectives together, hangs by HOW, and after MS all ranks are killed at the same time:
 * late (rank 1 works), circle (each receives from the next one), operation and root (rank 1
 * calls another collective, or with another root), size (rank 1 sends less, and rank 2 works), request (rank 2 reads from a pipe
 * while the others wait for a collective that they posted).
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double data[100], result[100], all[100 * 8];
static int rank, nranks;

/* Without a call of libc, so that nothing of it is recorded. */
static void *killer(void *ms)
{
	struct timespec t = { atol(ms) / 1000, atol(ms) % 1000 * 1000000 };

	syscall(SYS_nanosleep, &t, NULL);
	syscall(SYS_kill, getpid(), SIGKILL);
	return NULL;
}

static void sum(int n)
{
	MPI_Allreduce(data, result, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void hang_late(void)
{
	volatile bool for_ever = true;

	while (rank == 1 && for_ever)
		;
	sum(100);
}

static void hang_circle(void)
{
	MPI_Recv(data, 1, MPI_DOUBLE, (rank + 1) % nranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 1 is the root, and has sent a small message before any rank takes it. */
static void hang_operation(void)
{
	if (rank == 1)
		MPI_Bcast(data, 100, MPI_DOUBLE, 1, MPI_COMM_WORLD);
	else
		sum(100);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void hang_root(void)
{
	MPI_Reduce(data, result, 100, MPI_DOUBLE, MPI_SUM, rank == 1, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The root waits for rank 2, and has got too little from rank 1. */
static void hang_size(void)
{
	volatile bool for_ever = true;
	int n = rank == 1 ? 10 : 100;

	while (rank == 2 && for_ever)
		;
	MPI_Gather(data, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void hang_request(void)
{
	MPI_Request request;
	int ends[2];

	if (rank == 2 && pipe(ends) == 0 && read(ends[0], data, 1) < 0)
		perror("read");
	MPI_Iallreduce(data, result, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const struct {
	const char *how;
	void (*hang)(void);
} ways[] = { { "late", hang_late }, { "circle", hang_circle }, { "operation", hang_operation },
	{ "root", hang_root }, { "size", hang_size }, { "request", hang_request } };

int main(int argc, char **argv)
{
	pthread_t thread;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nranks);
	for (int i = 0; i < 20; i++)
		sum(100);
	pthread_create(&thread, NULL, killer, argv[2]);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].how) == 0)
			ways[i].hang();
	MPI_Finalize();
	return 0;
}
