/* What is switched on, the clock, and the small questions about versions and numbers. */
#include "cupti_parts.h"

#include <time.h>
#include <unistd.h>

/* The header lists the ones of CUDA 12.4, 11.4 and 11.0. */
enum {
	KINDS = 64,
	API_VERSION = STANDIN_CUDA == 12 ? 22
		: STANDIN_SEVERAL	 ? 130300
					 : CUPTI_API_VERSION,
	API_VERSION_OLDER = 15,
	API_VERSION_NO_NODES = 13
};

static atomic_bool kinds[CLIENTS][KINDS];
static _Atomic(CUpti_TimestampCallbackFunc) timestamp;

uint64_t cupti_now(void)
{
	CUpti_TimestampCallbackFunc clock = atomic_load(&timestamp);
	struct timespec ts;

	if (clock)
		return clock();
	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/*
 * "To provide a unified and normalized view of these timestamps in relation to CPU time, CUPTI
 * performs a linear interpolation to convert GPU timestamps into CPU timestamps during
 * post-processing" (cupti_activity.h, cuptiActivityRegisterTimestampCallback): the device's clock
 * is CLOCK_MONOTONIC here, and a line through two readings of both clocks is taken. "The returned
 * timestamp must be in nanoseconds": with the fault "anchor" the device's nanoseconds are added to
 * one reading.
 */
struct sync {
	uint64_t device, host;
};
enum { SYNCS = 4096, SYNC_TRIES = 20, SYNC_WIDTH_NS = 500 };
static struct sync syncs[SYNCS]; /* in the order of both times */
static unsigned nsyncs;
static pthread_mutex_t syncs_lock = PTHREAD_MUTEX_INITIALIZER;

/* Reads both clocks, as close together as a few tries allow. The lock is held. */
static void sync_add(void)
{
	struct sync sync = { 0 }, last = nsyncs ? syncs[(nsyncs - 1) % SYNCS] : sync;
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < SYNC_TRIES && width > SYNC_WIDTH_NS; i++) {
		uint64_t before = standin_monotonic(), host = cupti_now();
		uint64_t after = standin_monotonic();

		if (after - before < width) {
			width = after - before;
			sync = (struct sync){ before + width / 2, host };
		}
	}
	if (sync.host < last.host)
		sync.host = last.host;
	if (sync.device > last.device)
		syncs[nsyncs++ % SYNCS] = sync;
}

/* The time on the line between the two readings around it. */
static uint64_t interpolate(uint64_t device)
{
	unsigned oldest = nsyncs > SYNCS ? nsyncs - SYNCS : 0, i = nsyncs - 1;
	struct sync a, b;

	a = syncs[oldest % SYNCS];
	if (device <= a.device) /* before all of them */
		return a.host + (device - a.device);
	while (i > oldest + 1 && syncs[(i - 1) % SYNCS].device > device)
		i--;
	b = syncs[i % SYNCS];
	a = syncs[(i - 1) % SYNCS];
	return a.host +
		(uint64_t)(int64_t)((double)(int64_t)(device - a.device) *
			((double)(b.host - a.host) / (double)(b.device - a.device)));
}

uint64_t cupti_device_time(uint64_t device)
{
	static atomic_uint numbers;
	uint64_t time;

	if (!device)
		return 0;
	if (atomic_fetch_add(&numbers, 1) < 2 * standin_fault("strange"))
		return device; /* start and end in another clock */
	pthread_mutex_lock(&syncs_lock);
	if (!nsyncs)
		sync_add();
	if (standin_fault("anchor")) {
		time = syncs[0].host + (device - syncs[0].device);
	} else {
		while (syncs[(nsyncs - 1) % SYNCS].device <= device)
			sync_add();
		time = interpolate(device);
	}
	pthread_mutex_unlock(&syncs_lock);
	return time;
}

CUptiResult cupti_driver_error(void)
{
	return standin_fault("nodriver") ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

bool cupti_client_kind_on(unsigned client, CUpti_ActivityKind kind)
{
	return (unsigned)kind < KINDS && atomic_load(&kinds[client][kind]);
}

bool cupti_kind_on(CUpti_ActivityKind kind)
{
	bool on = false;

	for (unsigned i = 0; i < CLIENTS; i++)
		on = on || cupti_client_kind_on(i, kind);
	return on;
}

/*
 * "Activity kind CUPTI_ACTIVITY_KIND_DRIVER overrides the settings done by this API if it is called after
 * the API" (cupti_activity.h, cuptiActivityEnableDriverApi): calls by their numbers, and what of the kind
 * was said last. Once the kind has been switched off an RTX 3060 with CUDA 13.0 records none of them.
 */
enum { CALLS = 1024 };
static atomic_bool calls[2][CALLS]; /* of the driver, of the runtime */
static atomic_bool calls_over[2];

bool cupti_client_api_on(unsigned client, CUpti_ActivityKind kind, uint32_t cbid)
{
	if (CLIENTS > 1 && client)
		return cupti_client_kind_on(client, kind);
	return cbid < CALLS
	&&atomic_load(&calls[kind == CUPTI_ACTIVITY_KIND_RUNTIME][cbid]);
}

static bool calls_any(void)
{
	bool any = false;

	for (unsigned i = 0; i < 2 * CALLS; i++)
		any = any || atomic_load(&calls[i / CALLS][i % CALLS]);
	return any;
}

/* The kind was switched: all of its calls are. */
static void calls_switch(CUpti_ActivityKind kind, bool on)
{
	bool runtime = kind == CUPTI_ACTIVITY_KIND_RUNTIME;

	if (!runtime && kind != CUPTI_ACTIVITY_KIND_DRIVER)
		return;
	atomic_store(&calls_over[runtime], !on);
	for (unsigned i = 0; i < CALLS; i++)
		atomic_store(&calls[runtime][i], on);
}

bool cupti_client_any_kind(unsigned client)
{
	bool any = false;

	for (unsigned i = 0; i < KINDS; i++)
		any = any || atomic_load(&kinds[client][i]);
	return any;
}

void cupti_hooks_update(void)
{
	static const struct standin_hooks HOOKS = { .enter = cupti_call_enter,
		.leave = cupti_call_leave,
		.activity = cupti_activity,
		.reserve = cupti_reserve,
		.resource = cupti_resource,
		.now = cupti_now };
	bool any = cupti_subscribed();

	for (unsigned i = 0; i < CLIENTS; i++)
		any = any || cupti_client_any_kind(i);
	any = any || calls_any();
	standin_hooks_set(any ? &HOOKS : NULL);
}

CUptiResult cupti_client_enable(unsigned client, CUpti_ActivityKind kind)
{
	if (!cupti_record_size(kind))
		return CUPTI_ERROR_INVALID_KIND;
	atomic_store(&kinds[client][kind], true);
	if (!client)
		calls_switch(kind, true);
	cupti_hooks_update();
	if (kind == CUPTI_ACTIVITY_KIND_DEVICE)
		cupti_record_devices();
	return CUPTI_SUCCESS;
}

CUptiResult cupti_client_disable(unsigned client, CUpti_ActivityKind kind)
{
	if ((unsigned)kind >= KINDS)
		return CUPTI_ERROR_INVALID_KIND;
	if (atomic_exchange(&kinds[client][kind], false) && !client)
		calls_switch(kind, false);
	cupti_hooks_update();
	return CUPTI_SUCCESS;
}

static atomic_bool has_context;

void cupti_context_seen(void)
{
	atomic_store(&has_context, true);
}

/*
 * "This option is only available on Blackwell architecture. This API should be called after driver is
 * initialized" (cupti_activity.h): kernels have the same records.
 */
STANDIN_EXPORT CUptiResult cuptiActivityEnableHWTrace(uint8_t enable)
{
	(void)enable;
	if (!atomic_load(&has_context))
		return CUPTI_ERROR_NOT_INITIALIZED;
	return standin_setting("STANDIN_HARDWARE_EVENTS", 0, 0) > 0 ? CUPTI_SUCCESS
								    : CUPTI_ERROR_NOT_SUPPORTED;
}

#if STANDIN_CUDA > 12 /* from 12.6 on */
static CUptiResult call_switch(bool runtime, CUpti_CallbackId cbid, bool on)
{
	CUptiResult ret = cupti_global_error();

	if (ret != CUPTI_SUCCESS)
		return ret;
	if (cbid < CALLS && !atomic_load(&calls_over[runtime]))
		atomic_store(&calls[runtime][cbid], on);
	cupti_hooks_update();
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t enable)
{
	return call_switch(true, cbid, enable);
}

STANDIN_EXPORT CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t enable)
{
	return call_switch(false, cbid, enable);
}
#endif

STANDIN_EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	CUptiResult ret = cupti_global_error();

	return ret == CUPTI_SUCCESS ? cupti_client_enable(0, kind) : ret;
}

STANDIN_EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
	CUptiResult ret = cupti_global_error();

	return ret == CUPTI_SUCCESS ? cupti_client_disable(0, kind) : ret;
}

STANDIN_EXPORT CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind)
{
	return context ? cuptiActivityEnable(kind) : CUPTI_ERROR_INVALID_CONTEXT;
}

STANDIN_EXPORT CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind)
{
	return context ? cuptiActivityDisable(kind) : CUPTI_ERROR_INVALID_CONTEXT;
}

STANDIN_EXPORT CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock)
{
	CUptiResult ret = cupti_global_error();

	if (ret != CUPTI_SUCCESS)
		return ret;
	if (!clock)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (standin_fault("timestamp"))
		return CUPTI_ERROR_INVALID_OPERATION;
	atomic_store(&timestamp, clock);
	pthread_mutex_lock(&syncs_lock);
	nsyncs = 0;
	sync_add();
	pthread_mutex_unlock(&syncs_lock);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetTimestamp(uint64_t *now)
{
	CUptiResult ret = cupti_global_error();

	if (ret == CUPTI_SUCCESS && !now)
		ret = CUPTI_ERROR_INVALID_PARAMETER;
	if (ret == CUPTI_SUCCESS)
		*now = cupti_now();
	return ret;
}

STANDIN_EXPORT CUptiResult cuptiGetVersion(uint32_t *version)
{
	*version = standin_fault("nonodes") ? API_VERSION_NO_NODES
		: standin_fault("older")    ? API_VERSION_OLDER
					    : API_VERSION;
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *id)
{
	if (!context)
		return CUPTI_ERROR_INVALID_CONTEXT;
	*id = (uint32_t)context->device->ordinal;
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetContextId(CUcontext context, uint32_t *id)
{
	if (!context)
		return CUPTI_ERROR_INVALID_CONTEXT;
	*id = context->id;
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream handle, uint8_t own,
	uint32_t *id)
{
	CUcontext before = standin_context_peek();
	CUstream stream;
	CUresult ret;

	if (context)
		standin_context_set(context);
	standin_per_thread(own);
	ret = standin_stream(handle, &stream);
	standin_per_thread(-(int)own);
	standin_context_set(before);
	if (ret != CUDA_SUCCESS || (context && stream->ctx != context))
		return CUPTI_ERROR_INVALID_STREAM;
	*id = stream->id;
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t *id)
{
	return cuptiGetStreamIdEx(context, stream, 0, id);
}

STANDIN_EXPORT CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id)
{
	if (!node)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*id = standin_node_id(node);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t *id)
{
	if (!graph)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*id = standin_graph_id(graph);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetGraphExecId(CUgraphExec exec, uint32_t *id)
{
	if (!exec)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*id = standin_graph_exec_id(exec);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiDeviceSupported(CUdevice device, int *support)
{
	*support = standin_device(device) != NULL;
	return *support ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_DEVICE;
}

static const char *const RESULTS[] = {
	[CUPTI_SUCCESS] = "CUPTI_SUCCESS",
	[CUPTI_ERROR_INVALID_PARAMETER] = "CUPTI_ERROR_INVALID_PARAMETER",
	[CUPTI_ERROR_INVALID_DEVICE] = "CUPTI_ERROR_INVALID_DEVICE",
	[CUPTI_ERROR_INVALID_CONTEXT] = "CUPTI_ERROR_INVALID_CONTEXT",
	[CUPTI_ERROR_INVALID_OPERATION] = "CUPTI_ERROR_INVALID_OPERATION",
	[CUPTI_ERROR_MAX_LIMIT_REACHED] = "CUPTI_ERROR_MAX_LIMIT_REACHED",
	[CUPTI_ERROR_NOT_COMPATIBLE] = "CUPTI_ERROR_NOT_COMPATIBLE",
	[CUPTI_ERROR_NOT_INITIALIZED] = "CUPTI_ERROR_NOT_INITIALIZED",
	[CUPTI_ERROR_QUEUE_EMPTY] = "CUPTI_ERROR_QUEUE_EMPTY",
	[CUPTI_ERROR_INVALID_STREAM] = "CUPTI_ERROR_INVALID_STREAM",
	[CUPTI_ERROR_INVALID_KIND] = "CUPTI_ERROR_INVALID_KIND",
	[CUPTI_ERROR_NOT_SUPPORTED] = "CUPTI_ERROR_NOT_SUPPORTED",
	[CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED] =
		"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
};

STANDIN_EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
	if (!text)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*text = result == CUPTI_ERROR_UNKNOWN ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR";
	if ((size_t)result < sizeof(RESULTS) / sizeof(RESULTS[0]) && RESULTS[result])
		*text = RESULTS[result];
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetErrorMessage(CUptiResult result, const char **text)
{
	return cuptiGetResultString(result, text);
}

static _Atomic(int) thread_type = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;

/* As an H200 wrote it, by default: of pthread_self() the low half. */
uint32_t cupti_thread_id(void)
{
	return atomic_load(&thread_type) == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
		? (uint32_t)gettid()
		: (uint32_t)(uintptr_t)pthread_self();
}

STANDIN_EXPORT CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
	if (type != CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM &&
		type != CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT)
		return CUPTI_ERROR_NOT_SUPPORTED;
	atomic_store(&thread_type, (int)type);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType *type)
{
	*type = (CUpti_ActivityThreadIdType)atomic_load(&thread_type);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiGetLastError(void)
{
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t enable)
{
	(void)enable; /* queued and submitted stay unknown */
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityEnableLaunchAttributes(uint8_t enable)
{
	(void)enable;
	return CUPTI_SUCCESS;
}

/* Without it only blocking calls give synchronisation records; here they are all there are. */
STANDIN_EXPORT CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t enable)
{
	(void)enable;
	return CUPTI_SUCCESS;
}
