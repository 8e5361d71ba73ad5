/*
 * clock_ticks.c - see merge_clock.h. A rate over the whole run comes first (the
 * median of slopes between far pairs, which a few wrong pairs cannot move);
 * pairs far from that line are dropped; the rest bends the line piece by
 * piece, each corner being the median of the pairs around it.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "merge/clock/clock_ticks.h"

/* CLOCK_REALTIME moved against CLOCK_MONOTONIC: more than slewing */
#define JUMP_NS		1000000
#define PIECE_NS	5000000000ll /* shorter pieces would follow the noise of the pairs */
#define REJECT_FLOOR_NS 20000	     /* never drop a pair nearer than this */
#define SLOPES_MOST	512
#define OWN_PIECES	(CLOCK_PIECES - CLOCK_CORNERS) /* the others are for clock_bend */
#define RATE_ONE	(1ull << CLOCK_RATE_BITS)

static int compare_pairs(const void *a, const void *b)
{
	const struct spool_def_clock *x = a, *y = b;

	return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

/* A whole number of ns, within the limit. */
static int64_t whole(double ns)
{
	return ns > CLOCK_LIMIT_NS     ? CLOCK_LIMIT_NS
		: ns < -CLOCK_LIMIT_NS ? -CLOCK_LIMIT_NS
				       : llround(ns);
}

/* Drops pairs that no clock shows; returns how many are left. */
static unsigned reject_absurd(struct clock *clock, struct spool_def_clock *pairs, unsigned n)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++)
		if (pairs[i].monotonic_ns < CLOCK_LIMIT_NS && pairs[i].realtime_ns < CLOCK_LIMIT_NS)
			pairs[kept++] = pairs[i];
	clock->nrejected = n - kept;
	return kept;
}

/* Whether a slope can be a clock's: 10 MHz to 100 GHz. */
static bool slope_is_sane(double slope)
{
	return slope > 0.01 && slope < 100;
}

/*
 * ns per tick over the run: the median of the slopes between pairs half the run apart. 0 = unknown.
 */
static double rate_of(const struct spool_def_clock *pairs, unsigned n)
{
	double slopes[SLOPES_MOST];
	unsigned half = n / 2, stride = half / SLOPES_MOST + 1, count = 0;

	for (unsigned i = 0; i + half < n && n > 1 && count < SLOPES_MOST; i += stride) {
		const struct spool_def_clock *a = &pairs[i], *b = &pairs[i + half];
		double slope;

		if (b->ticks == a->ticks)
			continue;
		slope = (double)(int64_t)(b->monotonic_ns - a->monotonic_ns) /
			(double)(b->ticks - a->ticks);
		if (slope_is_sane(slope))
			slopes[count++] = slope;
	}
	return count ? median_of(slopes, count) : 0;
}

/* Distance of a pair from the line through `origin`, ns. */
static double residual(const struct spool_def_clock *origin, const struct spool_def_clock *pair,
	double rate)
{
	return (double)(int64_t)(pair->monotonic_ns - origin->monotonic_ns) -
		rate * (double)(int64_t)(pair->ticks - origin->ticks);
}

/* Drops pairs far from the line; returns how many are left, in order. */
static unsigned reject_outliers(struct clock *clock, struct spool_def_clock *pairs, unsigned n,
	double rate)
{
	struct spool_def_clock origin = pairs[n / 2];
	double *res = calloc(2 * n, sizeof(*res)), middle, limit;
	unsigned kept = 0;

	if (!res)
		return n;
	for (unsigned i = 0; i < n; i++)
		res[i] = res[n + i] = residual(&origin, &pairs[i], rate);
	middle = median_of(res + n, n);
	for (unsigned i = 0; i < n; i++)
		res[n + i] = res[i] > middle ? res[i] - middle : middle - res[i];
	limit = 8 * median_of(res + n, n);
	clock->noise_ns = limit / 8;
	if (limit < REJECT_FLOOR_NS)
		limit = REJECT_FLOOR_NS;
	for (unsigned i = 0; i < n; i++)
		if (res[i] - middle <= limit && middle - res[i] <= limit)
			pairs[kept++] = pairs[i];
	free(res);
	clock->nrejected += n - kept;
	return kept;
}

/*
 * A corner of the line: the mean tick of the pairs [from, to) and the median of their residuals
 * there.
 */
static struct clock_piece corner(const struct spool_def_clock *pairs, unsigned from, unsigned to,
	double rate)
{
	const struct spool_def_clock *middle = &pairs[(from + to) / 2];
	unsigned n = to - from, stride = n / SLOPES_MOST + 1, count = 0;
	double res[SLOPES_MOST];

	for (unsigned i = from; i < to && count < SLOPES_MOST; i += stride)
		res[count++] = residual(middle, &pairs[i], rate);
	return (struct clock_piece){ middle->ticks,
		(int64_t)middle->monotonic_ns + whole(median_of(res, count)), 0 };
}

/* Corners at least `span` ns apart, at most CLOCK_PIECES of them. */
static void lay_corners(struct clock *clock, const struct spool_def_clock *pairs, unsigned n,
	double rate)
{
	int64_t length = pairs[n - 1].monotonic_ns - pairs[0].monotonic_ns;
	int64_t span = length / (OWN_PIECES - 2) > PIECE_NS ? length / (OWN_PIECES - 2) : PIECE_NS;
	unsigned from = 0;

	for (unsigned i = 1; i <= n && clock->npieces < OWN_PIECES; i++) {
		struct clock_piece next, *last;

		if (i < n && (int64_t)(pairs[i].monotonic_ns - pairs[from].monotonic_ns) < span)
			continue;
		next = corner(pairs, from, i, rate);
		last = clock->npieces ? &clock->piece[clock->npieces - 1] : NULL;
		if (!last || (next.ticks > last->ticks && next.ns > last->ns))
			clock->piece[clock->npieces++] = next;
		from = i;
	}
}

/*
 * The rate between two corners, rounded down, so that a piece never ends after the next one begins:
 * time does not run backwards.
 */
static uint64_t rate_between(const struct clock_piece *from, const struct clock_piece *to)
{
	unsigned __int128 rate = ((unsigned __int128)(to->ns - from->ns) << CLOCK_RATE_BITS) /
		(to->ticks - from->ticks);

	return rate < INT64_MAX ? (uint64_t)rate : INT64_MAX;
}

/* The last corner continues at the rate of the run. */
static void set_rates(struct clock *clock, double rate)
{
	struct clock_piece *last = &clock->piece[clock->npieces - 1];

	for (struct clock_piece *p = clock->piece; p < last; p++)
		p->rate = rate_between(p, p + 1);
	last->rate = (uint64_t)(rate * RATE_ONE);
}

/* Offset of CLOCK_REALTIME to CLOCK_MONOTONIC at the start, and the largest later jump. */
static int64_t realtime_offset(struct clock *clock, const struct spool_def_clock *pairs, unsigned n)
{
	int64_t offset = 0, last = 0;
	double first[9];
	unsigned count = n < 9 ? n : 9;

	for (unsigned i = 0; i < count; i++)
		first[i] = (double)((int64_t)(pairs[i].realtime_ns - pairs[i].monotonic_ns) -
			(int64_t)(pairs[0].realtime_ns - pairs[0].monotonic_ns));
	offset = (int64_t)(pairs[0].realtime_ns - pairs[0].monotonic_ns) +
		whole(median_of(first, count));
	last = offset;
	for (unsigned i = 0; i < n; i++) {
		int64_t now = pairs[i].realtime_ns - pairs[i].monotonic_ns, jump = now - last;

		if (llabs(jump) > JUMP_NS && llabs(jump) > llabs(clock->jump_ns))
			clock->jump_ns = jump;
		last = now;
	}
	return offset;
}

/*
 * A tick is a nanosecond. The piece begins in the run, not at boot: what is rounded of a drift
 * grows with the time since then.
 */
static void take_nanoseconds(struct clock *clock, uint64_t ticks, uint64_t ns)
{
	clock->piece[0] = (struct clock_piece){ ticks, (int64_t)ns, RATE_ONE };
	clock->npieces = 1;
}

void clock_fit(struct clock *clock, struct spool_def_clock *pairs, unsigned n, unsigned kind)
{
	double rate;

	*clock = (struct clock){ .npairs = n };
	n = reject_absurd(clock, pairs, n);
	if (n == 0) {
		take_nanoseconds(clock, 0, 0);
		return;
	}
	qsort(pairs, n, sizeof(*pairs), compare_pairs);
	rate = kind == SPOOL_CLOCK_TSC ? rate_of(pairs, n) : 1;
	if (rate == 0) {
		take_nanoseconds(clock, pairs[0].ticks, pairs[0].monotonic_ns);
	} else {
		n = reject_outliers(clock, pairs, n, rate);
		if (kind == SPOOL_CLOCK_TSC) {
			lay_corners(clock, pairs, n, rate);
			set_rates(clock, rate);
		} else {
			take_nanoseconds(clock, pairs[0].monotonic_ns, pairs[0].monotonic_ns);
		}
	}
	clock_shift(clock, realtime_offset(clock, pairs, n));
}

void clock_shift(struct clock *clock, int64_t ns)
{
	for (int i = 0; i < clock->npieces; i++)
		clock->piece[i].ns = clock_limit((__int128)clock->piece[i].ns + ns);
}

/* Makes a corner of the clock at each inner one of the quad; its times stay as they are. */
static void add_corners(struct clock *clock, int64_t base, const struct clock_quad *quad)
{
	for (unsigned i = 1; i + 1 < quad->n; i++) {
		int64_t ns = clock_limit((__int128)base + whole(quad->from + i * quad->span));
		struct clock_piece *end = clock->piece + clock->npieces, *p = end - 1, next;

		while (p > clock->piece && ns < p->ns)
			p--;
		if (ns <= p->ns || p->rate == 0 || clock->npieces == CLOCK_PIECES)
			continue;
		next.ticks = p->ticks +
			(uint64_t)(((unsigned __int128)(ns - p->ns) << CLOCK_RATE_BITS) / p->rate);
		next.ns = p->ns +
			(int64_t)((__int128)(next.ticks - p->ticks) * p->rate >> CLOCK_RATE_BITS);
		next.rate = p->rate;
		if (next.ticks <= p->ticks || (p + 1 < end && next.ticks >= p[1].ticks))
			continue;
		memmove(p + 2, p + 1, (size_t)(end - p - 1) * sizeof(*p));
		p[1] = next;
		clock->npieces++;
	}
}

void clock_bend(struct clock *clock, int64_t base, const struct clock_quad *quad)
{
	double drift = (quad->at[quad->n - 1] - quad->at[quad->n - 2]) / quad->span;
	struct clock_piece *last;

	add_corners(clock, base, quad);
	last = &clock->piece[clock->npieces - 1];
	for (struct clock_piece *p = clock->piece; p <= last; p++)
		p->ns = clock_limit(
			(__int128)p->ns + whole(clock_quad_at(quad, (double)(p->ns - base))));
	for (struct clock_piece *p = clock->piece; p < last; p++)
		if (p[1].ns > p->ns)
			p->rate = rate_between(p, p + 1);
	last->rate += (int64_t)((double)last->rate * drift);
}
