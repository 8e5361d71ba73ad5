/*
 * calls.c - the cost of one call. Prints "NAME NS" per measured call, the
 * median of several batches: run bare and under a collector, the difference
 * is the collector's. Also the program that is started and ended (--count 0)
 * and the one that starts others (--spawn). tests/bench/run compares.
 */
#include <fcntl.h>
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

enum { BATCHES = 9, BLOCK = 4096 };

static char block[BLOCK];
static int file, peer, ends[2];

static void call_iprobe(void)
{
	int flag;

	MPI_Iprobe(peer, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void call_rank(void)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void call_allreduce(void)
{
	int in = 1, out;

	MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void call_exchange(void)
{
	MPI_Request requests[2];
	int in, out = 1;

	MPI_Isend(&out, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(&in, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void call_pread(void)
{
	if (pread(file, block, BLOCK, 0) != BLOCK)
		abort();
}

/* The file stays small: it starts again after each 256 blocks, which costs a 256th of an lseek. */
static void call_write(void)
{
	static unsigned n;

	if (n++ % 256 == 0)
		lseek(file, 0, SEEK_SET);
	if (write(file, block, BLOCK) != BLOCK)
		abort();
}

/* Files of a data set, each open for a moment and again later. */
static void call_open(void)
{
	static char names[256][24];
	static unsigned n;
	char *name = names[n % 256];
	int fd;

	if (n < 256)
		snprintf(name, sizeof(names[0]), "tacho-bench-%d.%u", (int)getpid() % 100000, n);
	fd = open(name, n++ < 256 ? O_CREAT | O_RDONLY : O_RDONLY, 0600);
	if (fd < 0 || close(fd) < 0)
		abort();
}

/* Nobody ever writes to the other end. */
static void call_recv(void)
{
	if (recv(ends[0], block, BLOCK, MSG_DONTWAIT) != -1)
		abort();
}

static void call_marker(void)
{
	tacho_region_begin("marked");
	tacho_region_end();
}

/* name, calls of one round, number of intercepted calls by which its time is divided */
static const struct bench {
	const char *name;
	void (*call)(void);
	int ncalls;
} benches[] = { { "iprobe", call_iprobe, 1 }, { "comm_rank", call_rank, 1 },
	{ "allreduce", call_allreduce, 1 }, { "exchange", call_exchange, 3 },
	{ "pread", call_pread, 1 }, { "write", call_write, 1 }, { "open", call_open, 2 },
	{ "recv", call_recv, 1 }, { "marker", call_marker, 2 }, { NULL, NULL, 0 } };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median over the batches of the time per intercepted call; the first batch is not counted. */
static double measure_ns(const struct bench *bench, long count)
{
	double ns[BATCHES];

	for (int batch = -1; batch < BATCHES; batch++) {
		double start;

		MPI_Barrier(MPI_COMM_WORLD);
		start = now_ns();
		for (long i = 0; i < count; i++)
			bench->call();
		if (batch >= 0)
			ns[batch] = (now_ns() - start) / count / bench->ncalls;
	}
	qsort(ns, BATCHES, sizeof(*ns), compare);
	return ns[BATCHES / 2];
}

static int open_file(void)
{
	char path[] = "tacho-bench-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, block, BLOCK) != BLOCK) {
		perror("calls: a file in the current folder");
		return -1;
	}
	unlink(path);
	return fd;
}

/* Starts and awaits `count` times a program that is no part of the job; ns each. */
static int spawn(long count, char **argv)
{
	extern char **environ;
	double start = now_ns();

	for (long i = 0; i < count; i++) {
		pid_t pid;

		if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0)
			return 1;
		waitpid(pid, NULL, 0);
	}
	printf("spawn %.1f\n", (now_ns() - start) / count);
	return 0;
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[2]) : -1;
	int rank, size;

	if (count < 0 || argc < 3 || argv[1][0] != '-') {
		fprintf(stderr, "usage: calls --count N [NAME]... | calls --spawn N PROGRAM\n");
		return 2;
	}
	if (strcmp(argv[1], "--spawn") == 0)
		return spawn(count, argv + 3);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	peer = size - 1 - rank;
	file = open_file();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return 1;
	for (const struct bench *b = benches; count && b->name; b++) {
		int wanted = argc == 3;
		double ns;

		for (int i = 3; i < argc; i++)
			wanted |= strcmp(argv[i], b->name) == 0;
		if (!wanted)
			continue;
		ns = measure_ns(b, count);
		if (rank == 0)
			printf("%s %.2f\n", b->name, ns);
	}
	MPI_Finalize();
	return 0;
}
