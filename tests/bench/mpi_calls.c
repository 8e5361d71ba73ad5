/*
 * mpi_calls.c - what libtacho adds to an MPI call, measured inside one
 * process: batches through MPI_x (wrapped) and PMPI_x (not wrapped) alternate,
 * and the median of the batch differences is printed, "NAME NS". So noise that
 * lasts longer than a batch cancels. Preloaded nothing, it prints about 0.
 * usage: mpi_calls [calls per batch [batches]]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_BATCHES = 1000 };

static int rank, size, to, from;
static int number;
static int flag;

#define BOTH(name, body)                                                                           \
	static void name##_wrapped(void)                                                           \
	{                                                                                          \
		body(MPI_)                                                                         \
	}                                                                                          \
	static void name##_bare(void)                                                              \
	{                                                                                          \
		body(PMPI_)                                                                        \
	}

#define IPROBE(P)    P##Iprobe(to, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
#define COMM_RANK(P) P##Comm_rank(MPI_COMM_WORLD, &number);
#define ALLREDUCE(P)                                                                               \
	int in = 1;                                                                                \
	P##Allreduce(&in, &number, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#define SELF_REDUCE(P)                                                                             \
	int in = 1;                                                                                \
	P##Allreduce(&in, &number, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
#define EXCHANGE(P)                                                                                \
	MPI_Request requests[2];                                                                   \
	int out = 1;                                                                               \
	P##Isend(&out, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[0]);                           \
	P##Irecv(&number, 1, MPI_INT, from, 1, MPI_COMM_WORLD, &requests[1]);                      \
	P##Waitall(2, requests, MPI_STATUSES_IGNORE);
#define SELF_EXCHANGE(P)                                                                           \
	MPI_Request requests[2];                                                                   \
	int out = 1;                                                                               \
	P##Irecv(&number, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);                          \
	P##Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);                             \
	P##Waitall(2, requests, MPI_STATUSES_IGNORE);
#define SENDRECV(P)                                                                                \
	int out = 1;                                                                               \
	P##Sendrecv(&out, 1, MPI_INT, to, 1, &number, 1, MPI_INT, from, 1, MPI_COMM_WORLD,         \
		MPI_STATUS_IGNORE);

BOTH(iprobe, IPROBE)
BOTH(comm_rank, COMM_RANK)
BOTH(allreduce, ALLREDUCE)
BOTH(self_reduce, SELF_REDUCE)
BOTH(exchange, EXCHANGE)
BOTH(self_exchange, SELF_EXCHANGE)
BOTH(sendrecv, SENDRECV)

/* name, the two forms, into how many calls their time is divided */
static const struct bench {
	const char *name;
	void (*wrapped)(void), (*bare)(void);
	int ncalls;
} benches[] = { { "iprobe", iprobe_wrapped, iprobe_bare, 1 },
	{ "comm_rank", comm_rank_wrapped, comm_rank_bare, 1 },
	{ "allreduce", allreduce_wrapped, allreduce_bare, 1 },
	{ "allreduce_self", self_reduce_wrapped, self_reduce_bare, 1 },
	{ "exchange", exchange_wrapped, exchange_bare, 3 },
	{ "exchange_self", self_exchange_wrapped, self_exchange_bare, 3 },
	{ "sendrecv", sendrecv_wrapped, sendrecv_bare, 1 }, { NULL, NULL, NULL, 0 } };

static double batch_ns(void (*call)(void), long count)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (long i = 0; i < count; i++)
		call();
	clock_gettime(CLOCK_MONOTONIC, &b);
	return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const struct bench *bench, long count, int batches)
{
	double added[MAX_BATCHES], bare[MAX_BATCHES];

	batch_ns(bench->bare, count);
	batch_ns(bench->wrapped, count);
	for (int i = 0; i < batches; i++) {
		bare[i] = batch_ns(bench->bare, count) / bench->ncalls;
		added[i] = batch_ns(bench->wrapped, count) / bench->ncalls - bare[i];
	}
	qsort(added, batches, sizeof(*added), compare);
	qsort(bare, batches, sizeof(*bare), compare);
	if (rank == 0)
		printf("%-16s %7.1f added to %9.1f ns\n", bench->name, added[batches / 2],
			bare[batches / 2]);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 2000;
	int batches = argc > 2 ? atoi(argv[2]) : 101;

	if (batches < 1 || batches > MAX_BATCHES || count < 1)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	to = (rank + 1) % size;
	from = (rank + size - 1) % size;
	for (const struct bench *bench = benches; bench->name; bench++)
		measure(bench, count, batches);
	MPI_Finalize();
	return 0;
}
