/*
 * A CUPTI client as any tool is one: loaded by the driver (CUDA_INJECTION64_PATH), written against
 * the toolkit's header. At the end of the process it prints "seen WHAT NUMBER" lines, which
 * tests/standin_cupti.sh compares with the program's own counts.
 */
#include <cupti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 16384, CORRELATIONS = 1 << 20, INTERVALS = 1 << 16 };

/* The counters that are printed, one line each. */
#define COUNTS(C)                                                                                  \
	C(kernels)                                                                                 \
	C(h2d)                                                                                     \
	C(d2h)                                                                                     \
	C(d2d)                                                                                     \
	C(p2p)                                                                                     \
	C(sets)                                                                                    \
	C(bytes)                                                                                   \
	C(graphkernels)                                                                            \
	C(graphs)                                                                                  \
	C(runtime)                                                                                 \
	C(driver)                                                                                  \
	C(syncs)                                                                                   \
	C(overhead)                                                                                \
	C(devices)                                                                                 \
	C(external)                                                                                \
	C(launch_callbacks)                                                                        \
	C(nested_driver)                                                                           \
	C(unbalanced)                                                                              \
	C(return_missing)                                                                          \
	C(unbound)                                                                                 \
	C(unnamed)                                                                                 \
	C(backwards)                                                                               \
	C(overlapping)                                                                             \
	C(disordered)                                                                              \
	C(end0)                                                                                    \
	C(unknown)                                                                                 \
	C(buffers)                                                                                 \
	C(concurrent)                                                                              \
	C(dropped)                                                                                 \
	C(streams)                                                                                 \
	C(graph_nodes)                                                                             \
	C(pageable)                                                                                \
	C(pinned)
#define C(name) static atomic_long name;
COUNTS(C)
#undef C

static CUpti_SubscriberHandle subscriber;
static atomic_uchar launched[CORRELATIONS], contexts[CORRELATIONS];
static atomic_int inside;
static struct interval {
	unsigned device, stream;
	uint64_t start, end;
} intervals[INTERVALS];
static atomic_size_t nintervals;
static _Thread_local int depth;

static void must(CUptiResult result, const char *what)
{
	const char *text;

	if (result == CUPTI_SUCCESS)
		return;
	cuptiGetResultString(result, &text);
	printf("seen refused %s %d %s\n", what, (int)result, text);
}
#define DO(call) must(call, #call)

static uint64_t clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void request(uint8_t **buffer, size_t *size, size_t *max)
{
	*buffer = aligned_alloc(8, BUFFER);
	*size = BUFFER;
	*max = 0;
}

/* Buffers come as they are complete: what work of one stream overlaps is seen at the end. */
static void order_check(unsigned device, unsigned stream, uint64_t start, uint64_t end)
{
	size_t i;

	if (!end) {
		end0++;
		return;
	}
	backwards += end < start;
	i = atomic_fetch_add(&nintervals, 1);
	if (i < INTERVALS)
		intervals[i] = (struct interval){ device, stream, start, end };
}

/* Whether it comes after one of its stream that began later. */
static bool is_disordered(size_t i)
{
	for (size_t k = i; k-- > 0;)
		if (intervals[k].device == intervals[i].device &&
			intervals[k].stream == intervals[i].stream)
			return intervals[k].start > intervals[i].start;
	return false;
}

static int interval_compare(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static void overlaps_count(void)
{
	size_t n = nintervals < INTERVALS ? nintervals : INTERVALS;

	for (size_t i = 0; i < n; i++)
		disordered += is_disordered(i);
	qsort(intervals, n, sizeof(*intervals), interval_compare);
	for (size_t i = 1; i < n; i++)
		overlapping += intervals[i].device == intervals[i - 1].device &&
			intervals[i].stream == intervals[i - 1].stream &&
			intervals[i].start < intervals[i - 1].end;
}

static void kernel(const CUpti_ActivityKernel5 *k)
{
	kernels++;
	graphkernels += k->graphNodeId != 0;
	unnamed += !k->name || !*k->name;
	unbound += k->correlationId >= CORRELATIONS || !launched[k->correlationId];
	order_check(k->deviceId, k->streamId, k->start, k->end);
}

static void copy(const CUpti_ActivityMemcpy4 *m)
{
	h2d += m->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
	d2h += m->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
	d2d += m->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
	pageable += m->srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ||
		m->dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
	pinned += m->srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED ||
		m->dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
	bytes += (long)m->bytes;
	unbound += m->correlationId >= CORRELATIONS || !contexts[m->correlationId];
	order_check(m->deviceId, m->streamId, m->start, m->end);
}

static void record(CUpti_Activity *r)
{
	switch (r->kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: kernel((CUpti_ActivityKernel5 *)r); break;
	case CUPTI_ACTIVITY_KIND_MEMCPY: copy((CUpti_ActivityMemcpy4 *)r); break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		p2p++;
		bytes += (long)((CUpti_ActivityMemcpyPtoP3 *)r)->bytes;
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		sets++;
		bytes += (long)((CUpti_ActivityMemset3 *)r)->bytes;
		break;
	case CUPTI_ACTIVITY_KIND_RUNTIME: runtime++; break;
	case CUPTI_ACTIVITY_KIND_DRIVER: driver++; break;
	case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: syncs++; break;
	case CUPTI_ACTIVITY_KIND_OVERHEAD: overhead++; break;
	case CUPTI_ACTIVITY_KIND_DEVICE: devices++; break;
	case CUPTI_ACTIVITY_KIND_STREAM: streams++; break;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: graphs++; break;
	case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: external++; break;
	default: unknown++;
	}
}

static void complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	CUpti_Activity *r = NULL;
	CUptiResult ret;
	size_t lost = 0;

	(void)context, (void)stream, (void)size;
	buffers++;
	concurrent += atomic_fetch_add(&inside, 1) > 0;
	while ((ret = cuptiActivityGetNextRecord(buffer, valid, &r)) == CUPTI_SUCCESS)
		record(r);
	if (ret != CUPTI_ERROR_MAX_LIMIT_REACHED)
		must(ret, "GetNextRecord");
	cuptiActivityGetNumDroppedRecords(NULL, 0, &lost);
	dropped += (long)lost;
	atomic_fetch_sub(&inside, 1);
	free(buffer);
}

static bool is_launch(CUpti_CallbackId id)
{
	return id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 ||
		id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060 ||
		id == CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000;
}

static void call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
	bool enter = data->callbackSite == CUPTI_API_ENTER;

	if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
		nested_driver += enter && depth > 0;
		return;
	}
	if (enter) {
		*data->correlationData = data->correlationId + 7;
		depth++;
	} else {
		depth--;
		unbalanced += *data->correlationData != data->correlationId + 7;
		return_missing += !data->functionReturnValue;
	}
	if (data->correlationId < CORRELATIONS) {
		contexts[data->correlationId] = 1;
		if (is_launch(id))
			launched[data->correlationId] = 1;
	}
	launch_callbacks += enter && is_launch(id) &&
		id != CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000;
	if (enter && id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 && !data->symbolName)
		unnamed++;
}

static void callback(void *userdata, CUpti_CallbackDomain domain, CUpti_CallbackId id,
	const void *data)
{
	(void)userdata;
	if (domain == CUPTI_CB_DOMAIN_RESOURCE)
		graph_nodes += id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED;
	else
		call(domain, id, data);
}

static void finish(void)
{
	bool late = getenv("CLIENT_FLUSHES") != NULL;

	for (int i = late ? atoi(getenv("CLIENT_FLUSHES")) : 2; i > 0; i--)
		DO(cuptiActivityFlushAll(late ? 0 : CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
	overlaps_count();
#define C(name) printf("seen " #name " %ld\n", name);
	COUNTS(C)
#undef C
	fflush(stdout);
}

static const CUpti_ActivityKind KINDS[] = {
	CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
	CUPTI_ACTIVITY_KIND_MEMCPY,
	CUPTI_ACTIVITY_KIND_MEMCPY2,
	CUPTI_ACTIVITY_KIND_MEMSET,
	CUPTI_ACTIVITY_KIND_RUNTIME,
	CUPTI_ACTIVITY_KIND_DRIVER,
	CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
	CUPTI_ACTIVITY_KIND_OVERHEAD,
	CUPTI_ACTIVITY_KIND_DEVICE,
	CUPTI_ACTIVITY_KIND_STREAM,
	CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
};

int InitializeInjection(void);
int InitializeInjection(void)
{
	uint32_t version = 0;
	int count = -1;

	cuDeviceGetCount(&count); /* the driver allows questions from clients that it starts */
	printf("seen count %d\n", count);
	DO(cuptiGetVersion(&version));
	printf("seen version %u\n", version);
	DO(cuptiSubscribe(&subscriber, callback, NULL));
	DO(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
	DO(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API));
	DO(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE));
	DO(cuptiActivityRegisterCallbacks(request, complete));
	DO(cuptiActivityRegisterTimestampCallback(clock_now));
	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		DO(cuptiActivityEnable(KINDS[i]));
	if (getenv("CLIENT_GRAPHS"))
		DO(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
	if (getenv("CLIENT_PERIOD"))
		DO(cuptiActivityFlushPeriod((uint32_t)atoi(getenv("CLIENT_PERIOD"))));
	DO(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 42));
	atexit(finish);
	return 1;
}
