/*
 * burst.h - threads that only carry data for others, such as gloo's: one record (SPOOL_FOLD) has
 * the sums of their calls between two long waits. They make a hundred calls for an all-reduce,
 * which has its own record. Calls that others may wait for are recorded separately: long waits, the
 * wakes that end them, and the first transfer after each, which serves to compare the ends of a
 * connection.
 */
#ifndef COLLECTOR_BURST_H
#define COLLECTOR_BURST_H

#include "core/span.h"

/* Whether functions of such threads are known. */
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
 * Ends an outermost call of such a thread: `type`, `a` and `value` as in its record
 * (SPOOL_IO_PLAIN, SPOOL_SYNC or SPOOL_CALL). False: it needs its own record, as calls of all other
 * threads do.
 */
static inline bool burst_leave(struct thread *self, uint64_t start, unsigned region, unsigned type,
	uint32_t a, uint64_t value)
{
	return unlikely(atomic_load_explicit(&tacho_burst_known, memory_order_relaxed)) &&
		burst_put(self, start, region, type, a, value);
}

#endif
