/*
 * noise.h - how much of a rank's lateness is chance or the machine's influence, and the constants
 * of that model. docs/noise.md has its formulas.
 */
#ifndef ANALYZER_NOISE_H
#define ANALYZER_NOISE_H

#include <stddef.h>

struct engine;
struct few;
struct late_steps;

/* The constants of noise.def by name; counts of steps are whole numbers. */
extern const struct noise_constants {
#define NOISE(name, value, unit, reason) double name;
#include "metrics/noise.def"
#undef NOISE
} noise;

/* The statement that makes them the one row of temp.noise_constant, for rules of the advisor. */
extern const char noise_constants_sql[];

/*
 * Probability that n of `nall` values that differ in nothing are at least as high among these as
 * `mine`, which are among them, do (one-sided: H. B. Mann and D. R. Whitney 1947). Equal values count
 * against it. Exact up to 4,096 pairs, then by the normal distribution. `all` is in order. NAN without
 * memory.
 */
double noise_order(const double *mine, size_t n, const double *all, size_t nall);

/*
 * The sum of n values with random signs (exact: R. A. Fisher 1935): the probability that it is as
 * high as the observed sum, and the value that it exceeds with probability `alpha` at most. n at
 * most NOISE_BLOCKS.
 */
struct noise_flips {
	double p, chance;
};
enum { NOISE_BLOCKS = 12 };
struct noise_flips noise_flip(const double *values, size_t n, double alpha);

/* Rows of the table noise. */
void noise_write(struct engine *engine, const struct late_steps *steps, const struct few *few);

#endif
