/*
 * change_points.h - finds where a series of figures changes its level, by ranks alone: no
 * distribution is assumed, and single outliers count as little as any other value.
 *
 * For a series x_1 … x_n with ranks R_i (ties: their mean) the statistic is
 *
 *   S = max over t of |U_t| / sqrt(t (n - t)),   U_t = 2 (R_1 + … + R_t) - t (n + 1),
 *
 * Mann's and Whitney's statistic of the values before and after t (Pettitt 1979,
 * doi:10.2307/2346729), in units of its standard deviation without a change, up to a factor that
 * all t share (Hawkins and Deng 2010, doi:10.1080/00224065.2010.11917817). Without a change all
 * orders of the values are equally likely. The p-value of S is counted over permutations of the
 * series, itself included, so that at most the share `alpha` of series without a change gets p <=
 * alpha (Phipson and Smyth 2010, doi:10.2202/1544-6115.1585). A series with p <= alpha is cut, and
 * both parts are examined in the same way (binary segmentation): in a series without a change the
 * first test alone decides. The cut is where the values are nearest to the medians of both sides,
 * by the sum of the distances (Bai 1995, doi:10.1017/S026646660000935X), with at least two values
 * on each side, so one outlier is not cut off.
 *
 * Successive values must be independent otherwise: a machine that drifts for days is a change as
 * well.
 */
#ifndef ANALYZER_CHANGE_POINTS_H
#define ANALYZER_CHANGE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

struct change_point {
	size_t at; /* the first value of the new level */
	double p;  /* of a change as clear by chance alone */
};

/*
 * The changes in `values`, none of which is NAN, in their order, to `found`, which has room for n. The
 * same values give the same result. Returns how many there are; 0 without memory as well.
 */
size_t change_points_find(const double *values, size_t n, double alpha, struct change_point *found);

/* How many values a series needs at least for p <= alpha: of 8 the best order has 2 in 70. */
size_t change_points_least(double alpha);

/*
 * Whether the last one to four values are apart from those before them: `found` gets the first of them.
 * Ranks need about as many values after a change as before it; a jump is seen in the first value, by its
 * size. For the last k values the size is the least distance of one of them from the median before, all
 * on the same side, in units of the k-th largest distance before, so that k - 1 exceptions do not hide
 * the next one. p is counted over series of Student's distribution with two degrees of freedom, of which
 * the variance is infinite (the tails of times are lighter), times the numbers k that are inspected. Each
 * distance is shorter by the value's `own` noise.
 */
bool change_points_last(const double *values, const double *own, size_t n, double alpha,
	struct change_point *found);

#endif
