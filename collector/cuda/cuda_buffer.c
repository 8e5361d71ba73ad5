/*
 * cuda_buffer.c - CUPTI's buffers, their way into spools of kind
 * SPOOL_KIND_GPU; see cuda_capture.h. CUPTI asks for buffers and hands them back on any
 * thread, several at once.
 *
 * RATIONALE: a buffer comes back only when all its records are complete, which on a busy GPU
 * means: when it is full. What a kill loses is one buffer, so they are small.
 */
#include "config.h"

#include <sched.h>
#include <string.h>

#include "cuda/cuda_capture.h"
#include "core/process.h"
#include "core/sys.h"
#include "core/thread.h"

#define BUFFER_SIZE  (64u << 10) /* some 300 activities */
#define BUFFERS	     16384	 /* what CUPTI may hold, 1 GiB; then it drops records */
#define SPARES	     64		 /* beyond that, for a CUPTI that a refusal may crash */
#define SPARE_SIZE   4096
#define BUFFERS_WARM 64	 /* keep their pages when they come back */
#define YIELD_TRIES  100 /* times a millisecond: how long buffers may be on their way */
#define SIZES	     64	 /* kinds of records whose size may be learnt */
#define SIZE_MOST    512 /* bytes of a record */
#define WRITERS	     32	 /* that hand back at once; more wait for each other */

enum buffer_state { BUFFER_NONE, BUFFER_FREE, BUFFER_TAKEN };

static struct {
	_Atomic uint32_t state; /* enum buffer_state */
	uint8_t *at;		/* belongs to who took it */
} buffers[BUFFERS];

/* Given again and again: what is written there is lost. */
static _Alignas(8) uint8_t spares[SPARES][SPARE_SIZE];
static _Atomic uint32_t nspares; /* that were given */

static _Atomic uint32_t nheld;	      /* buffers that CUPTI has */
static _Atomic uint64_t delivered_ns; /* when it last gave one back, or took the first */

static struct {
	_Atomic uint32_t busy;
	struct thread *spool; /* made when first needed; belongs to who is busy */
} writers[WRITERS];

static bool buffer_take(unsigned i)
{
	uint32_t seen = BUFFER_FREE;

	if (atomic_compare_exchange_strong(&buffers[i].state, &seen, BUFFER_TAKEN))
		return true;
	if (seen != BUFFER_NONE ||
		!atomic_compare_exchange_strong(&buffers[i].state, &seen, BUFFER_TAKEN))
		return false;
	buffers[i].at = sys_map(BUFFER_SIZE, MAP_PRIVATE);
	if (buffers[i].at != MAP_FAILED)
		return true;
	atomic_store(&buffers[i].state, BUFFER_NONE);
	return false;
}

static uint8_t *spare_give(void)
{
	uint8_t *spare = spares[atomic_fetch_add(&nspares, 1) % SPARES];

	return memset(spare, 0, SPARE_SIZE);
}

void cuda_buffer_give(uint8_t **buffer, size_t *size, size_t *max_records)
{
	unsigned i = 0;

	while (i < BUFFERS && !buffer_take(i))
		i++;
	if (i < BUFFERS) {
		*buffer = buffers[i].at;
		*size = BUFFER_SIZE;
	} else {
		*buffer = tacho_cupti.version < CUPTI_VERSION_REFUSALS ? spare_give() : NULL;
		*size = *buffer ? SPARE_SIZE : 0;
	}
	*max_records = 0; /* as many records as fit */
	if (*buffer && !atomic_fetch_add(&nheld, 1))
		atomic_store(&delivered_ns, clock_monotonic_ns());
}

bool cuda_buffers_are_back(void)
{
	return !atomic_load(&nheld);
}

bool cuda_buffers_come(int tries)
{
	const struct timespec wait = { .tv_nsec = 1000000 };

	for (int i = 0; i < tries && !cuda_buffers_are_back(); i++)
		syscall(SYS_nanosleep, &wait, NULL);
	return cuda_buffers_are_back();
}

void cuda_activities_deliver(void)
{
	/* what is launched has some time to end; then by force, and what still runs is counted as it comes */
	for (int i = 0; i < YIELD_TRIES && !cuda_buffers_are_back(); i++) {
		tacho_cupti.ActivityFlushAll(0);
		cuda_buffers_come(1);
	}
	if (cuda_buffers_are_back())
		return;
	tacho_cupti.ActivityFlushAll(CUPTI_FLUSH_FORCED);
	cuda_buffers_come(YIELD_TRIES);
}

uint64_t cuda_buffers_stalled_ns(void)
{
	return atomic_load(&nheld) ? clock_monotonic_ns() - atomic_load(&delivered_ns) : 0;
}

/* Which of ours; BUFFERS: another profiler's. */
static unsigned buffer_find(const uint8_t *at)
{
	unsigned i = 0;

	while (i < BUFFERS &&
		(atomic_load(&buffers[i].state) != BUFFER_TAKEN || buffers[i].at != at))
		i++;
	return i;
}

/* CUPTI is promised that they are zero. */
static void buffer_give_back(unsigned i)
{
	if (i < BUFFERS_WARM || sys_madvise(buffers[i].at, BUFFER_SIZE, MADV_DONTNEED) < 0)
		memset(buffers[i].at, 0, BUFFER_SIZE);
	atomic_fetch_sub(&nheld, 1);
	atomic_store(&buffers[i].state, BUFFER_FREE);
}

/* A spool without a writer. */
static unsigned writer_take(void)
{
	for (unsigned i = 0;; i = (i + 1) % WRITERS) {
		uint32_t seen = 0;

		if (atomic_compare_exchange_strong(&writers[i].busy, &seen, 1))
			return i;
		if (i == WRITERS - 1)
			sched_yield();
	}
}

static void record_write(struct thread *spool, const struct gpu_record *r)
{
	unsigned depth, words = 3 + r->nwords;
	uint64_t now, *at = span_take(spool, words, 0, &now, &depth);

	if (unlikely(!at))
		return; /* it has been counted */
	at[1] = r->start;
	at[2] = spool_word2(r->end - r->start, words);
	memcpy(at + 3, r->words, r->nwords * sizeof(*at));
	span_publish(at, spool_word0(r->type, 0, r->region, r->a));
}

/* What is lost is counted where the process's losses are: not every buffer has a spool. */
static void lose(enum spool_loss loss, uint64_t n)
{
	if (n && tacho_process.state)
		atomic_fetch_add_explicit(&tacho_process.state->lost[loss], n,
			memory_order_relaxed);
}

static uint32_t kind_of(const void *activity)
{
	uint32_t kind;

	memcpy(&kind, activity, sizeof(kind));
	return kind;
}

/* Bytes of the loaded CUPTI's records by kind: the step from one to the next. */
static _Atomic uint32_t sizes[SIZES];

static size_t size_of_kind(const void *activity)
{
	uint32_t kind = kind_of(activity);

	return kind < SIZES ? atomic_load_explicit(&sizes[kind], memory_order_relaxed) : 0;
}

static void size_learn(const void *last, const void *activity)
{
	uint32_t kind = last ? kind_of(last) : SIZES;

	if (kind < SIZES)
		atomic_store_explicit(&sizes[kind],
			(uint32_t)((const uint8_t *)activity - (const uint8_t *)last),
			memory_order_relaxed);
}

/*
 * The record that CUPTI refuses to give because it is not complete: that of a kernel that runs.
 * It is behind the last one, whose size may not be learnt yet: then the first place that looks
 * like one. NULL: there is none.
 */
static void *incomplete_find(uint8_t *buffer, size_t valid, uint8_t *last)
{
	size_t size = last ? size_of_kind(last) : 0, most = size ? size : last ? SIZE_MOST : 0;
	uint8_t *found = NULL;

	for (size_t step = last && !size ? 8 : size; step <= most; step += 8) {
		uint8_t *at = (last ? last : buffer) + step;

		if (at >= buffer + valid)
			break;
		if (!cuda_is_incomplete(at, (size_t)(buffer + valid - at)))
			continue;
		/* numbers in a record may look like a short one: rather the next one like the last */
		if (!last || kind_of(at) == kind_of(last))
			return at;
		found = found ? found : at;
	}
	return found;
}

static void buffer_read(struct thread *spool, uint8_t *buffer, size_t valid)
{
	uint64_t nuntimed = 0, ntorn = 0, nhomeless = 0;
	void *activity = NULL, *last = NULL;
	int error;

	while ((error = tacho_cupti.ActivityGetNextRecord(buffer, valid, &activity)) !=
		CUPTI_NO_MORE) {
		struct gpu_record record;
		enum decoded decoded;

		if (error != CUPTI_OK) {
			activity = last = incomplete_find(buffer, valid, last);
			nuntimed += activity != NULL;
			ntorn += !activity && error == CUPTI_INVALID_KIND;
			if (!activity)
				break;
			continue;
		}
		size_learn(last, activity);
		last = activity;
		decoded = cuda_decode(activity, (size_t)(buffer + valid - (uint8_t *)activity),
			&record);
		nuntimed += decoded == DECODED_UNTIMED;
		ntorn += decoded == DECODED_SHORT;
		if (decoded != DECODED_RECORD || !cuda_was_captured(record.correlation))
			continue;
		if (spool)
			record_write(spool, &record);
		else
			nhomeless++;
	}
	lose(LOSS_GPU_UNTIMED, nuntimed);
	lose(LOSS_TORN, ntorn);
	lose(LOSS_NO_SPOOL, nhomeless);
}

void cuda_buffer_look(uint8_t *buffer, size_t valid)
{
	unsigned writer;

	/* not a forked child's: the spools are its parent's */
	if (!valid || !cuda_is_on())
		return;
	/* a buffer may be full before the first fetch */
	cuda_clock_rate();
	writer = writer_take();
	if (!writers[writer].spool)
		writers[writer].spool = thread_open_kind(SPOOL_KIND_GPU);
	buffer_read(writers[writer].spool, buffer, valid);
	atomic_store(&writers[writer].busy, 0);
}

static bool is_spare(const uint8_t *buffer)
{
	return buffer >= spares[0] && buffer < spares[0] + sizeof(spares);
}

static void spare_take_back(uint8_t *buffer, size_t valid)
{
	void *activity = NULL;
	uint64_t n = 0;

	while (tacho_cupti.ActivityGetNextRecord(buffer, valid, &activity) == CUPTI_OK)
		n++;
	if (cuda_is_on())
		lose(LOSS_GPU_DROPPED, n);
	atomic_fetch_sub(&nheld, 1);
}

bool cuda_buffer_take_back(void *context, uint32_t stream, uint8_t *buffer, size_t valid)
{
	size_t dropped = 0;
	unsigned place = buffer_find(buffer);

	if (is_spare(buffer))
		spare_take_back(buffer, valid);
	if (place == BUFFERS)
		return is_spare(buffer);
	cuda_buffer_look(buffer, valid);
	if (cuda_is_on() &&
		tacho_cupti.ActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_OK)
		lose(LOSS_GPU_DROPPED, dropped);
	atomic_store(&delivered_ns, clock_monotonic_ns());
	buffer_give_back(place);
	return true;
}

void cuda_buffers_forked(void)
{
	sys_zero(writers, sizeof(writers));
}
