/*
 * clock_ticks.h - from ticks of the processes of one node to nanoseconds since
 * the epoch. The pairs of all its processes are put together: robust against
 * pairs that were read around a preemption or damaged, exact in integers, and
 * never running backwards. CLOCK_MONOTONIC gives the rate; CLOCK_REALTIME only
 * the offset, once, so that its jumps do not reach the trace.
 *
 * Several nodes share the axis of CLOCK_REALTIME until merge_sync.c corrects
 * it by what collectives say of the offsets between nodes.
 */
#ifndef ANALYZER_CLOCK_TICKS_H
#define ANALYZER_CLOCK_TICKS_H

#include <stdint.h>

#include "merge/clock/clock_offset.h"
#include "tacho/spool.h"

#define CLOCK_PIECES (64 + CLOCK_CORNERS)
/* Times of damaged spools end here, so that differences of times cannot overflow. */
#define CLOCK_LIMIT_NS (INT64_MAX / 4)

/*
 * Fraction bits of a rate in ns per tick: exact to 1 ns over a day, and a product with
 * any ticks fits 128 bits.
 */
#define CLOCK_RATE_BITS 56

/* ns = ns + ((ticks - this->ticks) * rate >> CLOCK_RATE_BITS), up to the next piece's ticks. */
struct clock_piece {
	uint64_t ticks;
	int64_t ns;
	uint64_t rate; /* at most INT64_MAX: 128 ns per tick */
};

struct clock {
	struct clock_piece piece[CLOCK_PIECES];
	int npieces;
	int64_t jump_ns;   /* largest jump of CLOCK_REALTIME seen, 0 none */
	uint64_t noise_ns; /* median distance of the pairs from the line */
	unsigned npairs, nrejected;
};

/*
 * Fits `clock` to n pairs (any order; sorted in place). `kind` is the enum
 * spool_clock of the writers. Without a usable pair a tick is a nanosecond.
 */
void clock_fit(struct clock *clock, struct spool_def_clock *pairs, unsigned n, unsigned kind);

/* Moves the whole axis by `ns`. */
void clock_shift(struct clock *clock, int64_t ns);

/* Corrects the axis, once; the quad's times are ns since `base`. */
void clock_bend(struct clock *clock, int64_t base, const struct clock_quad *quad);

static inline int64_t clock_limit(__int128 ns)
{
	return ns > CLOCK_LIMIT_NS     ? CLOCK_LIMIT_NS
		: ns < -CLOCK_LIMIT_NS ? -CLOCK_LIMIT_NS
				       : (int64_t)ns;
}

/* Nanoseconds since the epoch. `hint` is a piece's number kept by the caller, 0 at first. */
static inline int64_t clock_ns(const struct clock *clock, uint64_t ticks, int *hint)
{
	const struct clock_piece *p = &clock->piece[*hint];

	while (*hint + 1 < clock->npieces && ticks >= p[1].ticks) {
		++*hint;
		p++;
	}
	while (*hint > 0 && ticks < p->ticks) {
		--*hint;
		p--;
	}
	return clock_limit(
		p->ns + ((__int128)(int64_t)(ticks - p->ticks) * p->rate >> CLOCK_RATE_BITS));
}

#endif
