/* shift.h - by how much one set of measurements is above another, whatever their distribution. */
#ifndef ANALYZER_SWEEP_SHIFT_H
#define ANALYZER_SWEEP_SHIFT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The median of all differences b - a (Hodges and Lehmann 1963), and the bounds that contain the
 * shift with at least 95 % confidence, from the exact distribution of Mann and Whitney's U (1947).
 */
struct shift {
	double median, low, high;
	bool bounded; /* there are bounds; of too few values (3 and 4, 2 and 7) there are none */
};

/* 0, or -1 without memory. n and m are at least 1. */
int shift_of(const double *a, size_t n, const double *b, size_t m, struct shift *shift);

/* How many of the differences are beyond each bound; 0: there are no bounds. */
size_t shift_cut(size_t n, size_t m);

#endif
