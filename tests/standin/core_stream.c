/*
 * Streams: a queue and a thread each. Tasks of a stream run in order; what orders
 * streams among each other (events, the legacy default stream) is a list of
 * (stream, task number) that a task waits for before it runs.
 */
#include "standin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

struct standin_task {
	struct standin_task *next;
	struct standin_op *op;
	CUgraphExec exec; /* owner of the operation; NULL: the task */
	uint64_t node;
	void *slot; /* libcupti's, see struct standin_act */
	uint32_t correlation;
	unsigned ndeps;
	struct standin_place deps[];
};

/* Guards the lists of streams, and makes submitting to several streams one order. */
static pthread_mutex_t core_lock = PTHREAD_MUTEX_INITIALIZER;
static CUstream gone; /* destroyed ones: events and other streams' tasks may still name them */
static _Thread_local int per_thread;
static _Thread_local CUstream thread_streams[STANDIN_DEVICES_MAX];

STANDIN_EXPORT void standin_per_thread(int add)
{
	per_thread += add;
}

/* Takes destroyed streams that have nothing left to do out of the context. */
static void streams_prune(CUcontext ctx)
{
	for (CUstream *at = &ctx->streams; *at;) {
		CUstream stream = *at;

		if (!atomic_load(&stream->destroyed) || !standin_stream_idle(stream)) {
			at = &stream->next;
			continue;
		}
		*at = stream->next;
		stream->next = gone;
		gone = stream;
	}
}

CUstream standin_stream_make(CUcontext ctx, unsigned flags, int priority)
{
	CUstream stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->ctx = ctx;
	stream->flags = flags;
	stream->priority = priority;
	pthread_mutex_init(&stream->lock, NULL);
	pthread_cond_init(&stream->more, NULL);
	pthread_cond_init(&stream->progress, NULL);
	pthread_mutex_lock(&core_lock);
	streams_prune(ctx);
	stream->id = ctx->streams ? ctx->next_stream_id++ : STANDIN_LEGACY_ID;
	stream->next = ctx->streams;
	ctx->streams = stream;
	pthread_mutex_unlock(&core_lock);
	return stream;
}

STANDIN_EXPORT CUresult standin_stream_create(CUcontext ctx, unsigned flags, int priority,
	CUstream *stream)
{
	*stream = standin_stream_make(ctx, flags, priority);
	if (!*stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*stream)->reported = true;
	standin_resource(STANDIN_STREAM_CREATED, ctx, *stream, NULL);
	return CUDA_SUCCESS;
}

STANDIN_EXPORT void standin_stream_destroy(CUstream stream)
{
	if (stream->reported)
		standin_resource(STANDIN_STREAM_DESTROYED, stream->ctx, stream, NULL);
	pthread_mutex_lock(&stream->lock);
	atomic_store(&stream->destroyed, true);
	pthread_cond_broadcast(&stream->more);
	pthread_mutex_unlock(&stream->lock);
}

static CUresult own_stream(CUcontext ctx, CUstream *stream)
{
	CUstream *own = &thread_streams[ctx->device->ordinal];

	if (!*own && standin_stream_create(ctx, 0, 0, own) != CUDA_SUCCESS)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*stream = *own;
	return CUDA_SUCCESS;
}

STANDIN_EXPORT CUresult standin_stream(CUstream handle, CUstream *stream)
{
	CUcontext ctx;
	CUresult ret = standin_context(&ctx);

	if (ret != CUDA_SUCCESS)
		return ret;
	if (handle == CU_STREAM_PER_THREAD || (!handle && per_thread))
		return own_stream(ctx, stream);
	*stream = !handle || handle == CU_STREAM_LEGACY ? ctx->legacy : handle;
	return CUDA_SUCCESS;
}

STANDIN_EXPORT void standin_wait(CUstream stream, uint64_t seq)
{
	if (atomic_load(&stream->done) >= seq)
		return;
	pthread_mutex_lock(&stream->lock);
	while (atomic_load(&stream->done) < seq)
		pthread_cond_wait(&stream->progress, &stream->lock);
	pthread_mutex_unlock(&stream->lock);
}

STANDIN_EXPORT void *standin_op_make(size_t size, void (*run)(struct standin_op *op))
{
	struct standin_op *op = calloc(1, size);

	if (op)
		op->run = run;
	return op;
}

STANDIN_EXPORT void standin_op_drop(struct standin_op *op)
{
	if (op && op->drop)
		op->drop(op);
	free(op);
}

/* How long an operation takes at least; NCCL waits for others, not for its device's clock. */
static uint64_t op_least_ns(const struct standin_op *op, CUstream stream, uint64_t took)
{
	double slowness = stream->ctx->device->slowness;
	uint64_t least = op->least_ns > took ? op->least_ns : took;

	if (op->act.kind == STANDIN_ACT_KERNEL && slowness > 1 &&
		strncmp(op->act.name, "nccl", 4) != 0)
		return (uint64_t)((double)least * slowness);
	return op->least_ns;
}

/* Where and as which part the task's operation runs. */
static void act_place(struct standin_act *act, CUstream stream, CUgraphExec exec, uint64_t node,
	uint32_t correlation)
{
	act->device = (uint32_t)stream->ctx->device->ordinal;
	act->context = stream->ctx->id;
	act->stream = stream->id;
	act->correlation = correlation;
	act->graph = exec ? standin_graph_exec_id(exec) : 0;
	act->graph_node = node;
}

/* From now on the launch's record has its place. No lock is held: the client is asked. */
static void *op_reserve(const struct standin_op *op, CUstream stream, CUgraphExec exec,
	uint64_t node)
{
	const struct standin_hooks *hooks = standin_hooks();
	struct standin_act act;

	if (!op || !hooks || op->act.kind == STANDIN_ACT_NONE)
		return NULL;
	act = op->act;
	act_place(&act, stream, exec, node, standin_correlation());
	return hooks->reserve(&act);
}

static atomic_ullong kernels_ns;

STANDIN_EXPORT uint64_t standin_kernels_ns(void)
{
	return atomic_load(&kernels_ns);
}

/* Runs the operation now, in the stream's thread, and hands out its record. */
static void op_run(const struct standin_task *task, CUstream stream)
{
	const struct standin_hooks *hooks = standin_hooks();
	struct standin_op *op = task->op;
	struct standin_act act = op->act;
	uint64_t begin = standin_monotonic();

	act.start = begin;
	if (op->run)
		op->run(op);
	standin_wait_until(begin + op_least_ns(op, stream, standin_monotonic() - begin));
	act.end = standin_monotonic();
	if (act.kind == STANDIN_ACT_KERNEL)
		atomic_fetch_add(&kernels_ns, act.end - act.start);
	act_place(&act, stream, task->exec, task->node, task->correlation);
	act.slot = task->slot;
	if (hooks && act.kind != STANDIN_ACT_NONE)
		hooks->activity(&act);
}

static void task_run(struct standin_task *task, CUstream stream)
{
	for (unsigned i = 0; i < task->ndeps; i++)
		standin_wait(task->deps[i].stream, task->deps[i].seq);
	if (task->op)
		op_run(task, stream);
	if (task->exec)
		standin_graph_exec_unref(task->exec);
	else
		standin_op_drop(task->op);
	free(task);
}

static struct standin_task *task_next(CUstream stream)
{
	struct standin_task *task;

	pthread_mutex_lock(&stream->lock);
	while (!stream->head && !atomic_load(&stream->destroyed))
		pthread_cond_wait(&stream->more, &stream->lock);
	task = stream->head;
	if (task)
		stream->head = task->next;
	if (!stream->head)
		stream->tail = NULL;
	pthread_mutex_unlock(&stream->lock);
	return task;
}

static void *stream_thread(void *arg)
{
	CUstream stream = arg;
	struct standin_task *task;

	standin_context_set(stream->ctx);
	prctl(PR_SET_TIMERSLACK, 1000);
	while ((task = task_next(stream))) {
		task_run(task, stream);
		pthread_mutex_lock(&stream->lock);
		atomic_fetch_add(&stream->done, 1);
		pthread_cond_broadcast(&stream->progress);
		pthread_mutex_unlock(&stream->lock);
	}
	return NULL;
}

static void stream_start(CUstream stream)
{
	pthread_t thread;

	stream->started = pthread_create(&thread, NULL, stream_thread, stream) == 0;
	if (stream->started)
		pthread_detach(thread);
	else
		abort(); /* a test machine without threads: nothing that follows would be true */
}

static unsigned streams_count(CUcontext ctx)
{
	unsigned count = 0;

	for (CUstream s = ctx->streams; s; s = s->next)
		count++;
	return count;
}

static void depend(struct standin_task *task, CUstream on, uint64_t seq)
{
	if (seq > atomic_load(&on->done))
		task->deps[task->ndeps++] = (struct standin_place){ .stream = on, .seq = seq };
}

/* The legacy stream waits for all blocking streams, and they for it. */
static void depend_legacy(struct standin_task *task, CUstream stream)
{
	CUcontext ctx = stream->ctx;

	if (stream->flags & CU_STREAM_NON_BLOCKING)
		return;
	if (stream != ctx->legacy)
		depend(task, ctx->legacy, ctx->legacy->queued);
	for (CUstream s = ctx->streams; s && stream == ctx->legacy; s = s->next)
		if (s != stream && !(s->flags & CU_STREAM_NON_BLOCKING))
			depend(task, s, s->queued);
}

static void task_append(CUstream stream, struct standin_task *task)
{
	pthread_mutex_lock(&stream->lock);
	if (stream->tail)
		stream->tail->next = task;
	else
		stream->head = task;
	stream->tail = task;
	stream->queued++;
	if (!stream->started)
		stream_start(stream);
	pthread_cond_signal(&stream->more);
	pthread_mutex_unlock(&stream->lock);
}

static struct standin_task *task_make(CUstream stream, struct standin_op *op, unsigned ndeps)
{
	struct standin_task *task = calloc(1, sizeof(*task) + ndeps * sizeof(task->deps[0]));

	if (!task)
		return NULL;
	task->op = op;
	task->correlation = standin_correlation();
	depend_legacy(task, stream);
	return task;
}

static CUresult task_submit(CUstream stream, struct standin_op *op, CUevent after, uint64_t *seq)
{
	void *slot = op_reserve(op, stream, NULL, 0);
	struct standin_task *task;

	pthread_mutex_lock(&core_lock);
	task = task_make(stream, op, streams_count(stream->ctx) + 2);
	if (task)
		task->slot = slot;
	if (task && after) {
		struct standin_place place = standin_event_place(after);

		if (place.stream)
			depend(task, place.stream, place.seq);
	}
	if (task)
		task_append(stream, task);
	if (task && seq)
		*seq = stream->queued;
	pthread_mutex_unlock(&core_lock);
	return task ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult standin_submit_node(struct standin_place *place, const struct standin_node *node,
	const struct standin_place *after, size_t count)
{
	CUstream stream = place->stream;
	void *slot = op_reserve(node->op, stream, node->exec, node->id);
	struct standin_task *task;

	pthread_mutex_lock(&core_lock);
	task = task_make(stream, node->op, streams_count(stream->ctx) + 2 + (unsigned)count);
	for (size_t i = 0; task && i < count; i++)
		if (after[i].stream != stream)
			depend(task, after[i].stream, after[i].seq);
	if (task) {
		task->node = node->id;
		task->slot = slot;
		task->exec = node->exec;
		if (node->exec)
			standin_graph_exec_ref(node->exec);
		task_append(stream, task);
		place->seq = stream->queued;
	}
	pthread_mutex_unlock(&core_lock);
	return task ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

STANDIN_EXPORT CUresult standin_submit(CUstream stream, struct standin_op *op, CUevent after,
	uint64_t *seq)
{
	CUresult ret;

	if (seq)
		*seq = 0;
	if (standin_capture_wants(stream, after))
		ret = standin_capture_add(stream, op, after);
	else
		ret = task_submit(stream, op, after, seq);
	if (ret != CUDA_SUCCESS)
		standin_op_drop(op);
	return ret;
}

void standin_sync_record(CUcontext ctx, uint32_t stream, uint32_t type, uint32_t event,
	uint64_t start)
{
	const struct standin_hooks *hooks = standin_hooks();
	struct standin_act act = { .kind = STANDIN_ACT_SYNC, .start = start, .context = ctx->id };

	act.end = standin_now();
	act.device = (uint32_t)ctx->device->ordinal;
	act.stream = stream;
	act.sync_type = type;
	act.event = event;
	act.correlation = standin_correlation();
	if (hooks)
		hooks->activity(&act);
}

STANDIN_EXPORT CUresult standin_stream_sync(CUstream stream)
{
	uint64_t seq, start = standin_now();
	CUresult ret;

	if (stream->capture)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	seq = stream->queued;
	ret = CUDA_SUCCESS;
	if (stream == stream->ctx->legacy) /* an empty task waits for the blocking streams */
		ret = task_submit(stream, NULL, NULL, &seq);
	if (ret == CUDA_SUCCESS) {
		standin_wait(stream, seq);
		standin_sync_record(stream->ctx, stream->id, STANDIN_SYNC_STREAM, 0, start);
	}
	return ret;
}

STANDIN_EXPORT bool standin_stream_idle(CUstream stream)
{
	return atomic_load(&stream->done) >= stream->queued;
}

STANDIN_EXPORT CUresult standin_context_sync(CUcontext ctx)
{
	uint64_t start = standin_now();
	struct standin_place *waits;
	unsigned count = 0;

	pthread_mutex_lock(&core_lock);
	waits = malloc((streams_count(ctx) + 1) * sizeof(*waits));
	for (CUstream s = ctx->streams; s && waits; s = s->next)
		waits[count++] = (struct standin_place){ .stream = s, .seq = s->queued };
	pthread_mutex_unlock(&core_lock);
	if (!waits)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (unsigned i = 0; i < count; i++)
		standin_wait(waits[i].stream, waits[i].seq);
	free(waits);
	standin_sync_record(ctx, UINT32_MAX, STANDIN_SYNC_CONTEXT, 0, start);
	return CUDA_SUCCESS;
}
