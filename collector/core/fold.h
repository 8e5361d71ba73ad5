/*
 * fold.h - frequent calls of a thread that need no record each: polling, attempts to move bytes
 * when nothing is ready, and wakes of others. When short ones follow each other and nothing else is
 * recorded between them, all but the first are one record (SPOOL_FOLD), which is changed in place
 * while it is the last of the spool: a killed process loses none of them.
 */
#ifndef COLLECTOR_FOLD_H
#define COLLECTOR_FOLD_H

#include "core/span.h"

/*
 * Ends an outermost call, as span_leave() does, which records it if it is not folded. Calls of the
 * same region, `how` (0: no call that waits or wakes) and `object` are summed.
 */
void span_leave_fold(struct span *span, enum spool_sync how, uint64_t object, unsigned type,
	uint32_t a, const uint64_t *payload, unsigned npayload) HIDDEN;

/*
 * How many threads are in a recorded wait for an object, of all objects that share its place here.
 * A wait that never returns (a thread cancelled in it) stays counted: wakes are then folded less.
 */
#define WAITING_SIZE 1024u
extern _Atomic uint32_t tacho_waiting[WAITING_SIZE] HIDDEN;
/* Since when some thread is, in units of 1024 ticks. */
#define WAITING_SINCE_SHIFT 10
extern _Atomic uint32_t tacho_waiting_since[WAITING_SIZE] HIDDEN;

static inline unsigned waiting_place(uint64_t object)
{
	return (object >> 4 ^ object >> 14) % WAITING_SIZE;
}
static inline _Atomic uint32_t *waiting_of(uint64_t object)
{
	return &tacho_waiting[waiting_place(object)];
}

/* What a call that begins now may wake: the object, or 0 as no thread is in a recorded wait for it. */
static inline uint64_t wake_object(uint64_t object)
{
	return atomic_load_explicit(waiting_of(object), memory_order_relaxed) ? object : 0;
}

/*
 * The same for a call that may have woken a waiter on the object, see wake_object(). A wake that
 * woke no thread is summed with the wakes before it across calls of I/O or CUDA, sleeps or marked
 * regions in between: an interpreter makes such wakes with its lock around each of them.
 */
void span_leave_wake(struct span *span, uint64_t object) HIDDEN;

#endif
