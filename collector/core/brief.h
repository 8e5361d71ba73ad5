/*
 * brief.h - ends of frequent calls with small records. Consecutive outermost ones, with nothing
 * else recorded between them, are one record (SPOOL_BRIEF) with a word or two for each. It grows in
 * place while it is the last of the spool.
 */
#ifndef COLLECTOR_BRIEF_H
#define COLLECTOR_BRIEF_H

#include "tacho/brief.h"

#include "core/span.h"

/* Out of line: end a call as span_leave() does, of a SPOOL_IO_PLAIN, SPOOL_CALL or SPOOL_SYNC. */
void brief_leave_io(struct thread *self, uint64_t start, unsigned region, uint32_t handle,
	int64_t result) HIDDEN;
void brief_leave_call(struct thread *self, uint64_t start, unsigned region) HIDDEN;
void brief_leave_sync(struct thread *self, uint64_t start, unsigned region, enum spool_sync how,
	uint64_t object) HIDDEN;

/*
 * In line, since most calls of I/O are so: adds one on the file of the call before to its record, if
 * its bytes and times are small. False: it has to be recorded otherwise.
 */
static inline __attribute__((always_inline)) bool brief_add_io(struct thread *self, uint64_t start,
	unsigned region, uint32_t handle, uint64_t result)
{
	uint64_t cursor = *(volatile uint64_t *)&self->cursor, now, from, *record, *at;

	/* a handler that changes these values now moves the cursor */
	atomic_signal_fence(memory_order_seq_cst);
	record = self->brief_record;
	from = start - self->brief_start;
	if (unlikely(cursor != self->brief || handle != self->brief_handle ||
		    result + 1 > BRIEF_IO_FAILED || from > BRIEF_START_MOST ||
		    start > self->brief_until ||
		    atomic_load_explicit(tacho_gate, memory_order_relaxed) == GATE_UNDECIDED))
		return false;
	at = (uint64_t *)(uintptr_t)(cursor & CURSOR_ADDRESS);
	now = clock_ticks();
	if (unlikely(now - start >= 1u << BRIEF_IO_TICKS || at > self->brief_room ||
		    !cursor_swap(&self->cursor, cursor, cursor + 8 - CURSOR_DEPTH)))
		return false;
	atomic_store_explicit((_Atomic uint64_t *)&record[2],
		(uint64_t)(at + 1 - record) << 48 | (now - record[1]), memory_order_release);
	atomic_store_explicit((_Atomic uint64_t *)at, brief_io(region, from, now - start, result),
		memory_order_release);
	if (self->late == (uint64_t)(uintptr_t)at) /* wakes that woke no thread pass calls of I/O */
		*(volatile uint64_t *)&self->late = (uint64_t)(uintptr_t)(at + 1);
	self->brief_start = start;
	atomic_signal_fence(memory_order_seq_cst);
	*(volatile uint64_t *)&self->brief = cursor + 8;
	span_outside(self, 0);
	return true;
}

/* The same of a span, which may be of a thread that does not record. */
static inline void span_leave_io(const struct span *span, uint32_t handle, int64_t result)
{
	if (likely(span->self) &&
		unlikely(!brief_add_io(span->self, span->start, span->region, handle,
			(uint64_t)result)))
		brief_leave_io(span->self, span->start, span->region, handle, result);
}

static inline void span_leave_call(const struct span *span)
{
	if (likely(span->self))
		brief_leave_call(span->self, span->start, span->region);
}

static inline void span_leave_sync(const struct span *span, enum spool_sync how, uint64_t object)
{
	if (likely(span->self))
		brief_leave_sync(span->self, span->start, span->region, how, object);
}

#endif
