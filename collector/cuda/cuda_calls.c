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
#include <string.h>

#include "core/capture.h"
#include "cuda/cuda_callbacks.h"
#include "cuda/cuda_guest.h"
#include "cuda/cuda_memory.h"
#include "cuda/cuda_sample.h"
#include "nccl/nccl.h"

#define CUDA_NOT_READY 600 /* what a query answers, of runtime and driver alike */
#define CONFIG_STREAM  32  /* in cudaLaunchConfig_t and CUlaunchConfig alike */

static bool is_graph_launch(unsigned region)
{
	return region == REGION_cudaGraphLaunch || region == REGION_cuGraphLaunch;
}

static void launches_switch(void *subscriber, bool on, int domain)
{
	const struct cuda_callback *callback;

	for (uint32_t i = 0; (callback = cuda_callback_of(domain, i)); i++)
		if (cuda_is_launch(callback->region) && (on || !guest_wants(domain, i)))
			tacho_cupti.EnableCallback(on, subscriber, domain, i);
}

void cuda_calls_launches(void *subscriber, bool on)
{
	launches_switch(subscriber, on, DOMAIN_RUNTIME);
	launches_switch(subscriber, on, DOMAIN_DRIVER);
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

	if (unlikely(cuda_is_launch(outer) &&
		    (outer == region || outer >= REGION_cuLaunchKernel ||
			    region < REGION_cuLaunchKernel))) {
		thread_end_innermost(self);
		cuda_sample_lost();
	}
	return cuda_sample_launches();
}

static void call_enter(const struct cuda_callback *callback, int domain,
	const struct cupti_call *call)
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
			cuda_not_captured();
		return;
	}
	if (domain == DOMAIN_DRIVER && is_inner(self, call->correlation))
		return;
	if (tacho_sample_watches && cuda_is_launch(callback->region) &&
		!launch_begins(self, callback->region))
		return;
	if (unlikely(tacho_capture_limited && !is_kept))
		cuda_captured(call->correlation);
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
static uint32_t call_stream(const struct cuda_callback *callback, const struct cupti_call *call,
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

static void call_leave(const struct cuda_callback *callback, const struct cupti_call *call)
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
	if (tacho_sample_watches && cuda_is_launch(callback->region))
		cuda_sample_launched(call->correlation);
}

/* Of each call, recorded or not: what is held outside of the capture window is held inside as well. */
static void memory_follow(const struct cuda_callback *callback, const struct cupti_call *call)
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
	if (number == RESOURCE_CONTEXT_CREATED)
		cuda_hardware_ask();
}

void cuda_callback(void *user, int domain, uint32_t number, const void *data)
{
	static _Atomic uint32_t has_begun;
	const struct cuda_callback *callback = cuda_callback_of(domain, number);
	const struct cupti_call *call = data;
	int saved = errno;

	(void)user;
	if (domain == DOMAIN_RESOURCE && cuda_callback_is_ours(domain, number)) {
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
