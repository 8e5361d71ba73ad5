/*
 * nccl_graph.c - NCCL in CUDA graphs: calls of all kinds are captured once, the graphs launched
 * several times, with other calls and graphs between. Prints what the trace must contain:
 *
 *	nccl_graph RANK SIZE FOLDER [FIRST LAST]
 *
 * RANK of SIZE processes, a device each; the unique id passes through FOLDER/id. With FIRST and
 * LAST only what is done in these steps is printed. A line per operation:
 *
 *	comm NAME rank R OP bytes N seq|peer K
 */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tacho.h"

#define COUNT 600

enum { WORLD, TWIN, COMMS };
static const char *const names[COMMS] = { "world", "twin" };

static int rank, size, step, first, last = 1 << 30;
static ncclComm_t comms[COMMS];
static cudaStream_t stream;
static float *from, *to;
static int seq[COMMS], nmessages;

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "nccl_graph rank %d: %s: %s\n", rank, what, why);
	exit(1);
}

#define NCCL(call)                                                                                 \
	do {                                                                                       \
		ncclResult_t result_ = (call);                                                     \
		if (result_ != ncclSuccess)                                                        \
			fail(#call, ncclGetErrorString(result_));                                  \
	} while (0)
#define CUDA(call)                                                                                 \
	do {                                                                                       \
		cudaError_t result_ = (call);                                                      \
		if (result_ != cudaSuccess)                                                        \
			fail(#call, cudaGetErrorString(result_));                                  \
	} while (0)

static void id_share(const char *folder, ncclUniqueId *id)
{
	char path[512], work[520];
	FILE *file;

	snprintf(path, sizeof(path), "%s/id", folder);
	snprintf(work, sizeof(work), "%s.tmp", path);
	if (rank == 0) {
		NCCL(ncclGetUniqueId(id));
		file = fopen(work, "w");
		if (!file || fwrite(id, sizeof(*id), 1, file) != 1 || fclose(file) ||
			rename(work, path))
			fail("the id", "cannot be written");
		return;
	}
	for (int i = 0; i < 3000; i++, usleep(10000)) {
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fread(id, sizeof(*id), 1, file) != 1)
			fail("the id", "cannot be read");
		fclose(file);
		return;
	}
	fail("the id", "is not there");
}

/* An operation that is carried out now. */
static void say(int comm, const char *op, size_t bytes, int peer)
{
	int number = peer >= 0 ? nmessages : seq[comm]++;

	if (step < first || step > last)
		return;
	printf("comm %s rank %d %s bytes %zu %s %d\n", names[comm], rank, op, bytes,
		peer >= 0 ? "peer" : "seq", peer >= 0 ? peer : number);
}

static int next(void)
{
	return (rank + 1) % size;
}
static int before(void)
{
	return (rank + size - 1) % size;
}

/* What a graph's launch carries out: the same calls are made to capture it. */
struct graph {
	void (*calls)(void);
	void (*tell)(void);
	cudaGraphExec_t exec;
};

static void mixed_calls(void)
{
	NCCL(ncclAllReduce(from, to, COUNT, ncclFloat, ncclSum, comms[WORLD], stream));
	/* fused into one kernel */
	NCCL(ncclGroupStart());
	for (int k = 0; k < 3; k++)
		NCCL(ncclAllReduce(from, to, (size_t)(100 << k), ncclFloat, ncclSum, comms[WORLD],
			stream));
	NCCL(ncclGroupEnd());
	/* a ring of messages in one kernel */
	NCCL(ncclGroupStart());
	NCCL(ncclSend(from, 100, ncclFloat, next(), comms[WORLD], stream));
	NCCL(ncclRecv(to, 100, ncclFloat, before(), comms[WORLD], stream));
	NCCL(ncclGroupEnd());
	/* a kernel for each of two communicators */
	NCCL(ncclGroupStart());
	NCCL(ncclAllReduce(from, to, 50, ncclFloat, ncclMax, comms[TWIN], stream));
	NCCL(ncclBroadcast(from, to, 70, ncclFloat, 0, comms[WORLD], stream));
	NCCL(ncclGroupEnd());
}

static void mixed_tell(void)
{
	say(WORLD, "allreduce", COUNT * 4, -1);
	for (int k = 0; k < 3; k++)
		say(WORLD, "allreduce", (size_t)(400 << k), -1);
	say(WORLD, "send", 400, next());
	say(WORLD, "recv", 400, before());
	say(TWIN, "allreduce", 200, -1);
	say(WORLD, "broadcast", 280, -1);
}

static void small_calls(void)
{
	NCCL(ncclReduce(from, to, 10, ncclFloat, ncclSum, 0, comms[WORLD], stream));
}

static void small_tell(void)
{
	say(WORLD, "reduce", 40, -1);
}

static void eager(size_t count)
{
	NCCL(ncclAllReduce(from, to, count, ncclFloat, ncclSum, comms[WORLD], stream));
	say(WORLD, "allreduce", count * 4, -1);
}

static void capture(struct graph *graph)
{
	cudaGraph_t captured;

	CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	graph->calls();
	CUDA(cudaStreamEndCapture(stream, &captured));
	CUDA(cudaGraphInstantiate(&graph->exec, captured, 0));
	CUDA(cudaGraphDestroy(captured));
}

static void launch(const struct graph *graph)
{
	CUDA(cudaGraphLaunch(graph->exec, stream));
	graph->tell();
}

static void step_do(struct graph *mixed, struct graph *small)
{
	if (step == 0)
		capture(mixed);
	eager(20);
	launch(mixed);
	if (step == 1) { /* a handle may be used again, for other calls */
		CUDA(cudaStreamSynchronize(stream));
		CUDA(cudaGraphExecDestroy(small->exec));
		small->exec = NULL;
	}
	if (step == 0 || step == 1)
		capture(small);
	launch(small);
	eager(30);
	launch(mixed);
	launch(small);
	CUDA(cudaStreamSynchronize(stream));
}

/* All sums of the ring are as they were reported. */
static void check(void)
{
	float got;

	eager(5);
	CUDA(cudaStreamSynchronize(stream));
	CUDA(cudaMemcpy(&got, to, sizeof(got), cudaMemcpyDeviceToHost));
	if (got != (float)(size * (size + 1) / 2))
		fail("the last sum", "is wrong");
}

int main(int argc, char **argv)
{
	struct graph mixed = { mixed_calls, mixed_tell, NULL },
		     small = { small_calls, small_tell, NULL };
	float value;
	ncclUniqueId id;

	if (argc != 4 && argc != 6)
		return 2;
	rank = atoi(argv[1]);
	size = atoi(argv[2]);
	if (argc == 6) {
		first = atoi(argv[4]);
		last = atoi(argv[5]);
	}
	CUDA(cudaSetDevice(0));
	CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CUDA(cudaMalloc((void **)&from, COUNT * sizeof(float)));
	CUDA(cudaMalloc((void **)&to, COUNT * sizeof(float)));
	CUDA(cudaMemset(from, 0, COUNT * sizeof(float)));
	value = (float)(rank + 1);
	CUDA(cudaMemcpy(from, &value, sizeof(value), cudaMemcpyHostToDevice));
	id_share(argv[3], &id);
	NCCL(ncclCommInitRank(&comms[WORLD], size, id, rank));
	NCCL(ncclCommSplit(comms[WORLD], 0, rank, &comms[TWIN], NULL));
	for (step = 0; step < 4; step++) {
		tacho_step_begin(step);
		step_do(&mixed, &small);
		if (step == 3)
			check();
		tacho_step_end(1);
	}
	CUDA(cudaGraphExecDestroy(mixed.exec));
	CUDA(cudaGraphExecDestroy(small.exec));
	for (int i = COMMS; i-- > 0;)
		NCCL(ncclCommDestroy(comms[i]));
	return 0;
}
