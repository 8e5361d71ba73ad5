/*
 * span.h - the hot path of libtacho: the time around one wrapped call becomes
 * one record in the thread's spool. No lock, no system call, no allocation;
 * errno is left alone. What happens when a spool must be created or a chunk
 * is full lies out of line in thread.c.
 *
 * A wrapper reads:
 *
 *	struct span span = span_enter(REGION_MPI_Barrier, comm);
 *	int ret = real(args);
 *
 *	span_leave(&span, SPOOL_COLL, comm, (uint64_t[]){ 0 }, 1);
 *	return ret;
 */
#ifndef COLLECTOR_SPAN_H
#define COLLECTOR_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tacho/regions.h"
#include "tacho/spool.h"

#define TACHO_EXPORT	__attribute__((visibility("default")))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/*
 * Whether this process records. The word lies in a page that fork and raw
 * clone wipe (MADV_WIPEONFORK), so a child finds GATE_UNDECIDED and decides
 * for itself; until the page exists the pointer leads to a constant zero.
 */
enum gate { GATE_UNDECIDED = 0, GATE_OPEN = 1, GATE_CLOSED = 2 };
extern const _Atomic uint32_t *tacho_gate __attribute__((visibility("hidden")));

/* What a thread owns; the part that the hot path needs. */
struct thread {
	uint64_t *next;			/* where the next record goes */
	uint64_t *end;			/* end of the current chunk */
	struct spool_head *head;	/* first page of the spool, mapped while the thread lives */
	uint32_t depth;			/* wrapped calls that the thread is in */
	/* thread.c keeps more behind this */
};

/*
 * Initial-exec: a preloaded library has room for it, and reading it is one
 * instruction without a call (a call could allocate).
 */
extern __thread struct thread *tacho_self
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* A call in progress; self is NULL when it is not recorded. Keep it on the stack. */
struct span {
	struct thread *self;
	uint64_t start;
	uint16_t region;
};

#define HIDDEN __attribute__((visibility("hidden")))

/*
 * Out of line: decides whether the process joins (see join.c), makes the
 * thread's spool. `region` 0 is a marker. Returns NULL when the call shall not
 * be recorded. Keeps errno.
 */
struct thread *thread_join(unsigned region) HIDDEN;

/*
 * Out of line: makes room for `words` words at self->next, by taking the next
 * chunk. Returns NULL when there is none (the loss has been counted). Keeps
 * errno.
 */
uint64_t *thread_room(struct thread *self, unsigned words) HIDDEN;

/* Now, in ticks of the process's clock (clock.c chooses it before any record). */
extern bool tacho_clock_is_tsc HIDDEN;
uint64_t clock_monotonic_ns(void) HIDDEN;

static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
	if (likely(tacho_clock_is_tsc))
		return __builtin_ia32_rdtsc();
#endif
	return clock_monotonic_ns();
}

/* The calling thread when calls are being recorded, else NULL. */
static inline struct thread *thread_self(unsigned region)
{
	uint32_t gate = atomic_load_explicit(tacho_gate, memory_order_relaxed);

	if (likely(gate == GATE_OPEN && tacho_self))
		return tacho_self;
	return gate == GATE_CLOSED ? NULL : thread_join(region);
}

/*
 * Begins a call: notes where the thread is and since when. `arg` is the
 * communicator or handle shown if the call never returns (0: none).
 */
static inline struct span span_enter(unsigned region, uint64_t arg)
{
	struct span span = { .self = thread_self(region), .region = region };
	struct spool_inside *inside;

	if (unlikely(!span.self))
		return span;
	span.start = clock_ticks();
	if (likely(span.self->depth < SPOOL_MAX_DEPTH)) {
		inside = &span.self->head->inside[span.self->depth];
		inside->start = span.start;
		inside->arg = arg;
		atomic_store_explicit(&inside->region, region, memory_order_release);
	}
	span.self->depth++;
	return span;
}

/* The first free word for a record of `words` words, NULL when there is no room. */
static inline uint64_t *span_room(struct thread *self, unsigned words)
{
	if (likely((size_t)(self->end - self->next) > words))	/* one word stays for a pad */
		return self->next;
	return thread_room(self, words);
}

/* Makes the record at `at`, whose words 1… are written, valid. */
static inline void span_publish(struct thread *self, uint64_t *at, uint64_t word0, unsigned words)
{
	self->next = at + words;
	atomic_store_explicit((_Atomic uint64_t *)at, word0, memory_order_release);
}

/*
 * Ends the call that `span` began and records it: `type` and `a` as in
 * spool.h, `payload` holds the record's words from w3 on. A span that is not
 * recorded is passed over, so wrappers need not test; use span_is_on() to
 * spare work that only a record needs.
 */
static inline void span_leave(struct span *span, unsigned type, uint32_t a, const uint64_t *payload, unsigned npayload)
{
	struct thread *self = span->self;
	unsigned words = 3 + npayload;
	uint64_t now, *at;

	if (unlikely(!self))
		return;
	now = clock_ticks();
	self->depth--;
	at = span_room(self, words);
	if (likely(at)) {
		at[1] = span->start;
		at[2] = spool_word2(now - span->start, words);
		for (unsigned i = 0; i < npayload; i++)
			at[3 + i] = payload[i];
		span_publish(self, at, spool_word0(type, self->depth, span->region, a), words);
	}
	if (likely(self->depth < SPOOL_MAX_DEPTH))
		atomic_store_explicit(&self->head->inside[self->depth].region, 0, memory_order_release);
}

static inline bool span_is_on(const struct span *span)
{
	return span->self != NULL;
}

#endif
