/*
 * change_points.c - changes are found where they were made, and false alarms are as rare as stated.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/change_points.h"

enum { MOST = 64, SERIES = 2000 };

static int tests, failures;

static void check(bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tests, what);
	failures += !ok;
}

/* A series of a separate generator (Lehmer's): from 0 to 1, both excluded. */
static double uniform(uint64_t *state)
{
	*state = *state * 48271 % 2147483647;
	return (double)*state / 2147483647;
}

static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * M_PI * uniform(state));
}

enum shape { NORMAL, CAUCHY, TIED, STUDENT, LOGNORMAL };

static double value_of(enum shape shape, uint64_t *state)
{
	double u = uniform(state);

	switch (shape) {
	case NORMAL: return normal(state);
	case CAUCHY: return tan(M_PI * (u - 0.5));
	case STUDENT: /* three degrees of freedom */
		return normal(state) /
			sqrt((pow(normal(state), 2) + pow(normal(state), 2) +
				     pow(normal(state), 2)) /
				3);
	case LOGNORMAL: return exp(normal(state));
	default: return floor(3 * u);
	}
}

/* How many of SERIES without a change get one. */
static int alarms(size_t n, double alpha, enum shape shape)
{
	struct change_point found[MOST];
	double values[MOST];
	uint64_t state = 12345 + n;
	int many = 0;

	for (int i = 0; i < SERIES; i++) {
		for (size_t k = 0; k < n; k++)
			values[k] = value_of(shape, &state);
		many += change_points_find(values, n, alpha, found) > 0;
	}
	return many;
}

/* How many of SERIES without a jump at their end get one; all around a level of 100. */
static bool jumps_are_rare(size_t n, double alpha, enum shape shape)
{
	struct change_point found;
	double values[MOST];
	uint64_t state = 54321 + n;
	int many = 0;

	for (int i = 0; i < SERIES; i++) {
		for (size_t k = 0; k < n; k++)
			values[k] = 100 + 2 * value_of(shape, &state);
		many += change_points_last(values, NULL, n, alpha, &found);
	}
	printf("# %zu values, alpha %g: %d jumps of %d\n", n, alpha, many, SERIES);
	return many <= alpha * SERIES + 4 * sqrt(alpha * SERIES);
}

/* At most the share alpha, but for 4 standard deviations of a count; `least`: nor is the test for nothing. */
static bool rate_is(size_t n, double alpha, enum shape shape, double least)
{
	int many = alarms(n, alpha, shape);

	printf("# %zu values, alpha %g: %d of %d\n", n, alpha, many, SERIES);
	return many <= alpha * SERIES + 4 * sqrt(alpha * SERIES) && many >= least * SERIES;
}

static bool finds(const double *values, size_t n, double alpha, size_t nwanted,
	const size_t *wanted)
{
	struct change_point found[MOST];
	size_t nfound = change_points_find(values, n, alpha, found);
	bool ok = nfound == nwanted;

	for (size_t i = 0; i < nfound; i++) {
		printf("# at %zu, p %g\n", found[i].at, found[i].p);
		ok = ok && found[i].at == wanted[i];
	}
	return ok;
}

int main(void)
{
	static const double eight[] = { 1, 3, 2, 4, 7, 6, 8, 5 },
			    ten[] = { 10, 11, 10.5, 10.2, 10.4, 12, 12.4, 12.2, 12.1, 12.3 },
			    last[] = { 1, 7, 3, 5, 2, 8, 4, 6, 3.5, 5.5, 4.5, 90 };
	static const double own[12] = { [11] = 80 };
	const size_t at_4[] = { 4 }, at_5[] = { 5 }, at_18[] = { 18 }, twice[] = { 12, 26 };
	struct change_point found[MOST];
	double values[MOST];
	uint64_t state = 1234567;

	puts("1..14");
	check(change_points_least(0.05) == 8 && change_points_least(0.01) == 10 &&
			change_points_least(0.001) == 14,
		"a series needs 8 values at 5 %, 10 at 1 %, 14 at 0.1 %");
	check(finds(eight, 8, 0.05, 1, at_4) && finds(eight, 8, 0.01, 0, NULL),
		"of 8 values whose halves differ the change is found at 5 %, and not at 1 %");
	check(finds(ten, 10, 0.01, 1, at_5), "of 10 it is found at 1 %");
	change_points_find(eight, 8, 0.05, found);
	check(fabs(found[0].p - 2.0 / 70) < 0.006, "the chance of that is 2 in 70");
	check(finds(last, 12, 0.05, 0, NULL), "one outlier at the end is no change, however large");
	for (size_t i = 0; i < 24; i++)
		values[i] = 10 + 0.1 * normal(&state) + (i >= 18 ? 1 : 0);
	check(finds(values, 24, 0.01, 1, at_18), "six slower runs after eighteen are one");
	for (size_t i = 0; i < 40; i++)
		values[i] = (i < 12 ? 10 : i < 26 ? 11 : 9) + 0.1 * normal(&state);
	check(finds(values, 40, 0.01, 2, twice), "two changes of a series are found");
	for (size_t i = 0; i < 20; i++)
		values[i] = 5;
	check(finds(values, 20, 0.05, 0, NULL) && change_points_find(values, 0, 0.05, found) == 0,
		"what is always the same does not change, nor does nothing");
	check(rate_is(12, 0.01, NORMAL, 0.002) && rate_is(30, 0.01, CAUCHY, 0.004),
		"of series without a change no more than 1 % get one, with any distribution");
	check(rate_is(10, 0.05, NORMAL, 0.02) && rate_is(8, 0.05, CAUCHY, 0.01),
		"no more than 5 % of short ones at 5 %");
	check(rate_is(20, 0.05, TIED, 0.01), "nor where many values are equal");
	check(jumps_are_rare(8, 0.002, NORMAL) && jumps_are_rare(12, 0.002, STUDENT) &&
			jumps_are_rare(30, 0.002, LOGNORMAL) && jumps_are_rare(20, 0.01, NORMAL),
		"no more than the rate jump at their end");
	check(change_points_last(last, NULL, 12, 0.05, found) && found[0].at == 11,
		"a last value far from all others is a jump");
	check(!change_points_last(last, NULL, 11, 0.2, found) &&
			!change_points_last(last, own, 12, 0.05, found) &&
			!change_points_last(last, NULL, 4, 0.2, found),
		"but not one among them, nor one that may be off by as much, nor of a short series");
	return failures > 0;
}
