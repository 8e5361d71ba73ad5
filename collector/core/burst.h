/*
 * burst.h - threads that do nothing but carry data for others, such as gloo's: of what they do between
 * two long waits only sums are known, in one record (SPOOL_FOLD). They make a hundred calls for an
 * all-reduce, which has its own record. What others may wait for has its own as well: long waits, the
 * wakes that end them, and the first transfer after each, by which the ends of a connection are compared.
 */
#ifndef COLLECTOR_BURST_H
#define COLLECTOR_BURST_H

#include "core/span.h"

/* Whether functions are known whose threads carry data for others. */
extern _Atomic bool tacho_burst_known HIDDEN;

/*
 * The threads that the function runs carry data for others; NULL: no such function exists. Before
 * such a thread is made, or while it waits.
 */
void burst_know(const void *function) HIDDEN;

/* Out of line, see below. */
bool burst_put(struct thread *self, uint64_t start, unsigned region, unsigned type, uint32_t a,
	uint64_t value) HIDDEN;

/*
 * Ends an outermost call of such a thread: `type`, `a` and `value` as of its record (SPOOL_IO_PLAIN,
 * SPOOL_SYNC or SPOOL_CALL). False: it needs its own record, as have those of all other threads.
 */
static inline bool burst_leave(struct thread *self, uint64_t start, unsigned region, unsigned type,
	uint32_t a, uint64_t value)
{
	return unlikely(atomic_load_explicit(&tacho_burst_known, memory_order_relaxed)) &&
		burst_put(self, start, region, type, a, value);
}

#endif
