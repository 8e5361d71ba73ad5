/* wait.h - how a call is recorded that waits for another thread, or wakes it. */
#ifndef COLLECTOR_WAIT_H
#define COLLECTOR_WAIT_H

#include "core/brief.h"
#include "core/fold.h"
#include "core/real.h"
#include "core/span.h"

static inline __attribute__((always_inline)) struct span wait_enter(unsigned region,
	uint64_t object)
{
	struct thread *self = thread_self(region);

	if (unlikely(!self) || span_is_inside(self, span_frame()))
		return (struct span){ 0 };
	return span_begin_asked(self, region, object);
}

/* Wakes, and waits that got nothing, may be very many and need not be known singly. */
static inline void wait_leave(struct span *span, enum spool_sync how, uint64_t object)
{
	if (how == SPOOL_SYNC_WAIT)
		span_leave_sync(span, how, object);
	else
		span_leave_fold(span, how, object, SPOOL_SYNC, how, &object, 1);
}

/* Around the real call of one that waits for an object that span_leave_wake() wakes. */
static inline void wait_on(const struct span *span, uint64_t object)
{
	if (span_is_on(span) &&
		!atomic_fetch_add_explicit(waiting_of(object), 1, memory_order_relaxed))
		atomic_store_explicit(&tacho_waiting_since[waiting_place(object)],
			(uint32_t)(span->start >> WAITING_SINCE_SHIFT), memory_order_relaxed);
}
static inline void wait_off(const struct span *span, uint64_t object)
{
	if (span_is_on(span))
		atomic_fetch_sub_explicit(waiting_of(object), 1, memory_order_relaxed);
}

#endif
