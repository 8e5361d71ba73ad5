/*
 * nccl_ops.c - operations of the stand-in for NCCL: calls collect tasks, and the outermost group
 * end puts one kernel per communicator on a stream (nccl_kernel.c).
 */
#include <stdlib.h>
#include <string.h>

#include "nccl_standin.h"
#include "standin.h"
#include "stream.h"

const char *const function_names[FUNCTION_COUNT] = {
	"Broadcast",
	"Reduce",
	"AllGather",
	"ReduceScatter",
	"AllReduce",
	"AlltoAll",
	"Gather",
	"Scatter",
	"Send",
	"Recv",
};

__thread struct group nccl_group;

/* The names that NCCL 2.28 gives its kernels, as its compiler mangles them. */
static const char *kernel_name(const struct task *t)
{
	static const char *const names[FUNCTION_COUNT][2] = {
#define NAME(n, text) "_Z" #n text "24ncclDevKernelArgsStorageILm4096EE"
		[FUNCTION_BROADCAST] = { NAME(31, "ncclDevKernel_Broadcast_RING_LL"), NULL },
		[FUNCTION_REDUCE] = { NAME(36, "ncclDevKernel_Reduce_Sum_f32_RING_LL"),
			NAME(36, "ncclDevKernel_Reduce_Sum_f16_RING_LL") },
		[FUNCTION_ALLGATHER] = { NAME(31, "ncclDevKernel_AllGather_RING_LL"), NULL },
		[FUNCTION_REDUCESCATTER] = { NAME(43,
						     "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL"),
			NAME(43, "ncclDevKernel_ReduceScatter_Sum_f16_RING_LL") },
		[FUNCTION_ALLREDUCE] = { NAME(39, "ncclDevKernel_AllReduce_Sum_f32_RING_LL"),
			NAME(39, "ncclDevKernel_AllReduce_Sum_f16_RING_LL") },
		[FUNCTION_SEND] = { NAME(22, "ncclDevKernel_SendRecv"), NULL },
#undef NAME
	};
	const char *name = names[t->function][t->type == ncclFloat16 && names[t->function][1]];

	return name ? name : names[FUNCTION_SEND][0];
}

/* Takes the tasks of the first one's communicator out of the group. */
static struct kernel *kernel_take(struct task **tasks)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));
	struct task **into, *task;

	if (!kernel)
		return NULL;
	kernel->comm = (*tasks)->comm;
	into = &kernel->tasks;
	while ((task = *tasks)) {
		if (task->comm != kernel->comm) {
			tasks = &task->next;
			continue;
		}
		*tasks = task->next;
		task->next = NULL;
		*into = task;
		into = &task->next;
	}
	return kernel;
}

static bool is_capturing(void *stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	return cuStreamIsCapturing((CUstream)stream, &status) == CUDA_SUCCESS &&
		status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

/* `stream` waits for what `other` has got so far. */
static void stream_join(void *stream, void *other)
{
	CUevent event;

	if (stream == other || cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
		return;
	cuEventRecord(event, (CUstream)other);
	cuStreamWaitEvent((CUstream)stream, event, 0);
	cuEventDestroy(event);
}

/*
 * What the profiler plugin learns after the launch: by then the kernel may have freed its tasks.
 */
static struct task *tasks_copy(const struct task *task)
{
	struct task *copy = NULL, **into = &copy;

	for (; task; task = task->next) {
		*into = malloc(sizeof(**into));
		if (!*into)
			break;
		**into = *task;
		(*into)->next = NULL;
		into = &(*into)->next;
	}
	return copy;
}

/*
 * Where STANDIN_NCCL_COPIES is set: the bytes that an all-gather moves to another member by the
 * copy engines, which needs no kernel (NCCL 2.28 and later: ncclCeAllGather in ce_coll.cc).
 */
static uint64_t copied_bytes(const struct kernel *kernel)
{
	const struct task *t = kernel->tasks;

	return plugin_is_by_copies(t) && !t->next ? t->count * type_size(t->type) : 0;
}

/* On the first task's stream, which the others wait for and which waits for them, as with NCCL. */
static ncclResult_t kernel_launch(struct kernel *kernel)
{
	struct ncclComm *comm = kernel->comm;
	struct task *reported = tasks_copy(kernel->tasks);
	void *stream = kernel->tasks->stream, *event;
	struct standin_work work = {
		.name = kernel_name(kernel->tasks),
		.run = kernel_run,
		.release = kernel_release,
		.arg = kernel,
		.grid = { 2, 1, 1 },
		.block = { 544, 1, 1 },
	};
	CUcontext before = standin_context_peek();
	ncclResult_t ret = ncclSuccess;

	standin_context_set(standin_primary(standin_device(comm->device)));
	for (struct task *t = reported; t; t = t->next)
		stream_join(stream, t->stream);
	kernel->is_captured = is_capturing(stream);
	if (!kernel->is_captured)
		kernel->ticket = atomic_fetch_add(&comm->next, 1);
	work.copied = copied_bytes(kernel);
	event = plugin_launch_start(comm, stream);
	if (standin_enqueue((cudaStream_t)stream, &work, 1) != 0)
		ret = ncclUnhandledCudaError;
	/* a copy to each further member: as long as one that moves nothing takes */
	work.run = work.release = NULL;
	for (int i = 2; i < comm->size && work.copied && !ret; i++)
		if (standin_enqueue((cudaStream_t)stream, &work, 1) != 0)
			ret = ncclUnhandledCudaError;
	plugin_launch_stop(event);
	plugin_tasks(comm, reported);
	for (struct task *t = reported; t; t = t->next)
		stream_join(t->stream, stream);
	tasks_free(reported);
	standin_context_set(before);
	return ret;
}

static ncclResult_t tasks_launch(struct task *tasks)
{
	ncclResult_t ret = ncclSuccess, one;

	while (tasks) {
		struct kernel *kernel = kernel_take(&tasks);

		if (!kernel)
			return ncclSystemError;
		one = kernel_launch(kernel);
		ret = ret ? ret : one;
	}
	return ret;
}

/* A group of communicators that do not block, as NCCL's thread carries it out. */
struct job {
	struct task *tasks;
	size_t ncomms;
	struct ncclComm *comms[];
};

static void *job_run(void *arg)
{
	struct job *job = arg;
	ncclResult_t ret = tasks_launch(job->tasks);

	for (size_t i = 0; i < job->ncomms; i++)
		atomic_store(&job->comms[i]->state, ret);
	free(job);
	return NULL;
}

static ncclResult_t job_start(struct task *tasks)
{
	struct job *job;
	pthread_t thread;
	size_t n = 0;

	for (struct task *t = tasks; t; t = t->next)
		n++;
	job = calloc(1, sizeof(*job) + n * sizeof(job->comms[0]));
	if (!job)
		return ncclSystemError;
	job->tasks = tasks;
	for (struct task *t = tasks; t; t = t->next) {
		atomic_store(&t->comm->state, ncclInProgress);
		job->comms[job->ncomms++] = t->comm;
	}
	if (pthread_create(&thread, NULL, job_run, job) != 0)
		return ncclSystemError;
	pthread_detach(thread);
	return ncclInProgress;
}

static ncclResult_t group_launch(void)
{
	struct task *tasks = nccl_group.tasks;

	nccl_group.tasks = NULL;
	nccl_group.last = NULL;
	return tasks && !tasks->comm->blocking ? job_start(tasks) : tasks_launch(tasks);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclGroupStart(void)
{
	nccl_group.depth++;
	return ncclSuccess;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclGroupEnd(void)
{
	struct making *makings = nccl_group.makings;
	ncclResult_t ret = ncclSuccess, launched;

	if (!nccl_group.depth)
		return ncclInvalidUsage;
	if (--nccl_group.depth)
		return ncclSuccess;
	nccl_group.makings = NULL;
	if (makings)
		ret = makings_run(makings);
	if (nccl_group.failed) {
		tasks_free(nccl_group.tasks);
		nccl_group.tasks = NULL;
		nccl_group.last = NULL;
		nccl_group.failed = false;
		ret = ncclInvalidArgument;
	}
	launched = group_launch();
	plugin_group_end();
	return ret ? ret : launched;
}

NCCL_STANDIN_EXPORT ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t *info)
{
	tasks_free(nccl_group.tasks);
	nccl_group.tasks = NULL;
	nccl_group.last = NULL;
	nccl_group.depth = 0;
	if (info)
		info->estimatedTime = 1.0f;
	plugin_group_end();
	return ncclSuccess;
}

static ncclResult_t check(const struct task *t)
{
	bool reduces = t->function == FUNCTION_ALLREDUCE || t->function == FUNCTION_REDUCE ||
		t->function == FUNCTION_REDUCESCATTER;

	if (!t->comm || !type_size(t->type) || (reduces && !reduce_can(t->type)))
		return ncclInvalidArgument;
	if (t->peer < -1 || t->peer >= t->comm->size)
		return ncclInvalidArgument;
	if (t->comm->state != ncclSuccess)
		return ncclInvalidArgument;
	return t->comm->aborted ? ncclInvalidUsage : ncclSuccess;
}

/* The steps of every call: a task for the group, and a new group where there is none. */
static ncclResult_t call(struct task task)
{
	ncclResult_t ret = check(&task);
	struct task *kept;

	if (ret != ncclSuccess) {
		nccl_group.failed = nccl_group.depth > 0;
		return ret;
	}
	kept = malloc(sizeof(*kept));
	if (!kept)
		return ncclSystemError;
	ncclGroupStart();
	plugin_group_start(task.comm);
	task.events = plugin_events();
	task.api_event = plugin_call_start(&task);
	*kept = task;
	kept->next = NULL;
	if (!nccl_group.last)
		nccl_group.last = &nccl_group.tasks;
	*nccl_group.last = kept;
	nccl_group.last = &kept->next;
	plugin_call_stop(task.api_event);
	return ncclGroupEnd();
}

#define TASK(name, other, ...)                                                                     \
	call((struct task){ .function = FUNCTION_##name,                                           \
		.peer = other,                                                                     \
		.comm = comm,                                                                      \
		.stream = stream,                                                                  \
		__VA_ARGS__ })

NCCL_STANDIN_EXPORT ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count,
	ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	return TASK(ALLREDUCE, -1, .send = send, .recv = recv, .count = count, .type = type,
		.op = op);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclReduce(const void *send, void *recv, size_t count,
	ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
	return TASK(REDUCE, root, .send = send, .recv = recv, .count = count, .type = type,
		.op = op);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count,
	ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream)
{
	return TASK(BROADCAST, root, .send = send, .recv = recv, .count = count, .type = type);
}

/* Through the public symbol, as NCCL does: a wrapper of it sees both calls. */
NCCL_STANDIN_EXPORT ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type,
	int root, ncclComm_t comm, cudaStream_t stream)
{
	return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclAllGather(const void *send, void *recv, size_t count,
	ncclDataType_t type, ncclComm_t comm, cudaStream_t stream)
{
	return TASK(ALLGATHER, -1, .send = send, .recv = recv, .count = count, .type = type);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclReduceScatter(const void *send, void *recv, size_t count,
	ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	return TASK(REDUCESCATTER, -1, .send = send, .recv = recv, .count = count, .type = type,
		.op = op);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclAlltoAll(const void *send, void *recv, size_t count,
	ncclDataType_t type, ncclComm_t comm, cudaStream_t stream)
{
	return TASK(ALLTOALL, -1, .send = send, .recv = recv, .count = count, .type = type);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclGather(const void *send, void *recv, size_t count,
	ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream)
{
	return TASK(GATHER, root, .send = send, .recv = recv, .count = count, .type = type);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclScatter(const void *send, void *recv, size_t count,
	ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream)
{
	return TASK(SCATTER, root, .send = send, .recv = recv, .count = count, .type = type);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type,
	int peer, ncclComm_t comm, cudaStream_t stream)
{
	return TASK(SEND, peer, .send = send, .count = count, .type = type);
}

NCCL_STANDIN_EXPORT ncclResult_t ncclRecv(void *recv, size_t count, ncclDataType_t type, int peer,
	ncclComm_t comm, cudaStream_t stream)
{
	return TASK(RECV, peer, .recv = recv, .count = count, .type = type);
}
