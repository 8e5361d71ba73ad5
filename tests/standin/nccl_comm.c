/*
 * nccl_comm.c - communicators of the stand-in for NCCL: how ranks find each
 * other, splits, ends, and the small questions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nccl_standin.h"
#include "standin.h"
#include "stream.h"

#define ID_MAGIC 0x7461636f6e63636cull

struct unique_id {
	uint64_t magic;
	struct address meeting;
	uint64_t noise[2];
};

static uint64_t hash_add(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < n; i++)
		hash = hash * 33 ^ at[i];
	return hash;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
	struct unique_id own = { .magic = ID_MAGIC };
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	own.noise[0] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	own.noise[1] = (uint64_t)getpid();
	memset(id, 0, sizeof(*id));
	if (net_meeting_start(&own.meeting) < 0)
		return ncclSystemError;
	memcpy(id, &own, sizeof(own));
	return ncclSuccess;
}

static struct ncclComm *comm_new(int size, int rank, int device)
{
	struct ncclComm *comm = calloc(1, sizeof(*comm));

	if (!comm)
		return NULL;
	comm->size = size;
	comm->rank = rank;
	comm->device = device;
	comm->blocking = 1;
	comm->state = ncclInProgress;
	pthread_mutex_init(&comm->mutex, NULL);
	pthread_cond_init(&comm->turn, NULL);
	return comm;
}

static void comm_free(struct ncclComm *comm)
{
	plugin_finalize(comm);
	net_close(comm);
	free(comm);
}

static ncclResult_t comm_connect(struct ncclComm *comm, const struct address *meeting)
{
	struct address own, *all = calloc((size_t)comm->size, sizeof(*all));
	int listener = net_listen(&own), ret = -1;

	if (all && listener >= 0 && net_meet(meeting, comm->rank, comm->size, &own, all) == 0)
		ret = net_mesh(comm, listener, all);
	if (listener >= 0)
		close(listener);
	free(all);
	return ret < 0 ? ncclSystemError : ncclSuccess;
}

/* A rank's data in a split. */
struct claim {
	int colour, key, rank;
	struct address address;
};

static int compare_claims(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
				: (x->rank > y->rank) - (x->rank < y->rank);
}

/* The members of a split, ordered by key; fills in rank, size and addresses. */
static ncclResult_t split_connect(struct making *making)
{
	struct ncclComm *parent = making->parent, *comm = making->comm;
	struct claim own = { making->colour, making->key, parent->rank, { 0, 0, 0 } };
	struct claim *all = calloc((size_t)parent->size, sizeof(*all));
	struct address *addresses = calloc((size_t)parent->size, sizeof(*addresses));
	int listener = net_listen(&own.address), ret = -1, n = 0;

	if (all && addresses && listener >= 0)
		ret = net_gather_all(parent, &own, all, sizeof(own));
	for (int i = 0; ret == 0 && i < parent->size; i++)
		if (all[i].colour == own.colour)
			all[n++] = all[i];
	if (ret == 0 && comm) {
		qsort(all, (size_t)n, sizeof(*all), compare_claims);
		comm->size = n;
		for (int i = 0; i < n; i++) {
			addresses[i] = all[i].address;
			if (all[i].rank == parent->rank)
				comm->rank = i;
		}
		ret = net_mesh(comm, listener, addresses);
	}
	if (listener >= 0)
		close(listener);
	free(all);
	free(addresses);
	return ret < 0 ? ncclSystemError : ncclSuccess;
}

static void *making_run(void *arg)
{
	struct making *making = arg;
	struct ncclComm *comm = making->comm;

	making->result = making->parent ? split_connect(making)
					: comm_connect(comm, &making->meeting);
	if (comm && making->result == ncclSuccess)
		plugin_init(comm);
	if (comm)
		atomic_store(&comm->state, making->result);
	return NULL;
}

ncclResult_t makings_run(struct making *makings)
{
	ncclResult_t ret = ncclSuccess;
	pthread_t threads[64];
	int n = 0;

	for (struct making *m = makings; m && n < 64; m = m->next)
		pthread_create(&threads[n++], NULL, making_run, m);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	while (makings) {
		struct making *next = makings->next;

		ret = ret ? ret : makings->result;
		if (makings->made)
			*makings->made = makings->comm;
		free(makings);
		makings = next;
	}
	return ret;
}

static void *making_alone(void *arg)
{
	making_run(arg);
	free(arg);
	return NULL;
}

/*
 * Makes it now, at the end of the group, or, for a communicator that does not block, in a separate
 * thread.
 */
static ncclResult_t make(const struct making *model)
{
	struct making *making = malloc(sizeof(*making));
	pthread_t thread;
	ncclResult_t ret;

	if (!making)
		return ncclSystemError;
	*making = *model;
	if (nccl_group.depth) {
		making->next = nccl_group.makings;
		nccl_group.makings = making;
		return ncclSuccess;
	}
	if (making->made)
		*making->made = making->comm;
	if (making->comm && !making->comm->blocking) {
		pthread_create(&thread, NULL, making_alone, making);
		pthread_detach(thread);
		return ncclInProgress;
	}
	making_run(making);
	ret = making->result;
	free(making);
	return ret;
}

static ncclResult_t init(ncclComm_t *made, int size, const ncclUniqueId *id, int rank, int device,
	const ncclConfig_t *config)
{
	struct making making = { .made = made };
	struct unique_id known;

	memcpy(&known, id, sizeof(known));
	if (known.magic != ID_MAGIC || size < 1 || rank < 0 || rank >= size || device < 0)
		return ncclInvalidArgument;
	making.comm = comm_new(size, rank, device);
	if (!making.comm)
		return ncclSystemError;
	making.comm->hash = hash_add(5381, id, sizeof(*id));
	making.meeting = known.meeting;
	if (config && config->blocking == 0)
		making.comm->blocking = 0;
	if (config && config->commName)
		snprintf(making.comm->name, sizeof(making.comm->name), "%s", config->commName);
	return make(&making);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommInitRankConfig(ncclComm_t *made, int size, ncclUniqueId id,
	int rank, ncclConfig_t *config)
{
	return init(made, size, &id, rank, standin_stream_device(0), config);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommInitRank(ncclComm_t *made, int size, ncclUniqueId id,
	int rank)
{
	return init(made, size, &id, rank, standin_stream_device(0), NULL);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommInitRankScalable(ncclComm_t *made, int size, int rank,
	int nids, ncclUniqueId *ids, ncclConfig_t *config)
{
	return nids < 1 ? ncclInvalidArgument
			: ncclCommInitRankConfig(made, size, ids[0], rank, config);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommInitAll(ncclComm_t *made, int ndevices, const int *devices)
{
	ncclUniqueId id;
	ncclResult_t ret = ncclGetUniqueId(&id);

	if (ret == ncclSuccess)
		ncclGroupStart();
	for (int i = 0; i < ndevices && ret == ncclSuccess; i++)
		ret = init(&made[i], ndevices, &id, i, devices ? devices[i] : i, NULL);
	return ret == ncclSuccess ? ncclGroupEnd() : ret;
}

/* As NCCL has it: of the parent's, the number of the split and the colour. */
static uint64_t child_hash(struct ncclComm *parent, int colour)
{
	uint64_t hash = hash_add(5381, &parent->hash, sizeof(parent->hash));

	parent->nsplits++;
	hash = hash_add(hash, &parent->nsplits, sizeof(parent->nsplits));
	return hash_add(hash, &colour, sizeof(colour));
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommSplit(ncclComm_t comm, int colour, int key,
	ncclComm_t *made, ncclConfig_t *config)
{
	struct making making = { .parent = comm, .colour = colour, .key = key, .made = made };

	(void)config;
	if (!comm || comm->state != ncclSuccess)
		return ncclInvalidArgument;
	*made = NULL;
	if (colour != NCCL_SPLIT_NOCOLOR) {
		making.comm = comm_new(0, 0, comm->device);
		if (!making.comm)
			return ncclSystemError;
		making.comm->hash = child_hash(comm, colour);
		making.comm->blocking = comm->blocking;
	} else {
		comm->nsplits++;
	}
	return make(&making);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
	if (!comm)
		return ncclInvalidArgument;
	comm_drain(comm);
	return ncclSuccess;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
	if (!comm)
		return ncclInvalidArgument;
	comm_drain(comm);
	comm_free(comm);
	return ncclSuccess;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommAbort(ncclComm_t comm)
{
	if (!comm)
		return ncclInvalidArgument;
	atomic_store(&comm->aborted, 1);
	comm_drain(comm);
	comm_free(comm);
	return ncclSuccess;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
	int state = comm->state;

	*error = state != ncclSuccess ? state : atomic_load(&comm->error);
	return ncclSuccess;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
	if (!comm || comm->state != ncclSuccess)
		return ncclInvalidArgument;
	*count = comm->size;
	return ncclSuccess;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
	if (!comm || comm->state != ncclSuccess)
		return ncclInvalidArgument;
	*rank = comm->rank;
	return ncclSuccess;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
	if (!comm || comm->state != ncclSuccess)
		return ncclInvalidArgument;
	*device = comm->device;
	return ncclSuccess;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclGetVersion(int *version)
{
	*version = NCCL_VERSION_CODE;
	return ncclSuccess;
}

NCCL_STANDIN_EXPORT const char *ncclGetErrorString(ncclResult_t result)
{
	static const char *const texts[] = {
		"no error",
		"unhandled cuda error",
		"unhandled system error",
		"internal error",
		"invalid argument",
		"invalid usage",
		"remote process exited or there was a network error",
		"NCCL operation in progress",
	};

	return result >= 0 && result < ncclNumResults ? texts[result] : "unknown result code";
}

NCCL_STANDIN_EXPORT const char *ncclGetLastError(ncclComm_t comm)
{
	(void)comm;
	return "";
}

NCCL_STANDIN_EXPORT ncclResult_t ncclMemAlloc(void **memory, size_t size)
{
	return cuMemAlloc((CUdeviceptr *)memory, size) == CUDA_SUCCESS ? ncclSuccess
								       : ncclUnhandledCudaError;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclMemFree(void *memory)
{
	return cuMemFree((CUdeviceptr)memory) == CUDA_SUCCESS ? ncclSuccess
							      : ncclUnhandledCudaError;
}

/* Nothing is gained by registering memory here. */
NCCL_STANDIN_EXPORT ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buffer, size_t size,
	void **handle)
{
	(void)size;
	*handle = buffer;
	return comm ? ncclSuccess : ncclInvalidArgument;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *handle)
{
	(void)handle;
	return comm ? ncclSuccess : ncclInvalidArgument;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t size,
	ncclWindow_t *window, int flags)
{
	(void)size, (void)flags;
	*window = buffer;
	return comm ? ncclSuccess : ncclInvalidArgument;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window)
{
	(void)window;
	return comm ? ncclSuccess : ncclInvalidArgument;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar,
	ncclDataType_t type, ncclScalarResidence_t residence, ncclComm_t comm)
{
	(void)residence; /* memory of devices is the host's */
	for (int i = 0; i < OPERATORS; i++) {
		if (comm->operators[i].used)
			continue;
		if (type != ncclFloat32 && type != ncclFloat64)
			return ncclInvalidArgument;
		comm->operators[i].used = true;
		comm->operators[i].value = type == ncclFloat32 ? (double)*(float *)scalar
							       : *(double *)scalar;
		*op = (ncclRedOp_t)(ncclNumOps + i);
		return ncclSuccess;
	}
	return ncclInvalidUsage;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
	if ((int)op < ncclNumOps || (int)op >= ncclNumOps + OPERATORS)
		return ncclInvalidArgument;
	comm->operators[(int)op - ncclNumOps].used = false;
	return ncclSuccess;
}
