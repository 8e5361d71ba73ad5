/*
 * cuda_calls.c - calls of the CUDA runtime and driver as CUPTI's callbacks report
 * them, on the calling thread and around the call; see cuda_capture.h.
 *
 * A runtime call makes driver calls. The outer one is recorded; the inner one
 * only where it has a correlation number of its own, since it may be that
 * number which the activity carries.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/capture.h"
#include "cuda/cuda_capture.h"
#include "cuda/cuda_guest.h"
#include "cuda/cuda_memory.h"
#include "cuda/cuda_sample.h"
#include "nccl/nccl.h"

/* Columns of cuda_callbacks.def as numbers; offsets are below them all. */
enum { NONE = 0xff, NULL_STREAM = 0xfe, CONFIG = 0xfd };
#define AT(field, offset) (offset)
#define CUDA_NOT_READY	  600 /* what a query answers, of runtime and driver alike */
#define CONFIG_STREAM	  32  /* in cudaLaunchConfig_t and CUlaunchConfig alike */

/* What is known of a callback; region 0: none of ours. */
struct callback {
	uint16_t region;
	uint8_t stream, word; /* where in the parameters they are, or as above */
	bool per_thread;      /* stream 0 is the thread's default stream */
};

/* "…_ptsz" and "…_ptds": compiled for per-thread default streams */
#define IS_PER_THREAD(name) (sizeof(name) > 6 && __builtin_strstr(name, "_pt") != NULL)

#define DRIVER(...)
#define RUNTIME(...) __VA_ARGS__
#define REMOVED	     CALLBACK
#define CALLBACK(domain, call, callback, number, stream, word)                                     \
	domain([number] = { REGION_##call, stream, word, IS_PER_THREAD(#callback) }, )
static struct callback runtime_callbacks[] = {
#include "cuda/cuda_callbacks.def"
};
#undef DRIVER
#undef RUNTIME

#define DRIVER(...) __VA_ARGS__
#define RUNTIME(...)
static struct callback driver_callbacks[] = {
#include "cuda/cuda_callbacks.def"
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const uint8_t resources[] = { RESOURCE_CONTEXT_CREATED, RESOURCE_CONTEXT_DESTROYED,
	RESOURCE_STREAM_DESTROYED };
static const uint8_t graphs[] = { RESOURCE_NODE_CREATED, RESOURCE_NODE_CLONED,
	RESOURCE_EXEC_CREATED };

static bool is_launch(unsigned region)
{
	switch (region) {
	case REGION_cudaLaunchKernel:
	case REGION_cudaLaunchKernelExC:
	case REGION_cudaLaunchCooperativeKernel:
	case REGION_cuLaunchKernel:
	case REGION_cuLaunchKernelEx:
	case REGION_cuLaunchCooperativeKernel: return true;
	default: return false;
	}
}

static bool is_graph_launch(unsigned region)
{
	return region == REGION_cudaGraphLaunch || region == REGION_cuGraphLaunch;
}

static void launches_leave_out(struct callback *callbacks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_launch(callbacks[i].region))
			callbacks[i].region = REGION_NONE;
}

/*
 * CUPTI takes longer to call us, twice per launch and domain, than we work. The runtime's launches make
 * one of the driver's with the same number: the driver's callbacks are enough.
 */
const char *cuda_launches_choose(void)
{
	const char *wanted = getenv("TACHO_GPU_LAUNCHES");

	if (wanted && !strcmp(wanted, "none"))
		launches_leave_out(driver_callbacks, COUNT(driver_callbacks));
	else if (!wanted || strcmp(wanted, "driver") != 0)
		return "both";
	launches_leave_out(runtime_callbacks, COUNT(runtime_callbacks));
	return wanted;
}

static const struct callback *callback_of(int domain, uint32_t number)
{
	if (domain == DOMAIN_RUNTIME)
		return number < COUNT(runtime_callbacks) ? &runtime_callbacks[number] : NULL;
	return domain == DOMAIN_DRIVER && number < COUNT(driver_callbacks)
		? &driver_callbacks[number]
		: NULL;
}

bool cuda_calls_want(int domain, uint32_t number)
{
	const struct callback *callback = callback_of(domain, number);

	return (callback && callback->region) ||
		(domain == DOMAIN_RESOURCE &&
			(memchr(resources, (int)number, sizeof(resources)) ||
				memchr(graphs, (int)number, sizeof(graphs))));
}

static void *subscribed;

static void launches_switch(bool on, int domain, const struct callback *callbacks, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_launch(callbacks[i].region) && (on || !guest_wants(domain, i)))
			tacho_cupti.EnableCallback(on, subscribed, domain, i);
}

void cuda_calls_launches(bool on)
{
	launches_switch(on, DOMAIN_RUNTIME, runtime_callbacks, COUNT(runtime_callbacks));
	launches_switch(on, DOMAIN_DRIVER, driver_callbacks, COUNT(driver_callbacks));
}

int cuda_calls_enable(void *subscriber)
{
	int error = CUPTI_OK;

	subscribed = subscriber;

	/* numbers that an older library does not know yet are refused, which is fine */
	for (uint32_t i = 0; i < COUNT(runtime_callbacks); i++)
		if (runtime_callbacks[i].region)
			tacho_cupti.EnableCallback(1, subscriber, DOMAIN_RUNTIME, i);
	for (uint32_t i = 0; i < COUNT(driver_callbacks); i++)
		if (driver_callbacks[i].region)
			tacho_cupti.EnableCallback(1, subscriber, DOMAIN_DRIVER, i);
	for (size_t i = 0; i < COUNT(resources) && error == CUPTI_OK; i++)
		error = tacho_cupti.EnableCallback(1, subscriber, DOMAIN_RESOURCE, resources[i]);
	/* without them kernels of graphs have no operation of NCCL's */
	for (size_t i = 0; i < COUNT(graphs) && tacho_cupti.version >= CUPTI_VERSION_NODES; i++)
		tacho_cupti.EnableCallback(1, subscriber, DOMAIN_RESOURCE, graphs[i]);
	return error;
}

/*
 * What was recorded where something limits the capture: ranges of correlation
 * numbers, one per time that the window was open. Activities are reported long
 * after their launch; by then the oldest ranges may be forgotten.
 */
#define RANGES 1024

static struct {
	_Atomic uint32_t first, last;
} ranges[RANGES];
static _Atomic uint32_t nranges;
static _Atomic uint32_t was_outside = 1;

static void range_note(uint32_t correlation)
{
	uint32_t n, last;

	if (atomic_load_explicit(&was_outside, memory_order_relaxed) &&
		atomic_exchange(&was_outside, 0)) {
		n = atomic_load(&nranges);
		atomic_store(&ranges[n % RANGES].first, correlation);
		atomic_store(&ranges[n % RANGES].last, correlation);
		atomic_store(&nranges, n + 1);
		return;
	}
	n = (atomic_load(&nranges) - 1) % RANGES;
	last = atomic_load_explicit(&ranges[n].last, memory_order_relaxed);
	while (last < correlation &&
		!atomic_compare_exchange_weak(&ranges[n].last, &last, correlation))
		;
}

bool cuda_was_captured(uint32_t correlation)
{
	uint32_t n = atomic_load(&nranges);

	if (!tacho_capture_limited || !correlation)
		return true;
	for (uint32_t i = n; i-- > (n > RANGES ? n - RANGES : 0);)
		if (correlation >= atomic_load(&ranges[i % RANGES].first))
			return correlation <= atomic_load(&ranges[i % RANGES].last);
	return false;
}

/* Whether the thread is in a recorded runtime call that represents this driver call as well. */
static bool is_inner(const struct thread *self, uint32_t correlation)
{
	uint64_t depth = self->cursor >> 48;
	const struct spool_inside *outer;

	if (!depth || depth > SPOOL_MAX_DEPTH)
		return false;
	outer = &self->head->inside[depth - 1];
	return region_class(atomic_load_explicit(&outer->region, memory_order_relaxed)) ==
		REGION_CLASS_CUDA &&
		outer->arg == correlation;
}

static unsigned innermost(const struct thread *self)
{
	uint64_t depth = self->cursor >> 48;

	return depth && depth <= SPOOL_MAX_DEPTH
		? atomic_load_explicit(&self->head->inside[depth - 1].region, memory_order_relaxed)
		: REGION_NONE;
}

/*
 * Whether the launch is to be recorded. A launch makes no other one through the same interface: where
 * the thread is in one, that one's end was not reported (cuda_sample.c).
 */
static bool launch_begins(struct thread *self, unsigned region)
{
	unsigned outer = innermost(self);

	if (unlikely(is_launch(outer) &&
		    (outer == region || outer >= REGION_cuLaunchKernel ||
			    region < REGION_cuLaunchKernel))) {
		thread_end_innermost(self);
		cuda_sample_lost();
	}
	return cuda_sample_launches();
}

static void call_enter(const struct callback *callback, int domain, const struct cupti_call *call)
{
	struct thread *self = thread_self(callback->region);
	bool is_kept = false;

	*call->own = 0;
	if (unlikely(tacho_sample_watches) && is_graph_launch(callback->region))
		cuda_sample_graph();
	/* what NCCL launches into a graph says whose its kernels are, see cuda_graph.c */
	if (unlikely(!self && tacho_nccl_thread.inside && atomic_load(&tacho_cuda_captures))) {
		self = thread_self(REGION_NONE);
		is_kept = true;
	}
	if (!self) {
		if (unlikely(tacho_capture_limited))
			atomic_store_explicit(&was_outside, 1, memory_order_relaxed);
		return;
	}
	if (domain == DOMAIN_DRIVER && is_inner(self, call->correlation))
		return;
	if (tacho_sample_watches && is_launch(callback->region) &&
		!launch_begins(self, callback->region))
		return;
	if (unlikely(tacho_capture_limited && !is_kept))
		range_note(call->correlation);
	*call->own = span_begin_at(self, callback->region, call->correlation, 0, SPAN_NO_FRAME)
			     .start;
}

static uint64_t param(const struct cupti_call *call, unsigned offset)
{
	uint64_t value = 0;

	if (call->params)
		memcpy(&value, (const char *)call->params + offset, sizeof(value));
	return value;
}

/* *context: the current one; becomes that of the stream. */
static uint32_t call_stream(const struct callback *callback, const struct cupti_call *call,
	uint32_t *context)
{
	uint64_t handle = 0;

	if (callback->stream == NONE || !call->context)
		return SPOOL_STREAM_NONE;
	if (callback->stream == CONFIG) {
		uint64_t config = param(call, 0);

		if (config)
			memcpy(&handle, (const char *)(uintptr_t)config + CONFIG_STREAM,
				sizeof(handle));
	} else if (callback->stream != NULL_STREAM) {
		handle = param(call, callback->stream);
	}
	return cuda_stream_find(call->context, context, (void *)(uintptr_t)handle,
		callback->per_thread);
}

static uint32_t call_device(const struct cupti_call *call)
{
	uint32_t device = call->context ? cuda_context_device(call->context_id) : SPOOL_DEVICE_NONE;

	if (device == SPOOL_DEVICE_NONE && call->context &&
		tacho_cupti.GetDeviceId(call->context, &device) == CUPTI_OK)
		cuda_context_learn(call->context_id, device);
	return device;
}

/* A handle that the driver has refused may be anything: CUPTI is not asked for it. */
static bool is_refused(const struct cupti_call *call)
{
	return call->result && *call->result && *call->result != CUDA_NOT_READY;
}

static void call_leave(const struct callback *callback, const struct cupti_call *call)
{
	struct span span = { .self = tacho_self, .start = *call->own, .region = callback->region };
	uint32_t context = call->context_id, device = call_device(call);
	uint32_t stream = is_refused(call) ? SPOOL_STREAM_NONE
					   : call_stream(callback, call, &context);
	uint64_t words[2];
	unsigned n = 1;

	*call->own = 0;
	if (context != call->context_id) /* a stream of another device than the thread's */
		device = cuda_context_device(context);
	words[0] = spool_pair(stream, device);
	if (callback->word != NONE)
		words[n++] = param(call, callback->word);
	/* a call that failed has launched nothing */
	span_leave(&span, SPOOL_CUDA, call->result && *call->result ? 0 : call->correlation, words,
		n);
	if (tacho_sample_watches && is_launch(callback->region))
		cuda_sample_launched(call->correlation);
}

/* Of each call, recorded or not: what is held outside of the capture window is held inside as well. */
static void memory_follow(const struct callback *callback, const struct cupti_call *call)
{
	bool is_begin = call->site == CUPTI_ENTER;
	uint64_t address = 0;

	switch (callback->region) {
	case REGION_cudaFree:
	case REGION_cudaFreeAsync:
	case REGION_cuMemFree:
	case REGION_cuMemFreeAsync:
		if (is_begin)
			cuda_memory_returned(param(call, 0));
		return;
	case REGION_cudaMalloc:
	case REGION_cudaMallocAsync:
	case REGION_cudaMallocFromPoolAsync:
	case REGION_cuMemAlloc:
	case REGION_cuMemAllocAsync:
	case REGION_cuMemAllocFromPoolAsync:
		if (is_begin || !call->result || *call->result || !param(call, 0))
			return;
		memcpy(&address, (const void *)(uintptr_t)param(call, 0), sizeof(address));
		cuda_memory_given(address, param(call, callback->word), call->context_id,
			call_device(call));
		return;
	case REGION_cudaMallocPitch:
	case REGION_cudaMalloc3D:
	case REGION_cuMemCreate:
		if (!is_begin && call->result && !*call->result)
			cuda_memory_missed(call_device(call));
		return;
	default: return;
	}
}

static void resource_destroyed(uint32_t number, const struct cupti_resource_data *data)
{
	uint32_t context;

	cuda_streams_forget();
	if (number != RESOURCE_CONTEXT_DESTROYED)
		return;
	context = cuda_context_of(data->context);
	if (context)
		cuda_memory_lost(context);
	cuda_context_destroyed(data->context);
}

static void resource(uint32_t number, const struct cupti_resource_data *data)
{
	uint32_t context, device;

	if (number >= RESOURCE_NODE_CREATED)
		cuda_graph_resource(number, data->descriptor);
	else if (number != RESOURCE_CONTEXT_CREATED)
		resource_destroyed(number, data);
	else if (tacho_cupti.GetContextId(data->context, &context) == CUPTI_OK &&
		tacho_cupti.GetDeviceId(data->context, &device) == CUPTI_OK)
		cuda_context_created(data->context, context, device);
}

void cuda_callback(void *user, int domain, uint32_t number, const void *data)
{
	static _Atomic uint32_t has_begun;
	const struct callback *callback = callback_of(domain, number);
	const struct cupti_call *call = data;
	int saved = errno;

	(void)user;
	if (domain == DOMAIN_RESOURCE && cuda_calls_want(domain, number)) {
		resource(number, data);
	} else if (callback && callback->region) {
		memory_follow(callback, call);
		if (call->site == CUPTI_ENTER)
			call_enter(callback, domain, call);
		else if (*call->own)
			call_leave(callback, call);
		if (call->site == CUPTI_EXIT && call->result)
			cuda_graph_call(callback->region, *call->result);
		/*
		 * the driver's functions work from the end of the first call on that had a context
		 */
		if (call->site == CUPTI_EXIT && call->context &&
			unlikely(!atomic_load_explicit(&has_begun, memory_order_relaxed)) &&
			!atomic_exchange(&has_begun, 1) && cuda_is_on())
			cuda_begins();
	}
	guest_call(domain, number, data);
	errno = saved;
}
