/*
 * fold.h - a kind of calls that a SPOOL_FOLD sums. Written by libtacho, read by whoever reads spools.
 *
 *   region:16 | how:16 | calls:32      (bits from the low end; 0 calls: no kind)
 *   object; of I/O handle:32 | bytes:32
 *   sum of durations:24 | shortest:20 | longest:20      (ticks)
 */
#ifndef TACHO_FOLD_H
#define TACHO_FOLD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Instead of an enum spool_sync: I/O that moved bytes. I/O that failed with EAGAIN has 0; of threads that
 * carry data for others, objects of waits and wakes are 0.
 */
#define FOLD_MOVED 7u

#define FOLD_SUM_BITS  24
#define FOLD_CALL_BITS 20
#define FOLD_CALL_MOST ((1u << FOLD_CALL_BITS) - 1) /* ticks of a call */

static inline uint32_t fold_of(uint32_t region, unsigned how)
{
	return region | (uint32_t)how << 16;
}
static inline uint32_t fold_is_of(const uint64_t *kind)
{
	return kind[0] & 0xffff;
}
static inline unsigned fold_how(const uint64_t *kind)
{
	return kind[0] >> 16 & 0xffff;
}
static inline uint32_t fold_calls(const uint64_t *kind)
{
	return kind[0] >> 32;
}

/* All of its calls, in ticks, the shortest, and the longest of them. */
static inline uint32_t fold_ticks(const uint64_t *kind)
{
	return kind[2] & ((1u << FOLD_SUM_BITS) - 1);
}
static inline uint32_t fold_shortest(const uint64_t *kind)
{
	return kind[2] >> FOLD_SUM_BITS & FOLD_CALL_MOST;
}
static inline uint32_t fold_longest(const uint64_t *kind)
{
	return kind[2] >> (FOLD_SUM_BITS + FOLD_CALL_BITS);
}
static inline uint64_t fold_times(uint32_t ticks, uint32_t shortest, uint32_t longest)
{
	return ticks | (uint64_t)shortest << FOLD_SUM_BITS |
		(uint64_t)longest << (FOLD_SUM_BITS + FOLD_CALL_BITS);
}

static inline bool fold_has_moved(const uint64_t *kind)
{
	return fold_how(kind) == FOLD_MOVED;
}
static inline uint32_t fold_bytes(const uint64_t *kind)
{
	return fold_has_moved(kind) ? kind[1] >> 32 : 0;
}

#endif
