/*
 * nccl_ops.c - operations of the stand-in for NCCL: calls collect tasks, the
 * outermost group end puts one kernel per communicator on a stream, and the
 * kernel carries the tasks out.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nccl_standin.h"
#include "standin.h"
#include "stream.h"

const char *const function_names[FUNCTION_COUNT] = {
	"Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce", "AlltoAll", "Gather",
	"Scatter", "Send", "Recv",
};

__thread struct group nccl_group;

/* The tasks of one communicator in a group, as one kernel. */
struct kernel {
	struct ncclComm *comm;
	struct task *tasks;
	uint32_t ticket;
	bool is_captured;		/* runs once per graph launch, at its turn in the stream */
};

/* ---- carrying out ---- */

static size_t bytes_of(const struct task *t)
{
	return t->count * type_size(t->type);
}

/* Element range that rank `i` sums up. */
static size_t share(const struct task *t, int i)
{
	return t->count * (size_t)i / (size_t)t->comm->size;
}

/*
 * Each rank sums its share of the elements: gets everybody's, adds them in the
 * order of ranks. `where` is the place of share i in everybody's buffer.
 */
static int reduce_shares(const struct task *t, const void *send, void *out, bool is_scattered)
{
	struct ncclComm *comm = t->comm;
	int n = comm->size, ret = -1;
	size_t size = type_size(t->type), total = is_scattered ? t->count * (size_t)n : t->count;
	size_t first = is_scattered ? t->count * (size_t)comm->rank : share(t, comm->rank);
	size_t mine = is_scattered ? t->count : share(t, comm->rank + 1) - first;
	char *own = malloc(total * size + 1), *got = malloc(mine * (size_t)n * size + 1);
	struct part *parts = calloc(2 * (size_t)n, sizeof(*parts));
	void **rows = calloc((size_t)n, sizeof(*rows));

	if (own && got && parts && rows) {
		memcpy(own, send, total * size);
		reduce_prepare(comm, own, total, t->type, t->op);
		for (int i = 0; i < n; i++) {
			size_t from = is_scattered ? t->count * (size_t)i : share(t, i);
			size_t count = is_scattered ? t->count : share(t, i + 1) - from;

			rows[i] = got + (size_t)i * mine * size;
			parts[i] = (struct part){ i, own + from * size, count * size };
			parts[n + i] = (struct part){ i, rows[i], mine * size };
		}
		ret = net_exchange(comm, comm->data, parts, n, parts + n, n);
		if (ret == 0)
			reduce(comm, out, rows, mine, t->type, t->op);
	}
	free(own);
	free(got);
	free(parts);
	free(rows);
	return ret;
}

/* Parts between all ranks: `stride` bytes to and from each, or the same to all (0). */
static int all_to_all(const struct task *t, size_t send_stride, size_t recv_stride, bool sends,
		      bool receives, size_t bytes)
{
	struct ncclComm *comm = t->comm;
	struct part *parts = calloc(2 * (size_t)comm->size, sizeof(*parts));
	int nsends = 0, nreceives = 0, ret;

	if (!parts)
		return -1;
	for (int i = 0; i < comm->size && sends; i++)
		parts[nsends++] = (struct part){ i,
			(char *)t->send + (size_t)i * send_stride, bytes };
	for (int i = 0; i < comm->size && receives; i++)
		parts[comm->size + nreceives++] =
			(struct part){ i, (char *)t->recv + (size_t)i * recv_stride, bytes };
	ret = net_exchange(comm, comm->data, parts, nsends, parts + comm->size, nreceives);
	free(parts);
	return ret;
}

/* The root's `bytes` to all: it sends them once to each, also to itself. */
static int from_root(const struct task *t, size_t stride, size_t bytes)
{
	struct part *parts = calloc((size_t)t->comm->size, sizeof(*parts));
	struct part mine = { t->peer, t->recv, bytes };
	bool is_root = t->comm->rank == t->peer;
	int ret;

	for (int i = 0; parts && is_root && i < t->comm->size; i++)
		parts[i] = (struct part){ i, (char *)t->send + (size_t)i * stride, bytes };
	ret = parts ? net_exchange(t->comm, t->comm->data, parts, is_root ? t->comm->size : 0, &mine, 1)
		    : -1;
	free(parts);
	return ret;
}

static int to_root(const struct task *t, void *into, size_t bytes)
{
	struct part *parts = calloc((size_t)t->comm->size, sizeof(*parts));
	struct part mine = { t->peer, (char *)t->send, bytes };
	bool is_root = t->comm->rank == t->peer;
	int ret;

	for (int i = 0; parts && is_root && i < t->comm->size; i++)
		parts[i] = (struct part){ i, (char *)into + (size_t)i * bytes, bytes };
	ret = parts ? net_exchange(t->comm, t->comm->data, &mine, 1, parts, is_root ? t->comm->size : 0)
		    : -1;
	free(parts);
	return ret;
}

static int run_allreduce(const struct task *t)
{
	size_t size = type_size(t->type), first = share(t, t->comm->rank);
	struct ncclComm *comm = t->comm;
	char *mine = malloc((share(t, comm->rank + 1) - first) * size + 1);
	struct part *parts = calloc(2 * (size_t)comm->size, sizeof(*parts));
	int ret = mine && parts ? reduce_shares(t, t->send, mine, false) : -1;

	for (int i = 0; ret == 0 && i < comm->size; i++) {
		parts[i] = (struct part){ i, mine, (share(t, comm->rank + 1) - first) * size };
		parts[comm->size + i] = (struct part){ i, (char *)t->recv + share(t, i) * size,
						       (share(t, i + 1) - share(t, i)) * size };
	}
	if (ret == 0)
		ret = net_exchange(comm, comm->data, parts, comm->size, parts + comm->size,
			comm->size);
	free(mine);
	free(parts);
	return ret;
}

static int run_reduce(const struct task *t)
{
	struct ncclComm *comm = t->comm;
	bool is_root = comm->rank == t->peer;
	size_t bytes = bytes_of(t);
	char *own = malloc(bytes + 1);
	char *all = is_root ? malloc(bytes * (size_t)comm->size + 1) : NULL;
	void **rows = calloc((size_t)comm->size, sizeof(*rows));
	struct task sent = *t;
	int ret = -1;

	if (own && rows && (all || !is_root)) {
		memcpy(own, t->send, bytes);
		reduce_prepare(comm, own, t->count, t->type, t->op);
		sent.send = own;
		ret = to_root(&sent, all, bytes);
		for (int i = 0; i < comm->size; i++)
			rows[i] = all + (size_t)i * bytes;
		if (ret == 0 && is_root)
			reduce(comm, t->recv, rows, t->count, t->type, t->op);
	}
	free(own);
	free(all);
	free(rows);
	return ret;
}

static int carry_out(const struct task *t)
{
	size_t bytes = bytes_of(t);

	switch (t->function) {
	case FUNCTION_BROADCAST:
		return from_root(t, 0, bytes);
	case FUNCTION_REDUCE:
		return run_reduce(t);
	case FUNCTION_ALLGATHER:
		return all_to_all(t, 0, bytes, true, true, bytes);
	case FUNCTION_REDUCESCATTER:
		return reduce_shares(t, t->send, t->recv, true);
	case FUNCTION_ALLREDUCE:
		return run_allreduce(t);
	case FUNCTION_ALLTOALL:
		return all_to_all(t, bytes, bytes, true, true, bytes);
	case FUNCTION_GATHER:
		return to_root(t, t->recv, bytes);
	case FUNCTION_SCATTER:
		return from_root(t, bytes, bytes);
	default:
		return 0;
	}
}

static int run_collective(const struct task *t)
{
	uint64_t start = standin_monotonic();
	int ret = carry_out(t);

	rate_wait(t, start);
	return ret;
}

/* A byte back for each message. */
static int acknowledge(struct ncclComm *comm, struct part *sends, int nsends, struct part *receives,
		       int nreceives)
{
	static char byte;
	char got;

	for (int i = 0; i < nsends; i++)
		sends[i] = (struct part){ sends[i].peer, &got, 1 };
	for (int i = 0; i < nreceives; i++)
		receives[i] = (struct part){ receives[i].peer, &byte, 1 };
	return net_exchange(comm, comm->data, receives, nreceives, sends, nsends);
}

static bool is_message(const struct task *t)
{
	return t->function == FUNCTION_SEND || t->function == FUNCTION_RECV;
}

/*
 * All messages of the kernel at once: none waits for another. A send is over when
 * the receiver says so, that is not before its kernel runs.
 */
static int run_messages(struct kernel *kernel)
{
	int n = 0, nsends = 0, nreceives = 0, ret;
	struct part *sends, *receives;

	for (struct task *t = kernel->tasks; t; t = t->next)
		n++;
	sends = calloc((size_t)n, sizeof(*sends));
	receives = calloc((size_t)n, sizeof(*receives));
	for (struct task *t = kernel->tasks; t && sends && receives; t = t->next) {
		if (t->function == FUNCTION_SEND)
			sends[nsends++] = (struct part){ t->peer, (char *)t->send, bytes_of(t) };
		else if (t->function == FUNCTION_RECV)
			receives[nreceives++] = (struct part){ t->peer, t->recv, bytes_of(t) };
	}
	ret = sends && receives ?
		net_exchange(kernel->comm, kernel->comm->data, sends, nsends, receives, nreceives) :
		-1;
	if (ret == 0)
		ret = acknowledge(kernel->comm, sends, nsends, receives, nreceives);
	free(sends);
	free(receives);
	return ret;
}

/*
 * As with the real one, a kernel whose peers are gone never ends: what comes after it in
 * the stream must not take half a result for a whole one.
 */
static void kernel_fail(struct ncclComm *comm)
{
	const struct timespec nap = { .tv_nsec = 10000000 };

	atomic_store(&comm->error, ncclRemoteError);
	while (!atomic_load(&comm->aborted))
		nanosleep(&nap, NULL);
}

/* On the stream's thread. */
static void kernel_run(void *arg)
{
	struct kernel *kernel = arg;
	struct ncclComm *comm = kernel->comm;
	int ret;

	pthread_mutex_lock(&comm->mutex);
	while (!kernel->is_captured && comm->served != kernel->ticket)
		pthread_cond_wait(&comm->turn, &comm->mutex);
	if (!kernel->is_captured)
		pthread_mutex_unlock(&comm->mutex);
	ret = run_messages(kernel);
	for (struct task *t = kernel->tasks; t && ret == 0; t = t->next)
		if (!is_message(t))
			ret = run_collective(t);
	if (ret < 0)
		kernel_fail(comm);
	if (!kernel->is_captured) {
		pthread_mutex_lock(&comm->mutex);
		comm->served++;
	}
	pthread_cond_broadcast(&comm->turn);
	pthread_mutex_unlock(&comm->mutex);
}

static void tasks_free(struct task *task)
{
	while (task) {
		struct task *next = task->next;

		free(task);
		task = next;
	}
}

static void kernel_release(void *arg)
{
	struct kernel *kernel = arg;

	tasks_free(kernel->tasks);
	free(kernel);
}

void comm_drain(struct ncclComm *comm)
{
	pthread_mutex_lock(&comm->mutex);
	while (comm->served != comm->next && !comm->error)
		pthread_cond_wait(&comm->turn, &comm->mutex);
	pthread_mutex_unlock(&comm->mutex);
}

/* ---- launching ---- */

/* The names that NCCL 2.28 gives its kernels, as its compiler mangles them. */
static const char *kernel_name(const struct task *t)
{
	static const char *const names[FUNCTION_COUNT][2] = {
#define NAME(n, text) "_Z" #n text "24ncclDevKernelArgsStorageILm4096EE"
		[FUNCTION_BROADCAST] = { NAME(31, "ncclDevKernel_Broadcast_RING_LL"), NULL },
		[FUNCTION_REDUCE] = { NAME(36, "ncclDevKernel_Reduce_Sum_f32_RING_LL"),
				      NAME(36, "ncclDevKernel_Reduce_Sum_f16_RING_LL") },
		[FUNCTION_ALLGATHER] = { NAME(31, "ncclDevKernel_AllGather_RING_LL"), NULL },
		[FUNCTION_REDUCESCATTER] = { NAME(43, "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL"),
					     NAME(43,
					     "ncclDevKernel_ReduceScatter_Sum_f16_RING_LL") },
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
 * What the profiler plugin is told behind the launch: by then the kernel may have freed its tasks.
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

/* On the first task's stream, which the others wait for and which waits for them, as with NCCL. */
static ncclResult_t kernel_launch(struct kernel *kernel)
{
	struct ncclComm *comm = kernel->comm;
	struct task *told = tasks_copy(kernel->tasks);
	void *stream = kernel->tasks->stream, *event;
	struct standin_work work = {
		.name = kernel_name(kernel->tasks), .run = kernel_run, .release = kernel_release,
		.arg = kernel, .grid = { 2, 1, 1 }, .block = { 544, 1, 1 },
	};
	CUcontext before = standin_context_peek();
	ncclResult_t ret = ncclSuccess;

	standin_context_set(standin_primary(standin_device(comm->device)));
	for (struct task *t = told; t; t = t->next)
		stream_join(stream, t->stream);
	kernel->is_captured = is_capturing(stream);
	if (!kernel->is_captured)
		kernel->ticket = atomic_fetch_add(&comm->next, 1);
	event = plugin_launch_start(comm, stream);
	if (standin_enqueue((cudaStream_t)stream, &work, 1) != 0)
		ret = ncclUnhandledCudaError;
	plugin_launch_stop(event);
	plugin_tasks(comm, told);
	for (struct task *t = told; t; t = t->next)
		stream_join(t->stream, stream);
	tasks_free(told);
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

/* What every call does: a task for the group, and a group of its own where there is none. */
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

#define TASK(name, other, ...) call((struct task){ .function = FUNCTION_##name, .peer = other, \
						  .comm = comm, .stream = stream, __VA_ARGS__ })

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
