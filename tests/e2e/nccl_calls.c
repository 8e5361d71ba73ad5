/*
 * nccl_calls.c - every collective of NCCL, messages, groups, splits, on one or
 * several devices per process; checks the results and prints what the trace
 * must contain:
 *
 *	nccl_calls RANK SIZE FOLDER DEVICES MODE
 *
 * RANK of SIZE processes, each with DEVICES devices; ranks of NCCL are numbered
 * process by process. The unique id passes through FOLDER/id. MODE: linked
 * (calls go through the linker), dlsym (NCCL is loaded with RTLD_LOCAL and
 * every function looked up), all (one process, ncclCommInitAll), careful (a
 * communicator that does not block, and calls that are refused).
 *
 * A line per call: comm NAME rank R OP bytes N seq|peer K [group]
 */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nccl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT	    1000
#define DEVICES_MAX 4

#define FUNCTIONS(F)                                                                               \
	F(ncclGetUniqueId)                                                                         \
	F(ncclCommInitRank)                                                                        \
	F(ncclCommInitAll)                                                                         \
	F(ncclCommInitRankConfig)                                                                  \
	F(ncclCommSplit)                                                                           \
	F(ncclCommDestroy)                                                                         \
	F(ncclGroupStart)                                                                          \
	F(ncclGroupEnd)                                                                            \
	F(ncclAllReduce)                                                                           \
	F(ncclBroadcast)                                                                           \
	F(ncclBcast)                                                                               \
	F(ncclReduce)                                                                              \
	F(ncclAllGather)                                                                           \
	F(ncclReduceScatter)                                                                       \
	F(ncclAlltoAll)                                                                            \
	F(ncclGather)                                                                              \
	F(ncclScatter)                                                                             \
	F(ncclSend)                                                                                \
	F(ncclRecv)                                                                                \
	F(ncclCommCount)                                                                           \
	F(ncclCommUserRank)                                                                        \
	F(ncclGetErrorString)                                                                      \
	F(ncclCommGetAsyncError)                                                                   \
	F(ncclGroupSimulateEnd)                                                                    \
	F(ncclMemAlloc)                                                                            \
	F(ncclMemFree)                                                                             \
	F(ncclCommRegister)                                                                        \
	F(ncclCommDeregister)                                                                      \
	F(ncclCommFinalize)

static struct {
#define F(name) __typeof__(&name) name;
	FUNCTIONS(F)
#undef F
} nccl;

static int rank, size, ndevices;
static struct member {
	ncclComm_t comm;
	cudaStream_t stream;
	float *send, *recv;
	int rank;
} members[DEVICES_MAX];

static void fail(const char *what)
{
	fprintf(stderr, "nccl_calls rank %d: %s\n", rank, what);
	exit(1);
}

/* What a communicator that does not block has begun is done. */
static void settle(ncclComm_t comm)
{
	ncclResult_t state = ncclInProgress;

	for (int i = 0; comm && state == ncclInProgress && i < 30000; i++, usleep(1000))
		if (nccl.ncclCommGetAsyncError(comm, &state) != ncclSuccess)
			fail("ncclCommGetAsyncError");
	if (comm && state != ncclSuccess)
		fail(nccl.ncclGetErrorString(state));
}

static void must(ncclResult_t result, const char *what)
{
	if (result == ncclInProgress) {
		settle(members[0].comm);
		return;
	}
	if (result != ncclSuccess) {
		fprintf(stderr, "%s: %s\n", what, nccl.ncclGetErrorString(result));
		fail(what);
	}
}
#define NCCL(call) must(nccl.call, #call)

static void cuda(cudaError_t result, const char *what)
{
	if (result != cudaSuccess)
		fail(what);
}
#define CUDA(call) cuda(call, #call)

static void functions_find(const char *mode)
{
	void *library;

	if (strcmp(mode, "dlsym") != 0) {
#define F(name) nccl.name = name;
		FUNCTIONS(F)
#undef F
		return;
	}
	library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail(dlerror());
#define F(name) nccl.name = (__typeof__(&name))dlsym(library, #name);
	FUNCTIONS(F)
#undef F
}

/* The unique id of the first rank, through a file. */
static void id_share(const char *folder, const char *name, ncclUniqueId *id)
{
	char path[512], work[520];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(work, sizeof(work), "%s.tmp", path);
	if (rank == 0) {
		NCCL(ncclGetUniqueId(id));
		file = fopen(work, "w");
		if (!file || fwrite(id, sizeof(*id), 1, file) != 1 || fclose(file) ||
			rename(work, path))
			fail("cannot write the id");
		return;
	}
	for (int i = 0; i < 3000; i++, usleep(10000)) {
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fread(id, sizeof(*id), 1, file) != 1)
			fail("cannot read the id");
		fclose(file);
		return;
	}
	fail("there is no id");
}

static void fill(struct member *m, int n)
{
	float *host = malloc((size_t)n * sizeof(*host));

	for (int i = 0; i < n; i++)
		host[i] = (float)(m->rank + 1) + (float)(i % 7);
	CUDA(cudaMemcpy(m->send, host, (size_t)n * sizeof(*host), cudaMemcpyHostToDevice));
	free(host);
}

static float value(int of, int i)
{
	return (float)(of + 1) + (float)(i % 7);
}

static void expect(struct member *m, int i, float wanted, const char *what)
{
	float got;

	CUDA(cudaStreamSynchronize(m->stream));
	CUDA(cudaMemcpy(&got, m->recv + i, sizeof(got), cudaMemcpyDeviceToHost));
	if (got != wanted) {
		fprintf(stderr, "%s: element %d is %g, not %g\n", what, i, (double)got,
			(double)wanted);
		fail(what);
	}
}

static int seq[4]; /* per communicator: world, half, pair… */

static void say(const char *comm, int of, const char *op, size_t bytes, int number,
	const char *group)
{
	printf("comm %s rank %d %s bytes %zu seq %d%s\n", comm, of, op, bytes, number, group);
}

/* One collective on all own devices, in a group where there are several. */
#define EACH(op, bytes, call)                                                                      \
	do {                                                                                       \
		if (ndevices > 1)                                                                  \
			NCCL(ncclGroupStart());                                                    \
		for (int d = 0; d < ndevices; d++) {                                               \
			struct member *m = &members[d];                                            \
                                                                                                   \
			CUDA(cudaSetDevice(d));                                                    \
			NCCL(call);                                                                \
			say("world", m->rank, op, bytes, seq[0], ndevices > 1 ? " group" : "");    \
		}                                                                                  \
		if (ndevices > 1)                                                                  \
			NCCL(ncclGroupEnd());                                                      \
		seq[0]++;                                                                          \
	} while (0)

static void collectives(int total)
{
	int root = total - 1, share = 10;

	EACH("allreduce", COUNT * 4,
		ncclAllReduce(m->send, m->recv, COUNT, ncclFloat, ncclSum, m->comm, m->stream));
	for (int d = 0; d < ndevices; d++)
		for (int i = 0; i < COUNT; i += 111)
			expect(&members[d], i, (float)(total * (total + 1) / 2 + total * (i % 7)),
				"allreduce");
	EACH("broadcast", COUNT * 4,
		ncclBroadcast(m->send, m->recv, COUNT, ncclFloat, root, m->comm, m->stream));
	for (int d = 0; d < ndevices; d++)
		expect(&members[d], 999, value(root, 999), "broadcast");
	EACH("broadcast", 40, ncclBcast(m->recv, 10, ncclFloat, 0, m->comm, m->stream));
	for (int d = 0; d < ndevices; d++)
		expect(&members[d], 5, value(root, 5), "bcast");
	EACH("reduce", COUNT * 4,
		ncclReduce(m->send, m->recv, COUNT, ncclFloat, ncclMax, root, m->comm, m->stream));
	for (int d = 0; d < ndevices; d++)
		if (members[d].rank == root)
			expect(&members[d], 8, value(root, 8), "reduce");
	EACH("allgather", (size_t)(share * total * 4),
		ncclAllGather(m->send, m->recv, (size_t)share, ncclFloat, m->comm, m->stream));
	for (int d = 0; d < ndevices; d++)
		for (int r = 0; r < total; r++)
			expect(&members[d], r * share + 3, value(r, 3), "allgather");
	EACH("reducescatter", (size_t)(share * total * 4),
		ncclReduceScatter(m->send, m->recv, (size_t)share, ncclFloat, ncclSum, m->comm,
			m->stream));
	for (int d = 0; d < ndevices; d++)
		expect(&members[d], 1,
			(float)(total * (total + 1) / 2 +
				total * ((members[d].rank * share + 1) % 7)),
			"reducescatter");
	EACH("alltoall", (size_t)(share * total * 4),
		ncclAlltoAll(m->send, m->recv, (size_t)share, ncclFloat, m->comm, m->stream));
	for (int d = 0; d < ndevices; d++)
		for (int r = 0; r < total; r++)
			expect(&members[d], r * share, value(r, members[d].rank * share),
				"alltoall");
	EACH("gather", (size_t)(share * total * 4),
		ncclGather(m->send, m->recv, (size_t)share, ncclFloat, root, m->comm, m->stream));
	EACH("scatter", (size_t)(share * total * 4),
		ncclScatter(m->send, m->recv, (size_t)share, ncclFloat, root, m->comm, m->stream));
	for (int d = 0; d < ndevices; d++)
		expect(&members[d], 2, value(root, members[d].rank * share + 2), "scatter");
}

/* A ring: each rank sends to the next and receives from the one before, in one group. */
static void messages(int total)
{
	NCCL(ncclGroupStart());
	for (int d = 0; d < ndevices; d++) {
		struct member *m = &members[d];
		int next = (m->rank + 1) % total, before = (m->rank + total - 1) % total;

		CUDA(cudaSetDevice(d));
		NCCL(ncclSend(m->send, 100, ncclFloat, next, m->comm, m->stream));
		NCCL(ncclRecv(m->recv, 100, ncclFloat, before, m->comm, m->stream));
		printf("comm world rank %d send bytes 400 peer %d group\n", m->rank, next);
		printf("comm world rank %d recv bytes 400 peer %d group\n", m->rank, before);
	}
	NCCL(ncclGroupEnd());
	for (int d = 0; d < ndevices; d++)
		expect(&members[d], 50, value((members[d].rank + total - 1) % total, 50), "recv");
}

/* Three sums in one group: fused into one kernel. */
static void fused(void)
{
	NCCL(ncclGroupStart());
	for (int d = 0; d < ndevices; d++) {
		struct member *m = &members[d];

		CUDA(cudaSetDevice(d));
		for (int k = 0; k < 3; k++) {
			NCCL(ncclAllReduce(m->send, m->recv, (size_t)(100 << k), ncclFloat, ncclSum,
				m->comm, m->stream));
			say("world", m->rank, "allreduce", (size_t)(400 << k), seq[0] + k,
				" group");
		}
	}
	NCCL(ncclGroupEnd());
	seq[0] += 3;
}

/* Ranks of equal parity share a communicator, then a split with one rank left out. */
static void splits(int total)
{
	ncclComm_t halves[DEVICES_MAX] = { 0 }, rests[DEVICES_MAX] = { 0 };

	NCCL(ncclGroupStart());
	for (int d = 0; d < ndevices; d++)
		NCCL(ncclCommSplit(members[d].comm, members[d].rank % 2, members[d].rank,
			&halves[d], NULL));
	NCCL(ncclGroupEnd());
	NCCL(ncclGroupStart());
	for (int d = 0; d < ndevices; d++)
		NCCL(ncclCommSplit(members[d].comm, members[d].rank ? 0 : NCCL_SPLIT_NOCOLOR,
			-members[d].rank, &rests[d], NULL));
	NCCL(ncclGroupEnd());
	NCCL(ncclGroupStart());
	for (int d = 0; d < ndevices; d++) {
		struct member *m = &members[d];
		int mine = 0, n = 0;

		CUDA(cudaSetDevice(d));
		NCCL(ncclCommUserRank(halves[d], &mine));
		NCCL(ncclAllReduce(m->send, m->recv, 64, ncclFloat, ncclSum, halves[d], m->stream));
		say(m->rank % 2 ? "odd" : "even", mine, "allreduce", 256, 0, " group");
		if (m->rank == 0)
			continue;
		NCCL(ncclCommUserRank(rests[d], &mine));
		NCCL(ncclCommCount(rests[d], &n));
		if (n != total - 1 || mine != total - 1 - m->rank)
			fail("the order of a split is not by key");
		NCCL(ncclAllReduce(m->send, m->recv + 512, 32, ncclFloat, ncclSum, rests[d],
			m->stream));
		say("rest", mine, "allreduce", 128, 0, " group");
	}
	NCCL(ncclGroupEnd());
	for (int d = 0; d < ndevices; d++) {
		settle(halves[d]);
		settle(rests[d]);
	}
	for (int d = 0; d < ndevices; d++) {
		CUDA(cudaSetDevice(d));
		CUDA(cudaStreamSynchronize(members[d].stream));
		NCCL(ncclCommDestroy(halves[d]));
		if (rests[d])
			NCCL(ncclCommDestroy(rests[d]));
	}
}

/* A communicator that is made behind the program's back. */
static void comm_make_careful(const ncclUniqueId *id)
{
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	ncclResult_t state;

	config.blocking = 0;
	state = nccl.ncclCommInitRankConfig(&members[0].comm, size, *id, rank, &config);
	for (int i = 0; state == ncclInProgress && i < 3000; i++, usleep(10000))
		NCCL(ncclCommGetAsyncError(members[0].comm, &state));
	must(state, "ncclCommInitRankConfig");
}

/* A call that NCCL refuses is no operation: the numbers of the others continue without it. */
static void refused(int total)
{
	ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
	struct member *m = &members[0];
	void *memory, *handle;

	/* a group that is not carried out is over as well */
	NCCL(ncclGroupStart());
	NCCL(ncclGroupSimulateEnd(&info));
	NCCL(ncclMemAlloc(&memory, 4096));
	NCCL(ncclCommRegister(m->comm, memory, 4096, &handle));
	NCCL(ncclCommDeregister(m->comm, handle));
	NCCL(ncclMemFree(memory));

	if (nccl.ncclAllReduce(m->send, m->recv, 10, (ncclDataType_t)99, ncclSum, m->comm,
		    m->stream) != ncclInvalidArgument)
		fail("a type that there is not was taken");
	if (nccl.ncclBroadcast(m->send, m->recv, 10, ncclFloat, total, m->comm, m->stream) !=
		ncclInvalidArgument)
		fail("a root that there is not was taken");
}

static void comms_make(const char *folder, const char *mode)
{
	ncclComm_t comms[DEVICES_MAX];
	ncclUniqueId id;

	if (!strcmp(mode, "all")) {
		NCCL(ncclCommInitAll(comms, ndevices, NULL));
		for (int d = 0; d < ndevices; d++)
			members[d].comm = comms[d];
		return;
	}
	id_share(folder, "id", &id);
	if (!strcmp(mode, "careful")) {
		comm_make_careful(&id);
		return;
	}
	if (ndevices > 1)
		NCCL(ncclGroupStart());
	for (int d = 0; d < ndevices; d++) {
		CUDA(cudaSetDevice(d));
		NCCL(ncclCommInitRank(&members[d].comm, size * ndevices, id, rank * ndevices + d));
	}
	if (ndevices > 1)
		NCCL(ncclGroupEnd());
}

int main(int argc, char **argv)
{
	int total;

	if (argc != 6)
		return 2;
	rank = atoi(argv[1]);
	size = atoi(argv[2]);
	ndevices = atoi(argv[4]);
	total = size * ndevices;
	functions_find(argv[5]);
	for (int d = 0; d < ndevices; d++) {
		CUDA(cudaSetDevice(d));
		CUDA(cudaStreamCreateWithFlags(&members[d].stream, cudaStreamNonBlocking));
		CUDA(cudaMalloc((void **)&members[d].send, COUNT * sizeof(float)));
		CUDA(cudaMalloc((void **)&members[d].recv, COUNT * sizeof(float)));
		members[d].rank = rank * ndevices + d;
		fill(&members[d], COUNT);
	}
	comms_make(argv[3], argv[5]);
	collectives(total);
	messages(total);
	if (!strcmp(argv[5], "careful"))
		refused(total);
	fused();
	if (total > 1)
		splits(total);
	for (int d = 0; d < ndevices; d++) {
		CUDA(cudaSetDevice(d));
		CUDA(cudaStreamSynchronize(members[d].stream));
		NCCL(ncclCommFinalize(members[d].comm));
		NCCL(ncclCommDestroy(members[d].comm));
	}
	return 0;
}
