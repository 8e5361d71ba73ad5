/*
 * clock_offset.h - the offset and drift of one clock against another, from
 * events that say only "the offset lay between low and high then". A
 * synchronising collective states that: no member leaves before the last one
 * has entered. Pure arithmetic; what the bounds come from is merge's business.
 */
#ifndef ANALYZER_CLOCK_OFFSET_H
#define ANALYZER_CLOCK_OFFSET_H

#include <stdbool.h>
#include <stddef.h>

/* The kernel steers a clock by 500 ppm at most: two differ by twice that. */
#define CLOCK_DRIFT_MOST 0.001

/* Clocks that NTP keeps differ by less: what leaves more open than this says less than they do. */
#define CLOCK_WIDE_NS 1e6

/*
 * At `at` (ns on the clock to be corrected) it has to be put forward by low to high ns (±INFINITY:
 * open).
 */
struct clock_bound {
	double at, low, high;
};

/* Sorts bounds, and tightens each by what others say, as no clock drifts by more than it may. */
void clock_bounds_tighten(struct clock_bound *bounds, size_t n);

/* What tightened ones say at the time `at`. */
struct clock_bound clock_bounds_at(const struct clock_bound *bounds, size_t n, double at);

struct clock_offset {
	double origin; /* ns on the clock to be corrected */
	double offset; /* ns to add at the origin */
	double drift;  /* ns to add per ns after it */
	/* the true correction is within ± error ns, if it is a line of at most 1 ms/s */
	double error;
	double violation; /* ns by which the best line still misses a bound; 0 = none */
};

/*
 * Fits the line that stays furthest from all bounds (Chebyshev centre of the
 * set of lines that cut every interval; A. Duda et al., "Estimating global
 * time in distributed systems", 1987, is where the bounds come from). With one
 * bound the drift is 0. Where that may be wrong by more than CLOCK_WIDE_NS and
 * the clock as it is keeps all bounds it stays so. The bounds are sorted, and
 * lose those that no line touches.
 * Returns 0, or -1 when the bounds do not hold the offset from both sides.
 */
int clock_offset_fit(struct clock_bound *bounds, size_t n, struct clock_offset *fit);

/* The correction in ns to add to the time `at`. */
double clock_offset_at(const struct clock_offset *fit, double at);

#define CLOCK_CORNERS 129

/*
 * A correction that is straight between its corners, and continues so before the first and after
 * the last one.
 */
struct clock_quad {
	double from, span; /* the first corner, on the clock to be corrected; ns to the next */
	unsigned n;	   /* corners, at least 2 */
	double at[CLOCK_CORNERS]; /* ns to add there */
};

/*
 * A quad of 0 ns over the time between `from` and `to`, a second at least; anywhere if from > to.
 */
void clock_quad_lay(struct clock_quad *quad, double from, double to);

/* Makes the quad straight. */
void clock_quad_set(struct clock_quad *quad, const struct clock_offset *line);

/*
 * Doubles the pieces. False, and the quad as it was, if they were too many or less than a second.
 */
bool clock_quad_split(struct clock_quad *quad);

/* The corner where the piece of `at` begins. weight: how far `at` is to the next one, 0 to 1. */
static inline unsigned clock_quad_corner(const struct clock_quad *quad, double at, double *weight)
{
	double place = (at - quad->from) / quad->span;
	unsigned last = quad->n - 2;
	unsigned corner = !(place > 0) ? 0 : place >= last ? last : (unsigned)place;

	*weight = place - corner;
	return corner;
}

/* The correction in ns to add to the time `at`. */
static inline double clock_quad_at(const struct clock_quad *quad, double at)
{
	double weight;
	unsigned i = clock_quad_corner(quad, at, &weight);

	return quad->at[i] + weight * (quad->at[i + 1] - quad->at[i]);
}

#endif
