/*
 * straggler_series.c - change points and levels of made-up series: planted changes are found, noise
 * gives nothing.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "metrics/straggler.h"

enum { STEPS = 200, TRIALS = 2000, RANKS = 4 };

static uint64_t seed = 88172645463325252ull;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(2 * acos(-1) * uniform());
}

/* Mostly small, sometimes a multiple: like steps on a shared machine. */
static double heavy(void)
{
	return normal() * (uniform() < 0.05 ? 20 : 1);
}

/* Each value hangs on the last one by so much. */
static double memory;

static double remembering(void)
{
	static double last;

	return last = memory * last + sqrt(1 - memory * memory) * normal();
}

static int nth;

static void told(bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++nth, what);
}

static int slow(const double *x, size_t n, struct stretch *found)
{
	double base[STEPS];

	for (size_t i = 0; i < n; i++)
		base[i] = 100;
	return series_slow(x, base, n, 0.01 / RANKS, found, 8);
}

/* How many of the trials find something in noise around `level`. */
static int alarms(double (*noise)(void), double level, double scale)
{
	struct stretch found[8];
	double x[STEPS];
	int n = 0;

	for (int k = 0; k < TRIALS; k++) {
		for (int i = 0; i < STEPS; i++)
			x[i] = level + scale * noise();
		n += slow(x, STEPS, found) > 0;
	}
	return n;
}

/*
 * Trials that find one stretch that begins within `slack` of `since` and ends within `slack` of
 * `end`.
 */
static int hits(double (*noise)(void), size_t since, size_t end, double shift, double scale,
	size_t slack)
{
	struct stretch found[8];
	double x[STEPS];
	int n = 0;

	for (int k = 0; k < 200; k++) {
		for (size_t i = 0; i < STEPS; i++)
			x[i] = scale * noise() + (i >= since && i < end ? shift : 0);
		n += slow(x, STEPS, found) == 1 && found[0].first + slack >= since &&
			found[0].first <= since + slack && found[0].end + slack >= end &&
			found[0].end <= end + slack;
	}
	return n;
}

/* Trials that find a pattern of every `period` steps from step `since` on to the end. */
static int hits_every(size_t period, size_t since, double shift, size_t n)
{
	struct stretch found[8];
	double x[STEPS];
	int nfound = 0;

	for (int k = 0; k < 200; k++) {
		for (size_t i = 0; i < n; i++)
			x[i] = normal() + (i >= since && i % period == 0 ? shift : 0);
		nfound += slow(x, n, found) == 1 && found[0].first + 4 >= since &&
			found[0].first <= since + 4 && found[0].end + 8 >= n;
	}
	if (nfound < 190)
		printf("# %d of 200\n", nfound);
	return nfound;
}

/* Steps that are all but equal: 0, then 50 from `since` to before `end`. Whether that is found. */
static bool steady(size_t since, size_t end, size_t n)
{
	struct stretch found[8];
	double x[STEPS];
	int nfound = 0;

	for (int k = 0; k < 200; k++) {
		for (size_t i = 0; i < n; i++)
			x[i] = (i >= since && i < end ? 50 - 0.01 * i : 0) + 0.05 * normal();
		nfound += slow(x, n, found) == 1 && found[0].first == since && found[0].end == end;
	}
	if (nfound < 200)
		printf("# %d of 200\n", nfound);
	return nfound == 200;
}

/* How often the bound is above the level of series that are all slow, which it is to be for alpha at most. */
static int bounds_missed(double (*noise)(void), size_t n, double *typical)
{
	struct stretch found[8];
	double x[STEPS], sum = 0;
	int missed = 0;

	for (int k = 0; k < TRIALS; k++) {
		for (size_t i = 0; i < n; i++)
			x[i] = 50 + 4 * noise();
		if (slow(x, n, found) != 1)
			continue;
		missed += found[0].least > 50;
		sum += found[0].least;
	}
	*typical = sum / TRIALS;
	return missed;
}

int main(void)
{
	double typical;
	struct stretch found[8];
	double flat[STEPS] = { 0 }, exact[100];

	printf("1..20\n");
	told(slow(flat, STEPS, found) == 0, "a series without any difference has no slow stretch");
	for (int i = 0; i < 100; i++)
		exact[i] = i < 40 ? 0 : 50;
	told(slow(exact, 100, found) == 1 && found[0].first == 40 && found[0].end == 100,
		"a shift without noise is found at its step");
	told(slow(exact, 4, found) == 0, "four steps say nothing");
	told(alarms(normal, 0, 20) <= TRIALS / 100, "normal noise gives at most 1 % false alarms");
	told(alarms(heavy, 0, 20) <= TRIALS / 100,
		"noise with outliers gives at most 1 % false alarms");
	memory = 0.5;
	told(alarms(remembering, 0, 20) <= TRIALS / 100,
		"nor does noise that lasts for some steps");
	memory = 0.8;
	told(alarms(remembering, 0, 20) <= TRIALS / 100 * 3,
		"nor, with 3 % false alarms, such as lasts for many");
	told(hits(remembering, 60, STEPS, 50, 10, 5) >= 190, "a lasting shift is found in it, too");
	told(alarms(normal, 2, 1) == 0, "a steady 2 % is not worth telling");
	told(hits(normal, 60, STEPS, 50, 15, 3) >= 190,
		"a lasting shift of 3 sigma is found within 3 steps");
	told(hits(heavy, 60, 140, 50, 10, 5) >= 190,
		"a stretch that ends is found, in spite of outliers");
	told(hits(normal, 0, STEPS, 20, 10, 0) >= 190,
		"slow from the first to the last step is one stretch");
	told(steady(10, 75, 80),
		"a stretch of steady steps is found to the step, with five behind it");
	told(steady(10, 78, 80), "and with two");
	told(steady(3, 80, 80), "and with three before it");
	told(bounds_missed(normal, 100, &typical) <= TRIALS / 100 && typical > 48,
		"the bound of a level is hardly ever above it, and near it");
	told(bounds_missed(heavy, 12, &typical) <= TRIALS / 100,
		"nor is that of twelve steps with outliers");
	told(hits_every(2, 30, 100, 119) >= 190, "what comes every second step is found");
	told(hits_every(3, 30, 100, STEPS) >= 190, "so is every third");
	told(hits_every(4, 0, 100, STEPS) >= 190, "and every fourth");
	return 0;
}
