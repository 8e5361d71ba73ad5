/*
 * clock_offset.h - the offset and drift of one clock against another, from
 * events that say only "the offset lay between low and high then". A
 * synchronising collective says that: no member leaves before the last one
 * has entered. Pure arithmetic; what the bounds come from is merge's business.
 */
#ifndef ANALYZER_CLOCK_OFFSET_H
#define ANALYZER_CLOCK_OFFSET_H

#include <stddef.h>

/*
 * At `at` (ns on the clock to be corrected) it has to be put forward by low to high ns (±INFINITY:
 * open).
 */
struct clock_bound {
	double at, low, high;
};

struct clock_offset {
	double origin;		/* ns on the clock to be corrected */
	double offset;		/* ns to add at the origin */
	double drift;		/* ns to add per ns after it */
	/* the true correction lies within ± error ns, if it is a line of at most 1 ms/s */
	double error;
	double violation;	/* ns by which the best line still misses a bound; 0 = none */
};

/*
 * Fits the line that stays furthest from all bounds (Chebyshev centre of the
 * set of lines that cut every interval; A. Duda et al., "Estimating global
 * time in distributed systems", 1987, is where the bounds come from). With one
 * bound the drift is 0. Returns 0, or -1 when the
 * bounds do not hold the offset from both sides.
 */
int clock_offset_fit(const struct clock_bound *bounds, size_t n, struct clock_offset *fit);

/* The correction in ns to add to the time `at`. */
double clock_offset_at(const struct clock_offset *fit, double at);

#endif
