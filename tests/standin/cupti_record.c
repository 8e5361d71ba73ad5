/*
 * Activity records. Each is filled in as the newest struct of CUPTI's headers, of which
 * the older layouts are beginnings, and cut to the size that this library's CUDA has:
 * 13.0, 12.4, or, with the fault "older", 11.4.
 *
 * "As an H200 wrote it" means tests/data/cupti13: buffers of CUDA 13.0's CUPTI, driver 580.
 */
#include "cupti_parts.h"

#include <string.h>
#include <pthread.h>
#include <unistd.h>

enum { LAYOUT_11, LAYOUT_12, LAYOUT_13, LAYOUTS, UNKNOWN_KIND = 60, UNKNOWN_BYTES = 72 };

#define SIZES(a, b, c)                                                                             \
	{                                                                                          \
		sizeof(CUpti_Activity##a), sizeof(CUpti_Activity##b), sizeof(CUpti_Activity##c)    \
	}
static const struct {
	CUpti_ActivityKind kind;
	size_t bytes[LAYOUTS];
} RECORDS[] = {
	{ CUPTI_ACTIVITY_KIND_MEMCPY, SIZES(Memcpy4, Memcpy5, Memcpy6) },
	{ CUPTI_ACTIVITY_KIND_MEMCPY2, SIZES(MemcpyPtoP3, MemcpyPtoP4, MemcpyPtoP4) },
	{ CUPTI_ACTIVITY_KIND_MEMSET, SIZES(Memset3, Memset4, Memset4) },
	{ CUPTI_ACTIVITY_KIND_KERNEL, SIZES(Kernel6, Kernel9, Kernel10) },
	{ CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, SIZES(Kernel6, Kernel9, Kernel10) },
	{ CUPTI_ACTIVITY_KIND_DRIVER, SIZES(API, API, API) },
	{ CUPTI_ACTIVITY_KIND_RUNTIME, SIZES(API, API, API) },
	{ CUPTI_ACTIVITY_KIND_DEVICE, SIZES(Device4, Device5, Device5) },
	{ CUPTI_ACTIVITY_KIND_CONTEXT, SIZES(Context, Context, Context3) },
	{ CUPTI_ACTIVITY_KIND_OVERHEAD, SIZES(Overhead, Overhead3, Overhead3) },
	{ CUPTI_ACTIVITY_KIND_CUDA_EVENT, SIZES(CudaEvent, CudaEvent, CudaEvent2) },
	{ CUPTI_ACTIVITY_KIND_STREAM, SIZES(Stream, Stream, Stream) },
	{ CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
		SIZES(Synchronization, Synchronization, Synchronization2) },
	{ CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
		SIZES(ExternalCorrelation, ExternalCorrelation, ExternalCorrelation) },
	{ CUPTI_ACTIVITY_KIND_GRAPH_TRACE, SIZES(GraphTrace, GraphTrace, GraphTrace2) },
	{ (CUpti_ActivityKind)UNKNOWN_KIND, { UNKNOWN_BYTES, UNKNOWN_BYTES, UNKNOWN_BYTES } },
};

#define SAME(old, new, field)                                                                      \
	_Static_assert(offsetof(CUpti_Activity##old, field) ==                                     \
			offsetof(CUpti_Activity##new, field),                                      \
		"the layouts of " #old " and " #new " differ at " #field)
SAME(Kernel6, Kernel10, correlationId);
SAME(Kernel6, Kernel10, name);
SAME(Kernel6, Kernel10, graphNodeId);
SAME(Kernel9, Kernel10, graphId);
SAME(Kernel9, Kernel10, channelType);
SAME(Memcpy4, Memcpy6, correlationId);
SAME(Memcpy4, Memcpy6, graphNodeId);
SAME(Memcpy5, Memcpy6, graphId);
SAME(MemcpyPtoP3, MemcpyPtoP4, graphNodeId);
SAME(Memset3, Memset4, graphNodeId);
SAME(Device4, Device5, name);
SAME(Context, Context3, nullStreamId);
SAME(Synchronization, Synchronization2, cudaEventId);
SAME(GraphTrace, GraphTrace2, streamId);

static int layout(void)
{
	if (standin_fault("older"))
		return LAYOUT_11;
	return STANDIN_CUDA == 12 ? LAYOUT_12 : LAYOUT_13;
}

size_t cupti_record_size(CUpti_ActivityKind kind)
{
	for (size_t i = 0; i < sizeof(RECORDS) / sizeof(RECORDS[0]); i++)
		if (RECORDS[i].kind == kind)
			return RECORDS[i].bytes[layout()];
	return 0;
}

static void put(void *record, uint64_t *end)
{
	CUpti_ActivityKind kind = ((CUpti_Activity *)record)->kind;

	if (end)
		cupti_put_device(record, cupti_record_size(kind), end);
	else
		cupti_put(record, cupti_record_size(kind));
}

static void put_kernel(const struct standin_act *a)
{
	CUpti_ActivityKind kind = !cupti_kind_on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) &&
			cupti_kind_on(CUPTI_ACTIVITY_KIND_KERNEL)
		? CUPTI_ACTIVITY_KIND_KERNEL
		: CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	CUpti_ActivityKernel10 r;

	if (!cupti_kind_on(kind) && !a->slot)
		return;
	memset(&r, 0, sizeof(r));
	r.kind = kind;
	r.registersPerThread = (uint16_t)a->registers;
	r.start = a->start;
	r.end = a->end;
	r.completed = a->end;
	r.deviceId = a->device;
	r.contextId = a->context;
	r.streamId = a->stream;
	r.gridX = (int32_t)a->grid[0];
	r.gridY = (int32_t)a->grid[1];
	r.gridZ = (int32_t)a->grid[2];
	r.blockX = (int32_t)a->block[0];
	r.blockY = (int32_t)a->block[1];
	r.blockZ = (int32_t)a->block[2];
	r.dynamicSharedMemory = (int32_t)a->shared;
	r.correlationId = a->correlation;
	r.gridId = (int64_t)a->grid_number;
	r.name = a->name;
	r.graphNodeId = standin_fault("nonodes") ? 0 : a->graph_node;
	r.graphId = a->graph;
	/* as an H200 wrote it, of every kernel */
	r.partitionedGlobalCacheRequested =
		CUPTI_ACTIVITY_PARTITIONED_GLOBAL_CACHE_CONFIG_NOT_SUPPORTED;
	r.partitionedGlobalCacheExecuted =
		CUPTI_ACTIVITY_PARTITIONED_GLOBAL_CACHE_CONFIG_NOT_SUPPORTED;
	r.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
	r.clusterSchedulingPolicy = 1;
	put(&r, &r.end);
}

static void put_copy(const struct standin_act *a)
{
	CUpti_ActivityMemcpy6 r;

	memset(&r, 0, sizeof(r));
	r.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
	r.copyKind = a->copy_kind;
	r.srcKind = a->src_kind;
	r.dstKind = a->dst_kind;
	r.flags = a->flags;
	r.bytes = a->bytes;
	r.start = a->start;
	r.end = a->end;
	r.deviceId = a->device;
	r.contextId = a->context;
	r.streamId = a->stream;
	r.correlationId = a->correlation;
	r.graphNodeId = a->graph_node;
	r.graphId = a->graph;
	r.copyCount = 1;
	put(&r, &r.end);
}

static void put_copy_peer(const struct standin_act *a)
{
	CUpti_ActivityMemcpyPtoP4 r;

	memset(&r, 0, sizeof(r));
	r.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
	r.copyKind = a->copy_kind;
	r.srcKind = a->src_kind;
	r.dstKind = a->dst_kind;
	r.flags = a->flags;
	r.bytes = a->bytes;
	r.start = a->start;
	r.end = a->end;
	r.deviceId = a->device;
	r.contextId = a->context;
	r.streamId = a->stream;
	r.srcDeviceId = a->src_device;
	r.srcContextId = a->src_context;
	r.dstDeviceId = a->dst_device;
	r.dstContextId = a->dst_context;
	r.correlationId = a->correlation;
	r.graphNodeId = a->graph_node;
	r.graphId = a->graph;
	put(&r, &r.end);
}

static void put_set(const struct standin_act *a)
{
	CUpti_ActivityMemset4 r;

	memset(&r, 0, sizeof(r));
	r.kind = CUPTI_ACTIVITY_KIND_MEMSET;
	r.value = a->value;
	r.bytes = a->bytes;
	r.start = a->start;
	r.end = a->end;
	r.deviceId = a->device;
	r.contextId = a->context;
	r.streamId = a->stream;
	r.correlationId = a->correlation;
	r.flags = a->flags;
	r.memoryKind = a->dst_kind;
	r.graphNodeId = a->graph_node;
	r.graphId = a->graph;
	r.channelType = CUPTI_CHANNEL_TYPE_COMPUTE; /* as an H200 wrote it */
	put(&r, &r.end);
}

static void put_sync(const struct standin_act *a)
{
	CUpti_ActivitySynchronization2 r;

	memset(&r, 0, sizeof(r));
	r.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
	r.type = (CUpti_ActivitySynchronizationType)a->sync_type;
	r.start = a->start;
	r.end = a->end;
	r.correlationId = a->correlation;
	r.contextId = a->context;
	/* as an H200 wrote it: a thread that waits for an event waits for no stream */
	r.streamId = a->sync_type == STANDIN_SYNC_EVENT ? CUPTI_SYNCHRONIZATION_INVALID_VALUE
							: a->stream;
	r.cudaEventId = a->event ? a->event : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
	r.cudaEventSyncId = a->event ? 0 : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
	put(&r, NULL);
}

static void put_event(const struct standin_act *a)
{
	CUpti_ActivityCudaEvent2 r;

	memset(&r, 0, sizeof(r));
	r.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
	r.correlationId = a->correlation;
	r.contextId = a->context;
	r.streamId = a->stream;
	r.eventId = a->event;
	r.deviceId = a->device;
	put(&r, NULL);
}

static void put_graph(const struct standin_act *a)
{
	CUpti_ActivityGraphTrace2 r;

	memset(&r, 0, sizeof(r));
	r.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
	r.correlationId = a->correlation;
	r.start = a->start;
	r.end = a->end;
	r.deviceId = a->device;
	r.graphId = a->graph;
	r.contextId = a->context;
	r.streamId = a->stream;
	r.endDeviceId = a->device;
	r.endContextId = a->context;
	put(&r, &r.end);
}

static const struct {
	CUpti_ActivityKind kind; /* 0: the writer finds it */
	void (*put)(const struct standin_act *act);
	bool in_graphs; /* one record per graph launch replaces these */
} WRITERS[] = {
	[STANDIN_ACT_KERNEL] = { CUPTI_ACTIVITY_KIND_INVALID, put_kernel, true },
	[STANDIN_ACT_MEMCPY] = { CUPTI_ACTIVITY_KIND_MEMCPY, put_copy, true },
	[STANDIN_ACT_MEMCPY2] = { CUPTI_ACTIVITY_KIND_MEMCPY2, put_copy_peer, true },
	[STANDIN_ACT_MEMSET] = { CUPTI_ACTIVITY_KIND_MEMSET, put_set, true },
	[STANDIN_ACT_SYNC] = { CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, put_sync, false },
	[STANDIN_ACT_EVENT] = { CUPTI_ACTIVITY_KIND_CUDA_EVENT, put_event, false },
	[STANDIN_ACT_GRAPH] = { CUPTI_ACTIVITY_KIND_GRAPH_TRACE, put_graph, false },
};

static void act_put(const struct standin_act *act)
{
	if (WRITERS[act->kind].in_graphs && act->graph_node &&
		cupti_kind_on(CUPTI_ACTIVITY_KIND_GRAPH_TRACE))
		return;
	if (!WRITERS[act->kind].kind || cupti_kind_on(WRITERS[act->kind].kind))
		WRITERS[act->kind].put(act);
}

/* A kernel that was launched while no kind of kernels was on: it has no record, whatever is on later. */
static char unrecorded;

/*
 * "Activity record is considered as completed if it has all the information filled up including
 * the timestamps if any" (cupti_activity.h, cuptiActivityFlushAll): so there are records, and
 * buffers that hold them, before their timestamps.
 */
void *cupti_reserve(const struct standin_act *act)
{
	struct standin_act begun = *act;

	if (!cupti_reserves() || act->kind > STANDIN_ACT_MEMSET)
		return NULL;
	if (act->kind == STANDIN_ACT_KERNEL && !cupti_kind_on(CUPTI_ACTIVITY_KIND_KERNEL)) {
		if (!cupti_kind_on(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))
			return &unrecorded;
		cupti_cost("STANDIN_RECORD_NS");
	}
	begun.start = begun.end = 0;
	cupti_slot_begin(NULL);
	act_put(&begun);
	return cupti_slot_end();
}

void cupti_activity(const struct standin_act *act)
{
	struct standin_act timed = *act;

	if (act->slot == &unrecorded)
		return;
	if (act->kind <= STANDIN_ACT_MEMSET || act->kind == STANDIN_ACT_GRAPH) {
		timed.start = cupti_device_time(act->start);
		timed.end = cupti_device_time(act->end);
	}
	if (act->slot)
		cupti_slot_begin(act->slot);
	act_put(&timed);
	if (act->slot)
		cupti_slot_end();
}

/* ---- calls ---- */

enum { EXTERNAL_KINDS = CUPTI_EXTERNAL_CORRELATION_KIND_SIZE, EXTERNAL_DEPTH = 64 };

static _Thread_local struct {
	uint64_t ids[EXTERNAL_DEPTH];
	unsigned depth;
} external[EXTERNAL_KINDS];

CUptiResult cupti_external_push(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
	if ((unsigned)kind >= EXTERNAL_KINDS || external[kind].depth == EXTERNAL_DEPTH)
		return CUPTI_ERROR_INVALID_PARAMETER;
	external[kind].ids[external[kind].depth++] = id;
	return CUPTI_SUCCESS;
}

CUptiResult cupti_external_pop(CUpti_ExternalCorrelationKind kind, uint64_t *last)
{
	if ((unsigned)kind >= EXTERNAL_KINDS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (!external[kind].depth)
		return CUPTI_ERROR_QUEUE_EMPTY;
	external[kind].depth--;
	if (last)
		*last = external[kind].ids[external[kind].depth];
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult
cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
	return cupti_is_scoped() ? CUPTI_ERROR_NOT_COMPATIBLE : cupti_external_push(kind, id);
}

STANDIN_EXPORT CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
	uint64_t *last)
{
	return cupti_is_scoped() ? CUPTI_ERROR_NOT_COMPATIBLE : cupti_external_pop(kind, last);
}

static void put_external(uint32_t correlation)
{
	for (unsigned kind = 0; kind < EXTERNAL_KINDS; kind++) {
		CUpti_ActivityExternalCorrelation r = {
			.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
			.externalKind = (CUpti_ExternalCorrelationKind)kind,
			.correlationId = correlation
		};

		if (!external[kind].depth)
			continue;
		r.externalId = external[kind].ids[external[kind].depth - 1];
		put(&r, NULL);
	}
}

void cupti_record_api(const struct standin_call *call, uint64_t end)
{
	CUpti_ActivityAPI r;

	if (!call->outer && cupti_kind_on(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION))
		put_external(call->correlation);
	memset(&r, 0, sizeof(r));
	r.kind = call->domain == CUPTI_CB_DOMAIN_RUNTIME_API ? CUPTI_ACTIVITY_KIND_RUNTIME
							     : CUPTI_ACTIVITY_KIND_DRIVER;
	if (!cupti_kind_on(r.kind) && !cupti_client_api_on(0, r.kind, call->cbid))
		return;
	/* as an H200 wrote it: the driver's calls inside of the runtime's have no records */
	if (call->outer && cupti_kind_on(CUPTI_ACTIVITY_KIND_RUNTIME))
		return;
	r.cbid = call->cbid;
	r.start = call->start;
	r.end = end;
	r.processId = (uint32_t)getpid();
	r.threadId = cupti_thread_id();
	r.correlationId = call->correlation;
	r.returnValue = *(const uint32_t *)call->ret;
	put(&r, NULL);
}

/* ---- what exists ---- */

void cupti_record_devices(void)
{
	for (int i = 0; i < standin_config()->devices; i++) {
		const struct standin_device *device = standin_device(i);
		CUpti_ActivityDevice5 r;

		memset(&r, 0, sizeof(r));
		r.kind = CUPTI_ACTIVITY_KIND_DEVICE;
		r.globalMemorySize = standin_config()->memory;
		r.numThreadsPerWarp = 32;
		r.coreClockRate = (uint32_t)standin_attribute(device,
			CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
		r.numMultiprocessors = (uint32_t)standin_attribute(device,
			CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
		r.computeCapabilityMajor = 8;
		r.computeCapabilityMinor = 6;
		r.id = (uint32_t)i;
		r.uuid = device->uuid;
		r.name = device->name;
		r.isCudaVisible = 1;
		put(&r, NULL);
	}
}

static void put_stream(CUcontext ctx, uint32_t id, uint32_t flag, int priority)
{
	CUpti_ActivityStream r;

	if (!cupti_kind_on(CUPTI_ACTIVITY_KIND_STREAM))
		return;
	memset(&r, 0, sizeof(r));
	r.kind = CUPTI_ACTIVITY_KIND_STREAM;
	r.contextId = ctx->id;
	r.streamId = id;
	r.priority = (uint32_t)priority;
	r.flag = (CUpti_ActivityStreamFlag)flag;
	r.correlationId = standin_correlation();
	put(&r, NULL);
}

/*
 * As an H200 wrote it: a context has its first streams before the program makes any, and reports
 * them first.
 */
static void put_own_streams(CUcontext ctx)
{
	static const struct {
		CUpti_ActivityStreamFlag flag;
		int priority;
	} OWN[] = {
		{ CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT, 0 },
		{ CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL, 0 },
		{ CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING, 0 },
		{ CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING, 0 },
		{ CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING, 0 },
		{ CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING, 0 },
		{ CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT, -5 },
	};
	enum { NOWN = sizeof(OWN) / sizeof(OWN[0]) };

	for (uint32_t i = 0; i < NOWN; i++)
		put_stream(ctx, STANDIN_FIRST_STREAM_ID - NOWN + i, OWN[i].flag, OWN[i].priority);
}

void cupti_record_context(CUcontext ctx)
{
	CUpti_ActivityContext3 r;

	put_own_streams(ctx);
	if (!cupti_kind_on(CUPTI_ACTIVITY_KIND_CONTEXT))
		return;
	memset(&r, 0, sizeof(r));
	r.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
	r.contextId = ctx->id;
	r.deviceId = (uint32_t)ctx->device->ordinal;
	r.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
	r.nullStreamId = STANDIN_LEGACY_ID;
	put(&r, NULL);
}

void cupti_record_stream(CUstream stream)
{
	put_stream(stream->ctx, stream->id,
		stream->flags & CU_STREAM_NON_BLOCKING
			? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING
			: CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT,
		stream->priority);
}

void cupti_record_overhead(CUpti_ActivityOverheadKind kind, uint64_t start, uint64_t end)
{
	CUpti_ActivityOverhead3 r;

	if (!cupti_kind_on(CUPTI_ACTIVITY_KIND_OVERHEAD))
		return;
	memset(&r, 0, sizeof(r));
	r.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
	r.overheadKind = kind;
	r.correlationId = standin_correlation();
	r.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
	r.objectId.pt.processId = (uint32_t)getpid();
	r.objectId.pt.threadId = cupti_thread_id();
	r.start = start;
	r.end = end;
	put(&r, NULL);
}
