/*
 * death_load.c - an MPI program to be killed. Each rank counts in a shared
 * file, outside the process, which calls it has begun and which have
 * returned, so that a test knows the bounds of the trace:
 *
 *	returned <= calls in the trace <= begun
 *
 * usage: death_load COUNTERS DATA SECONDS [fast]
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tacho.h"

#define MAX_RANKS 64

#define CALLS(CALL)                                                                                \
	CALL(MPI_Allreduce)                                                                        \
	CALL(MPI_Iprobe)                                                                           \
	CALL(MPI_Send)                                                                             \
	CALL(MPI_Recv)                                                                             \
	CALL(MPI_Isend)                                                                            \
	CALL(MPI_Irecv)                                                                            \
	CALL(MPI_Waitall)                                                                          \
	CALL(pread)                                                                                \
	CALL(pwrite)

#define CALL(name) COUNT_##name,
enum { CALLS(CALL) NCALLS };
#undef CALL
#define CALL(name) #name,
static const char *const names[] = { CALLS(CALL) };
#undef CALL

struct counters {
	_Atomic int64_t pid;
	struct {
		_Atomic uint64_t begun, returned;
	} call[NCALLS];
};

static struct counters *own;
static int nap_us = 100; /* a few thousand steps a second are enough to be killed in */

#define COUNTED(name, ...)                                                                         \
	do {                                                                                       \
		atomic_fetch_add(&own->call[COUNT_##name].begun, 1);                               \
		if ((name)(__VA_ARGS__) < 0)                                                       \
			perror(#name);                                                             \
		atomic_fetch_add(&own->call[COUNT_##name].returned, 1);                            \
	} while (0)

static struct counters *counters_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *map;

	if (fd < 0 || ftruncate(fd, MAX_RANKS * sizeof(struct counters)) < 0)
		return NULL;
	map = mmap(NULL, MAX_RANKS * sizeof(struct counters), PROT_READ | PROT_WRITE, MAP_SHARED,
		fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* `death_load COUNTERS` alone prints the counters: "rank pid call begun returned", a line each. */
static int counters_print(const char *path)
{
	struct counters *all = counters_map(path);

	if (!all)
		return 1;
	for (int r = 0; r < MAX_RANKS && all[r].pid; r++)
		for (int c = 0; c < NCALLS; c++)
			printf("%d %lld %s %llu %llu\n", r, (long long)all[r].pid, names[c],
				(unsigned long long)all[r].call[c].begun,
				(unsigned long long)all[r].call[c].returned);
	return 0;
}

static void step(int rank, int size, int fd, int out)
{
	char block[4096] = { 0 }, in[64], message[64] = "hello";
	int next = (rank + 1) % size, previous = (rank + size - 1) % size, flag;
	double value = rank, sum;
	MPI_Request requests[2];

	COUNTED(pread, fd, block, sizeof(block), 0);
	COUNTED(MPI_Iprobe, MPI_ANY_SOURCE, 4711, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	COUNTED(MPI_Irecv, in, 64, MPI_CHAR, previous, 1, MPI_COMM_WORLD, &requests[0]);
	COUNTED(MPI_Isend, message, 64, MPI_CHAR, next, 1, MPI_COMM_WORLD, &requests[1]);
	COUNTED(MPI_Waitall, 2, requests, MPI_STATUSES_IGNORE);
	if (rank % 2 == 0 && next != rank)
		COUNTED(MPI_Send, message, 64, MPI_CHAR, next, 2, MPI_COMM_WORLD);
	if (previous != rank && previous % 2 == 0)
		COUNTED(MPI_Recv, in, 64, MPI_CHAR, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	COUNTED(pwrite, out, block, 512, 0); /* not write: MPI itself writes to pipes */
	COUNTED(MPI_Allreduce, &value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (nap_us)
		usleep(nap_us);
}

int main(int argc, char **argv)
{
	int rank, size, fd, out;
	uint64_t n = 0;
	double end;

	if (argc == 2)
		return counters_print(argv[1]);
	if (argc < 4)
		return 2;
	if (argc > 4)
		nap_us = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	own = counters_map(argv[1]);
	fd = open(argv[2], O_RDONLY);
	out = open("/dev/null", O_WRONLY);
	if (!own || fd < 0 || out < 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	own += rank;
	own->pid = getpid();
	end = MPI_Wtime() + atof(argv[3]);
	tacho_phase_begin("train");
	for (int go = 1; go; n++) {
		tacho_step_begin(n);
		step(rank, size, fd, out);
		tacho_step_end(1);
		if (n % 64 == 0) {
			go = MPI_Wtime() < end;
			MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
		}
	}
	tacho_phase_end();
	MPI_Finalize();
	return 0;
}
