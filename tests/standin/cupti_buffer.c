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
 *
 * Clients that subscribe by themselves (cupti_v2.c) have buffers of their own, in the same way: each
 * gets the records of the kinds that it has enabled.
 */
#include "cupti_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RECORD_MAX = 256, UNKNOWN_KIND = 60, DELIVERERS = STANDIN_CUDA == 12 ? 1 : 2 };

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

/* The places of one record, by client. */
struct slots {
	struct slot *of[CLIENTS];
};

enum { ATTRIBUTES = 32 };

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

static struct client {
	CUpti_BuffersCallbackRequestFunc requested;
	cupti_completed completed;
	struct writer *writers, *shared;
	struct buffer *full_head, **full_tail; /* NULL: the head */
	unsigned delivering;
	atomic_size_t dropped;
	/* Attributes that clients may set; only the ones of buffers change anything here. */
	size_t attributes[ATTRIBUTES];
	bool is_set[ATTRIBUTES];
} clients[CLIENTS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned flushes, period_ms, started;
static struct held *held;
static _Thread_local struct writer *own_writers[CLIENTS];
static struct slot *slots;
static atomic_uint zeroed, dirty; /* buffers: in the program's threads; though promised zero */

/* What cupti_put_device() does in this thread: see cupti_slot_begin(). */
static _Thread_local struct {
	bool on, filling;
	struct slots *slots;
} reservation;

static size_t attribute(const struct client *c, CUpti_ActivityAttribute which)
{
	static const size_t defaults[ATTRIBUTES] = {
		[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE] = 3200000,
		[CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT] = 250,
		[CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER] = STANDIN_CUDA != 12
	};

	return c->is_set[which] ? c->attributes[which] : defaults[which];
}

static bool per_thread(const struct client *c)
{
	return attribute(c, CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER) != 0;
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

static struct writer *writer_get(struct client *c)
{
	struct writer **place = per_thread(c) ? &own_writers[c - clients] : &c->shared;
	struct writer *made;

	if (__atomic_load_n(place, __ATOMIC_ACQUIRE))
		return *place;
	made = calloc(1, sizeof(*made));
	if (!made)
		abort();
	pthread_mutex_init(&made->lock, NULL);
	pthread_mutex_lock(&lock);
	if (!*place) {
		made->next = c->writers;
		c->writers = made;
		__atomic_store_n(place, made, __ATOMIC_RELEASE);
		made = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(made);
	return *place;
}

/* ---- handing back ---- */

/* In the order in which they were filled: the writer's lock is held. */
static void full_add(struct client *c, struct buffer *buffer)
{
	pthread_mutex_lock(&lock);
	buffer->full = true;
	buffer->next = NULL;
	*(c->full_tail ? c->full_tail : &c->full_head) = buffer;
	c->full_tail = &buffer->next;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* Takes a full buffer out of the list that may be handed back. Lock held. */
static struct buffer *full_take(struct client *c, bool forced)
{
	for (struct buffer **at = &c->full_head; *at; at = &(*at)->next) {
		struct buffer *buffer = *at;

		if (buffer->incomplete && !forced)
			continue;
		*at = buffer->next;
		if (c->full_tail == &buffer->next)
			c->full_tail = at;
		buffer->gone = buffer->incomplete > 0;
		return buffer;
	}
	return NULL;
}

/*
 * Hands back one full buffer, if there is one. Lock held, and let go meanwhile. Buffers
 * that threads share are handed back one after the other, in order.
 */
static bool deliver_one(struct client *c, bool forced)
{
	struct buffer *buffer, back;
	uint64_t start = cupti_now();

	while (!per_thread(c) && c->full_head && c->delivering)
		pthread_cond_wait(&changed, &lock);
	buffer = full_take(c, forced);
	if (!buffer)
		return false;
	back = *buffer;
	if (!back.gone)
		free(buffer);
	c->delivering++;
	pthread_mutex_unlock(&lock);
	c->completed(NULL, 0, back.data, back.size, back.used);
	cupti_record_overhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, start, cupti_now());
	pthread_mutex_lock(&lock);
	c->delivering--;
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

/* Takes the buffers that the writers have begun. */
static void writers_cut(struct client *c, bool forced)
{
	struct writer *first;

	pthread_mutex_lock(&lock);
	first = c->writers;
	pthread_mutex_unlock(&lock);
	for (struct writer *w = first; w; w = w->next) {
		pthread_mutex_lock(&w->lock);
		if (w->buffer && w->buffer->used && (forced || is_complete(w->buffer))) {
			full_add(c, w->buffer);
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
			for (unsigned i = 0; i < CLIENTS; i++)
				writers_cut(&clients[i], false);
			pthread_mutex_lock(&lock);
		}
		for (unsigned i = 0; i < CLIENTS; i++)
			while (deliver_one(&clients[i], false))
				;
	}
	return NULL;
}

/* ---- filling ---- */

static void buffer_clean(const struct client *c, struct buffer *buffer)
{
	if (!attribute(c, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER)) {
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

static struct buffer *buffer_request(struct client *c)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer));

	if (!buffer || !c->requested) {
		free(buffer);
		return NULL;
	}
	c->requested(&buffer->data, &buffer->size, &buffer->max);
	if (!buffer->data && STANDIN_CUDA == 12)
		abort(); /* as CUPTI before 12.9 may */
	if (!buffer->data || buffer->size < RECORD_MAX) {
		free(buffer);
		return NULL;
	}
	buffer_clean(c, buffer);
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

/*
 * Completes a record where it was reserved; a record in a buffer that belongs to the client again
 * is lost.
 */
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

void cupti_slot_begin(void *places)
{
	reservation.on = true;
	reservation.filling = places != NULL;
	reservation.slots = places;
}

void *cupti_slot_end(void)
{
	struct slots *places = reservation.slots;

	if (reservation.filling) {
		free(places);
		places = NULL;
	}
	reservation.on = false;
	reservation.slots = NULL;
	return places;
}

static _Thread_local bool telling; /* a client may want buffers of one record */

/* As an H200 wrote it (tests/data/cupti13): behind the first record of a buffer, once. */
static void request_tell(uint64_t start)
{
	if (telling)
		return;
	telling = true;
	cupti_record_overhead(CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, start, cupti_now());
	telling = false;
}

/* The place of the record that is being reserved, if that is this one. */
static void slot_note(struct client *c, struct buffer *buffer, size_t size)
{
	unsigned i = (unsigned)(c - clients);

	if (!reservation.on || reservation.filling || telling)
		return;
	if (!reservation.slots && !(reservation.slots = calloc(1, sizeof(struct slots))))
		abort();
	if (!reservation.slots->of[i])
		reservation.slots->of[i] = slot_make(buffer, size);
}

static void client_put(struct client *c, const void *record, size_t size)
{
	struct writer *writer = writer_get(c);
	struct buffer *fresh = NULL;
	uint64_t start = 0;

	pthread_mutex_lock(&writer->lock);
	while (!buffer_takes(writer->buffer, padded(size))) {
		if (writer->buffer)
			full_add(c, writer->buffer);
		writer->buffer = NULL;
		pthread_mutex_unlock(&writer->lock);
		start = cupti_now();
		fresh = buffer_request(c);
		if (!fresh) {
			atomic_fetch_add(&c->dropped, 1);
			return;
		}
		pthread_mutex_lock(&writer->lock);
		if (writer->buffer) /* another thread put one in meanwhile */
			full_add(c, writer->buffer);
		writer->buffer = fresh;
	}
	memset(writer->buffer->data + writer->buffer->used, 0, padded(size));
	memcpy(writer->buffer->data + writer->buffer->used, record, size);
	writer->buffer->used += padded(size);
	writer->buffer->records++;
	slot_note(c, writer->buffer, size);
	pthread_mutex_unlock(&writer->lock);
	if (fresh)
		request_tell(start);
}

/* Whether the client asked for the kind, or for anything where the kind is not known. */
static bool is_for(unsigned client, const CUpti_Activity *record)
{
	CUpti_ActivityKind kind = record->kind;

	if (kind == CUPTI_ACTIVITY_KIND_RUNTIME || kind == CUPTI_ACTIVITY_KIND_DRIVER)
		return cupti_client_api_on(client, kind, ((const CUpti_ActivityAPI *)record)->cbid);
	if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
		cupti_client_kind_on(client, CUPTI_ACTIVITY_KIND_KERNEL))
		return true;
	return (int)kind == UNKNOWN_KIND ? clients[client].requested != NULL
					 : cupti_client_kind_on(client, kind);
}

void cupti_put(const void *record, size_t size)
{
	for (unsigned i = 0; i < CLIENTS; i++)
		if (is_for(i, record))
			client_put(&clients[i], record, size);
}

/* Lost, and counted for each client that would have it. */
static void drop(const void *record)
{
	for (unsigned i = 0; i < CLIENTS; i++)
		if (is_for(i, record))
			atomic_fetch_add(&clients[i].dropped, 1);
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
	} record = { .kind = (CUpti_ActivityKind)UNKNOWN_KIND };

	memset(record.noise, 0xa5, sizeof(record.noise));
	cupti_put(&record, cupti_record_size(record.kind));
}

void cupti_put_device(void *record, size_t size, uint64_t *end)
{
	static atomic_uint numbers;
	unsigned number;

	if (reservation.on && !reservation.filling) {
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
	for (unsigned i = 0; reservation.on && i < CLIENTS; i++)
		if (reservation.slots->of[i])
			slot_fill(reservation.slots->of[i], record, size);
	if (reservation.on)
		return;
	if (every("dropped", number))
		drop(record);
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

void cupti_client_register(unsigned client, CUpti_BuffersCallbackRequestFunc request,
	cupti_completed complete)
{
	pthread_mutex_lock(&lock);
	clients[client].requested = request;
	clients[client].completed = complete;
	threads_start();
	pthread_mutex_unlock(&lock);
}

STANDIN_EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
	CUpti_BuffersCallbackCompleteFunc complete)
{
	CUptiResult ret = cupti_global_error();

	if (ret != CUPTI_SUCCESS)
		return ret;
	if (!request || !complete)
		return CUPTI_ERROR_INVALID_PARAMETER;
	cupti_client_register(0, request, complete);
	return CUPTI_SUCCESS;
}

static void client_flush(struct client *c, bool forced)
{
	writers_cut(c, forced);
	pthread_mutex_lock(&lock);
	while (deliver_one(c, forced))
		;
	while (c->delivering)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

STANDIN_EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	bool forced = flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, any = false;
	unsigned before;

	for (unsigned i = 0; i < CLIENTS; i++)
		any = any || clients[i].completed;
	if (!any)
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
	for (unsigned i = 0; i < CLIENTS; i++)
		client_flush(&clients[i], forced);
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

size_t cupti_client_dropped(unsigned client)
{
	return atomic_exchange(&clients[client].dropped, 0);
}

STANDIN_EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
	size_t *count)
{
	CUptiResult ret = cupti_global_error();

	(void)context, (void)stream;
	if (ret == CUPTI_SUCCESS && !count)
		ret = CUPTI_ERROR_INVALID_PARAMETER;
	if (ret == CUPTI_SUCCESS)
		*count = cupti_client_dropped(0);
	return ret;
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

CUptiResult cupti_next_record(uint8_t *buffer, size_t valid, CUpti_Activity **record)
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

STANDIN_EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
	CUpti_Activity **record)
{
	CUptiResult ret = cupti_global_error();

	return ret == CUPTI_SUCCESS ? cupti_next_record(buffer, valid, record) : ret;
}

static CUptiResult attribute_check(CUpti_ActivityAttribute which, const size_t *size, void *value)
{
	if ((unsigned)which >= ATTRIBUTES || !size || !value)
		return CUPTI_ERROR_INVALID_PARAMETER;
	return *size > sizeof(size_t) ? CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT : CUPTI_SUCCESS;
}

CUptiResult cupti_client_attribute(unsigned client, CUpti_ActivityAttribute which, size_t *size,
	void *value)
{
	CUptiResult ret = attribute_check(which, size, value);
	size_t found;

	if (ret != CUPTI_SUCCESS)
		return ret;
	found = attribute(&clients[client], which);
	memcpy(value, &found, *size);
	return CUPTI_SUCCESS;
}

CUptiResult cupti_client_attribute_set(unsigned client, CUpti_ActivityAttribute which, size_t *size,
	void *value)
{
	CUptiResult ret = attribute_check(which, size, value);
	struct client *c = &clients[client];

	if (ret != CUPTI_SUCCESS ||
		(which == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER && c->requested))
		return ret;
	c->attributes[which] = 0;
	memcpy(&c->attributes[which], value, *size);
	c->is_set[which] = true;
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute,
	size_t *size, void *value)
{
	CUptiResult ret = cupti_global_error();

	return ret == CUPTI_SUCCESS ? cupti_client_attribute(0, attribute, size, value) : ret;
}

STANDIN_EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute,
	size_t *size, void *value)
{
	CUptiResult ret = cupti_global_error();

	return ret == CUPTI_SUCCESS ? cupti_client_attribute_set(0, attribute, size, value) : ret;
}
