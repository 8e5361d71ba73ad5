/*
 * cuda_ids.c - contexts, devices and streams as numbers; see cuda_capture.h. CUPTI's stream ids are
 * unique within a context. Nearly all programs use one context per device, so its streams keep
 * their ids; streams of a further context get CONTEXT_STEP added, so that a device's numbers stay
 * unique.
 */
#include "config.h"

#include "cuda/cuda_capture.h"

#define CONTEXTS     64 /* more are taken for the first of their device */
#define CONTEXT_STEP (1u << 24)
#define CACHE	     256 /* streams' handles */

/* context:32 | device:16 | its place among the device's:15 | 1: used */
static _Atomic uint64_t contexts[CONTEXTS];
/* of the existing ones that were reported when they were made */
static void *_Atomic handles[CONTEXTS];

#define CONTEXT_OF(word) ((uint32_t)((word) >> 32))
#define DEVICE_OF(word)	 ((uint32_t)((word) >> 16) & 0xffff)
#define PLACE_OF(word)	 ((uint32_t)(word) >> 1 & 0x7fff)

static uint64_t context_word(uint32_t context)
{
	for (int i = 0; i < CONTEXTS; i++) {
		uint64_t word = atomic_load_explicit(&contexts[i], memory_order_relaxed);

		if (!word)
			return 0;
		if (CONTEXT_OF(word) == context)
			return word;
	}
	return 0;
}

/* Its place in the table, or CONTEXTS when that is full. */
static int context_place(uint32_t context, uint32_t device)
{
	uint64_t place = 0, none;

	for (int i = 0; i < CONTEXTS; i++) {
		uint64_t word = (uint64_t)context << 32 | (uint64_t)device << 16 | place << 1 | 1;

		none = 0;
		if (atomic_compare_exchange_strong(&contexts[i], &none, word) ||
			CONTEXT_OF(none) == context)
			return i;
		place += DEVICE_OF(none) == device;
	}
	return CONTEXTS;
}

void cuda_context_learn(uint32_t context, uint32_t device)
{
	if (device <= UINT16_MAX && !context_word(context))
		context_place(context, device);
}

void cuda_context_created(void *handle, uint32_t context, uint32_t device)
{
	int place = device <= UINT16_MAX ? context_place(context, device) : CONTEXTS;

	if (place < CONTEXTS)
		atomic_store(&handles[place], handle);
}

void cuda_context_destroyed(void *handle)
{
	for (int i = 0; i < CONTEXTS; i++) {
		void *seen = handle;

		atomic_compare_exchange_strong(&handles[i], &seen, NULL);
	}
}

uint32_t cuda_context_of(const void *handle)
{
	for (int i = 0; i < CONTEXTS && handle; i++)
		if (atomic_load(&handles[i]) == handle)
			return CONTEXT_OF(atomic_load(&contexts[i]));
	return 0;
}

uint32_t cuda_context_device(uint32_t context)
{
	uint64_t word = context_word(context);

	return word ? DEVICE_OF(word) : SPOOL_DEVICE_NONE;
}

uint32_t cuda_stream_number(uint32_t context, uint32_t stream)
{
	return stream + PLACE_OF(context_word(context)) * CONTEXT_STEP;
}

/*
 * The handle's upper 36 bits, the context that the stream belongs to:4, id + 1:24; 0 = empty. What
 * does not fit is asked for each time.
 */
static _Atomic uint64_t cache[CACHE];

#define CACHED_CONTEXT(entry) ((uint32_t)((entry) >> 24) & 15)

static uint32_t stream_ask(void *context, void *stream, bool per_thread)
{
	uint32_t id = SPOOL_STREAM_NONE;
	int ret = -1;

	if (tacho_cupti.GetStreamIdEx)
		ret = tacho_cupti.GetStreamIdEx(context, stream, per_thread, &id);
	else if (tacho_cupti.GetStreamId)
		ret = tacho_cupti.GetStreamId(context, stream, &id);
	return ret == CUPTI_OK ? id : SPOOL_STREAM_NONE;
}

/* CUPTI refuses a stream of another context: a thread may use the streams of any device. */
static uint32_t stream_search(void *stream, uint32_t *context)
{
	for (int i = 0; i < CONTEXTS; i++) {
		void *handle = atomic_load(&handles[i]);
		uint32_t id = handle ? stream_ask(handle, stream, false) : SPOOL_STREAM_NONE;

		if (id != SPOOL_STREAM_NONE) {
			*context = CONTEXT_OF(atomic_load(&contexts[i]));
			return id;
		}
	}
	return SPOOL_STREAM_NONE;
}

uint32_t cuda_stream_find(void *context, uint32_t *context_id, void *stream, bool per_thread)
{
	uint64_t handle = (uint64_t)(uintptr_t)stream >> 4, seen;
	bool is_default = stream <= (void *)2; /* of the context that is current */
	bool cached = (!is_default || (!stream && !per_thread)) && handle < 1ull << 44;
	_Atomic uint64_t *entry = &cache[handle % CACHE];
	uint32_t id;

	seen = atomic_load_explicit(entry, memory_order_relaxed);
	if (cached && (seen & 0xffffff) && seen >> 28 == handle / CACHE &&
		(!is_default || CACHED_CONTEXT(seen) == *context_id)) {
		*context_id = CACHED_CONTEXT(seen);
		return cuda_stream_number(*context_id, (uint32_t)(seen & 0xffffff) - 1);
	}
	id = stream_ask(context, stream, per_thread);
	if (id == SPOOL_STREAM_NONE && !is_default)
		id = stream_search(stream, context_id);
	if (id == SPOOL_STREAM_NONE)
		return id;
	if (cached && id < 0xfffffe && *context_id < 16)
		atomic_store_explicit(entry,
			handle / CACHE << 28 | (uint64_t)*context_id << 24 | (id + 1),
			memory_order_relaxed);
	return cuda_stream_number(*context_id, id);
}

void cuda_streams_forget(void)
{
	for (int i = 0; i < CACHE; i++)
		atomic_store_explicit(&cache[i], 0, memory_order_relaxed);
}
