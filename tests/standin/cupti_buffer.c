/*
 * The client's buffers. CUDA 13: each thread fills one of its own; CUDA 12, or if the
 * client asks for it: one for the process. Full ones are handed back by threads of the library
 * (CUDA 13: two at a time) while others are filled; a flush hands back all, from the calling
 * thread. No lock is held while the client is called.
 *
 * What cupti_activity.h of CUDA 13.0 says, and this does:
 * - cuptiActivityFlushAll(0) "returns all the activity buffers which have all the activity records
 *   completed, buffers need not to be full though. It doesn't return buffers which have one or
 *   more incomplete records"; forced "it returns all the activity buffers including the ones which
 *   have one or more incomplete activity records".
 * - cuptiActivityFlushPeriod: "can return only those activity buffers which are full and have all
 *   the activity records completed".
 * - CUpti_BuffersCallbackCompleteFunc: "After this call CUPTI relinquished ownership of the buffer
 *   and will not use it anymore": a record that is complete only then is lost.
 * - cuptiActivityGetNextRecord: "CUPTI_ERROR_INVALID_KIND if activity record is either incomplete
 *   or invalid".
 * - CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, where 0, which is the default: "CUPTI will
 *   zero out the buffer in the main thread"; else the client has to.
 * - CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER "should be set before registering the buffer
 *   callbacks"; "The default value is 1". Set later it does nothing here.
 */
#include "cupti_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RECORD_MAX = 256, DELIVERERS = STANDIN_CUDA == 12 ? 1 : 2 };

struct buffer {
	struct buffer *next;
	uint8_t *data;
	size_t size, used, records, max;
	unsigned incomplete; /* records that are reserved and not there yet */
	bool full;	     /* it waits for being handed back */
	bool gone;	     /* it was handed back with such */
};

/* The place of a record that is not complete yet. Its fields are the lock's. */
struct slot {
	struct slot *next;
	struct buffer *buffer;
	size_t offset;
};

/* What clients set; of these only those of buffers change anything here. */
static size_t attributes[16] = { [CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE] = 3200000,
	[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT] = 250,
	[CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER] = STANDIN_CUDA != 12 };

/* A thread's, or the process's, place in the buffer that it fills. Never freed. */
struct writer {
	struct writer *next;
	pthread_mutex_t lock;
	struct buffer *buffer;
};

/* A record that a fault keeps back. */
struct held {
	struct held *next;
	unsigned flush; /* number of flushes when it came */
	size_t size;
	uint8_t bytes[RECORD_MAX];
};

static CUpti_BuffersCallbackRequestFunc requested;
static CUpti_BuffersCallbackCompleteFunc completed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct writer *writers;
static struct buffer *full_head, **full_tail = &full_head;
static unsigned delivering, flushes, period_ms, started;
static struct held *held;
static atomic_size_t dropped;
static _Thread_local struct writer *own_writer;
static struct slot *slots;
static atomic_uint zeroed, dirty; /* buffers: in the program's threads; though promised zero */

/* What cupti_put_device() does in this thread: see cupti_slot_begin(). */
static _Thread_local struct {
	bool on;
	struct slot *slot;
} reservation;

static bool per_thread(void)
{
	return attributes[CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER] != 0;
}

static bool report_wanted(void)
{
	return standin_fault("buffers") != 0;
}

__attribute__((destructor)) static void report(void)
{
	if (report_wanted())
		dprintf(2,
			"standin: %u buffers zeroed for the client, %u of its zeroed ones not zero\n",
			zeroed, dirty);
}

static struct writer *writer_get(void)
{
	static struct writer *shared;
	struct writer **place = per_thread() ? &own_writer : &shared;
	struct writer *made;

	if (__atomic_load_n(place, __ATOMIC_ACQUIRE))
		return *place;
	made = calloc(1, sizeof(*made));
	if (!made)
		abort();
	pthread_mutex_init(&made->lock, NULL);
	pthread_mutex_lock(&lock);
	if (!*place) {
		made->next = writers;
		writers = made;
		__atomic_store_n(place, made, __ATOMIC_RELEASE);
		made = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(made);
	return *place;
}

/* ---- handing back ---- */

/* In the order in which they were filled: the writer's lock is held. */
static void full_add(struct buffer *buffer)
{
	pthread_mutex_lock(&lock);
	buffer->full = true;
	buffer->next = NULL;
	*full_tail = buffer;
	full_tail = &buffer->next;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* Takes a full buffer out of the list that may be handed back. Lock held. */
static struct buffer *full_take(bool forced)
{
	for (struct buffer **at = &full_head; *at; at = &(*at)->next) {
		struct buffer *buffer = *at;

		if (buffer->incomplete && !forced)
			continue;
		*at = buffer->next;
		if (full_tail == &buffer->next)
			full_tail = at;
		buffer->gone = buffer->incomplete > 0;
		return buffer;
	}
	return NULL;
}

/*
 * Hands back one full buffer, if there is one. Lock held, and let go meanwhile. Buffers
 * that threads share are handed back one after the other, in order.
 */
static bool deliver_one(bool forced)
{
	struct buffer *buffer, back;
	uint64_t start = cupti_now();

	while (!per_thread() && full_head && delivering)
		pthread_cond_wait(&changed, &lock);
	buffer = full_take(forced);
	if (!buffer)
		return false;
	back = *buffer;
	if (!back.gone)
		free(buffer);
	delivering++;
	pthread_mutex_unlock(&lock);
	completed(NULL, 0, back.data, back.size, back.used);
	cupti_record_overhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, start, cupti_now());
	pthread_mutex_lock(&lock);
	delivering--;
	pthread_cond_broadcast(&changed);
	return true;
}

static bool is_complete(const struct buffer *buffer)
{
	bool ret;

	pthread_mutex_lock(&lock);
	ret = !buffer->incomplete;
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Takes what the writers have begun. */
static void writers_cut(bool forced)
{
	struct writer *first;

	pthread_mutex_lock(&lock);
	first = writers;
	pthread_mutex_unlock(&lock);
	for (struct writer *w = first; w; w = w->next) {
		pthread_mutex_lock(&w->lock);
		if (w->buffer && w->buffer->used && (forced || is_complete(w->buffer))) {
			full_add(w->buffer);
			w->buffer = NULL;
		}
		pthread_mutex_unlock(&w->lock);
	}
}

static void *deliver_thread(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	for (;;) {
		struct timespec until;
		unsigned ms = period_ms ? period_ms : 1000;
		int timed_out = 0;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += ms / 1000;
		until.tv_nsec += (long)(ms % 1000) * 1000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_sec++;
			until.tv_nsec -= 1000000000;
		}
		timed_out = pthread_cond_timedwait(&changed, &lock, &until);
		if (timed_out && period_ms) {
			pthread_mutex_unlock(&lock);
			writers_cut(false);
			pthread_mutex_lock(&lock);
		}
		while (deliver_one(false))
			;
	}
	return NULL;
}

/* ---- filling ---- */

static void buffer_clean(struct buffer *buffer)
{
	if (!attributes[CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER]) {
		memset(buffer->data, 0, buffer->size);
		atomic_fetch_add(&zeroed, 1);
		return;
	}
	for (size_t i = 0; report_wanted() && i < buffer->size; i++)
		if (buffer->data[i]) {
			atomic_fetch_add(&dirty, 1);
			return;
		}
}

static struct buffer *buffer_request(void)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer));

	if (!buffer || !requested) {
		free(buffer);
		return NULL;
	}
	requested(&buffer->data, &buffer->size, &buffer->max);
	if (!buffer->data || buffer->size < RECORD_MAX) {
		free(buffer);
		return NULL;
	}
	buffer_clean(buffer);
	/* the memory of one that was handed back incomplete is the client's */
	pthread_mutex_lock(&lock);
	for (struct slot *slot = slots; slot; slot = slot->next)
		if (slot->buffer->gone && slot->buffer->data == buffer->data)
			slot->buffer->data = NULL;
	pthread_mutex_unlock(&lock);
	return buffer;
}

static bool buffer_takes(const struct buffer *buffer, size_t size)
{
	return buffer && buffer->size - buffer->used >= size &&
		(!buffer->max || buffer->records < buffer->max);
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Remembers the place of the record that was put last. The writer's lock is held. */
static struct slot *slot_make(struct buffer *buffer, size_t size)
{
	struct slot *slot = calloc(1, sizeof(*slot));

	if (!slot)
		abort();
	slot->buffer = buffer;
	slot->offset = buffer->used - padded(size);
	pthread_mutex_lock(&lock);
	buffer->incomplete++;
	slot->next = slots;
	slots = slot;
	pthread_mutex_unlock(&lock);
	return slot;
}

/* Completes a record where it was reserved; one whose buffer is the client's again is lost. */
static void slot_fill(struct slot *slot, const void *record, size_t size)
{
	struct buffer *buffer = slot->buffer;

	pthread_mutex_lock(&lock);
	for (struct slot **at = &slots; *at; at = &(*at)->next)
		if (*at == slot) {
			*at = slot->next;
			break;
		}
	if (!buffer->gone)
		memcpy(buffer->data + slot->offset, record, size);
	buffer->incomplete--;
	if (!buffer->incomplete && buffer->gone)
		free(buffer);
	else if (!buffer->incomplete && buffer->full)
		pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	free(slot);
}

void cupti_slot_begin(void *slot)
{
	reservation.on = true;
	reservation.slot = slot;
}

void *cupti_slot_end(void)
{
	struct slot *slot = reservation.slot;

	reservation.on = false;
	reservation.slot = NULL;
	return slot;
}

/* As an H200 wrote it (tests/data/cupti13): behind the first record of a buffer, once. */
static void request_tell(uint64_t start)
{
	static _Thread_local bool telling; /* a client may want buffers of one record */

	if (telling)
		return;
	telling = true;
	cupti_record_overhead(CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, start, cupti_now());
	telling = false;
}

void cupti_put(const void *record, size_t size)
{
	struct writer *writer = writer_get();
	struct buffer *fresh = NULL;
	uint64_t start = 0;

	pthread_mutex_lock(&writer->lock);
	while (!buffer_takes(writer->buffer, padded(size))) {
		if (writer->buffer)
			full_add(writer->buffer);
		writer->buffer = NULL;
		pthread_mutex_unlock(&writer->lock);
		start = cupti_now();
		fresh = buffer_request();
		if (!fresh) {
			atomic_fetch_add(&dropped, 1);
			return;
		}
		pthread_mutex_lock(&writer->lock);
		if (writer->buffer) /* another thread put one in meanwhile */
			full_add(writer->buffer);
		writer->buffer = fresh;
	}
	memset(writer->buffer->data + writer->buffer->used, 0, padded(size));
	memcpy(writer->buffer->data + writer->buffer->used, record, size);
	writer->buffer->used += padded(size);
	writer->buffer->records++;
	if (reservation.on && !reservation.slot)
		reservation.slot = slot_make(writer->buffer, size);
	pthread_mutex_unlock(&writer->lock);
	if (fresh)
		request_tell(start);
}

/* ---- faults ---- */

static bool every(const char *fault, unsigned number)
{
	unsigned n = standin_fault(fault);

	return n && number % n == 0;
}

bool cupti_reserves(void)
{
	return !standin_fault("dropped") && !standin_fault("late") && !standin_fault("unordered") &&
		!standin_fault("unknown") && !standin_fault("nested");
}

static void hold(const void *record, size_t size)
{
	struct held *keep = calloc(1, sizeof(*keep));

	if (!keep)
		return;
	keep->size = size;
	memcpy(keep->bytes, record, size);
	pthread_mutex_lock(&lock);
	keep->flush = flushes;
	keep->next = held;
	held = keep;
	pthread_mutex_unlock(&lock);
}

/* Writes the records kept back before flush number BEFORE: newest first, so out of order. */
static void held_release(unsigned before)
{
	struct held *out = NULL;

	pthread_mutex_lock(&lock);
	for (struct held **at = &held; *at;) {
		struct held *h = *at;

		if (h->flush >= before) {
			at = &h->next;
			continue;
		}
		*at = h->next;
		h->next = out;
		out = h;
	}
	pthread_mutex_unlock(&lock);
	while (out) {
		struct held *h = out;

		out = h->next;
		cupti_put(h->bytes, h->size);
		free(h);
	}
}

static void put_unknown(void)
{
	struct {
		CUpti_ActivityKind kind;
		char noise[68];
	} record = { .kind = (CUpti_ActivityKind)60 };

	memset(record.noise, 0xa5, sizeof(record.noise));
	cupti_put(&record, cupti_record_size(record.kind));
}

void cupti_put_device(void *record, size_t size, uint64_t *end)
{
	static atomic_uint numbers;
	unsigned number;

	if (reservation.on && !reservation.slot) {
		cupti_put(record, size);
		return;
	}
	number = atomic_fetch_add(&numbers, 1) + 1;
	if (every("end0", number))
		*end = 0;
	/*
	 * CUPTI's release notes of CUDA 11.4: "traces all the host launched kernels until it
	 * encounters a host launched kernel which launches child kernels. Subsequent kernels are
	 * not traced."
	 */
	if (standin_fault("nested") && number > standin_fault("nested"))
		return;
	if (every("unknown", number))
		put_unknown();
	if (reservation.on)
		slot_fill(reservation.slot, record, size);
	else if (every("dropped", number))
		atomic_fetch_add(&dropped, 1);
	else if (standin_fault("late") || every("unordered", number))
		hold(record, size);
	else
		cupti_put(record, size);
}

/* ---- the client's side ---- */

static void threads_start(void)
{
	pthread_t thread;

	for (; started < DELIVERERS; started++) {
		if (pthread_create(&thread, NULL, deliver_thread, NULL) != 0)
			return;
		pthread_detach(thread);
	}
}

STANDIN_EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
	CUpti_BuffersCallbackCompleteFunc complete)
{
	if (!request || !complete)
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&lock);
	requested = request;
	completed = complete;
	threads_start();
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	bool forced = flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED;
	unsigned before;

	if (!completed)
		return CUPTI_ERROR_INVALID_OPERATION;
	while (standin_fault("hang"))
		pause();
	pthread_mutex_lock(&lock);
	before = flushes++;
	pthread_mutex_unlock(&lock);
	if (standin_fault("late") && !forced)
		held_release(before);
	else
		held_release(flushes + 1);
	writers_cut(forced);
	pthread_mutex_lock(&lock);
	while (deliver_one(forced))
		;
	while (delivering)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityFlush(CUcontext context, uint32_t stream, uint32_t flag)
{
	(void)context, (void)stream;
	return cuptiActivityFlushAll(flag);
}

STANDIN_EXPORT CUptiResult cuptiActivityFlushPeriod(uint32_t ms)
{
	pthread_mutex_lock(&lock);
	period_ms = ms;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
	size_t *count)
{
	(void)context, (void)stream;
	if (!count)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*count = atomic_exchange(&dropped, 0);
	return CUPTI_SUCCESS;
}

static bool is_incomplete(const uint8_t *record)
{
	bool ret = false;

	pthread_mutex_lock(&lock);
	for (struct slot *slot = slots; slot && !ret; slot = slot->next)
		ret = slot->buffer->data && slot->buffer->data + slot->offset == record;
	pthread_mutex_unlock(&lock);
	return ret;
}

STANDIN_EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
	CUpti_Activity **record)
{
	uint8_t *next;
	size_t size;

	if (!buffer || !record)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (!*record)
		next = buffer;
	else
		next = (uint8_t *)*record + padded(cupti_record_size((*record)->kind));
	if (next >= buffer + valid)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	size = cupti_record_size(((CUpti_Activity *)next)->kind);
	if (!size || (size_t)(buffer + valid - next) < size || is_incomplete(next))
		return CUPTI_ERROR_INVALID_KIND;
	*record = (CUpti_Activity *)next;
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute,
	size_t *size, void *value)
{
	if ((unsigned)attribute >= sizeof(attributes) / sizeof(attributes[0]) || !size || !value)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (*size > sizeof(attributes[0]))
		return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
	memcpy(value, &attributes[attribute], *size);
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute,
	size_t *size, void *value)
{
	if ((unsigned)attribute >= sizeof(attributes) / sizeof(attributes[0]) || !size || !value)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (*size > sizeof(attributes[0]))
		return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
	if (attribute == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER && requested)
		return CUPTI_SUCCESS;
	memcpy(&attributes[attribute], value, *size);
	return CUPTI_SUCCESS;
}
