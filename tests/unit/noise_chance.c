/*
 * noise_chance.c - exact chances of order and signs against counting all orders and signs, and how
 * often runs of few steps without trouble have a slow rank.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "metrics/noise.h"
#include "metrics/straggler.h"

enum {
	TRIALS = 4000,
	ALARMS = TRIALS / 100 + 19, /* 1 %, and three times the error of counting it */
	RANKS_MAX = 8,
	STEPS_MAX = 7
};

static uint64_t seed = 88172645463325252ull;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) * 0x1p-53;
}

/* Times of steps: mostly alike, now and then a multiple. */
static double heavy(void)
{
	return (100 - 10 * log(1 - uniform())) * (uniform() < 0.05 ? 5 : 1);
}

static int nth;

static void told(bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++nth, what);
}

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

/* By counting the choices of n of the places 0..nall that have as few pairs against, or fewer. */
static double order_counted(unsigned n, unsigned nall, size_t against)
{
	size_t all = 0, few = 0;

	for (uint32_t set = 0; set < 1u << nall; set++) {
		size_t pairs = 0;

		if ((unsigned)__builtin_popcount(set) != n)
			continue;
		for (unsigned i = 0; i < nall; i++)
			for (unsigned j = i + 1; j < nall; j++)
				pairs += (set >> i & 1) && !(set >> j & 1);
		all++;
		few += pairs <= against;
	}
	return (double)few / (double)all;
}

static bool orders_hold(void)
{
	for (unsigned nall = 2; nall <= 12; nall++)
		for (unsigned n = 1; n < nall && n <= 7; n++) {
			double all[12], mine[7];

			for (unsigned i = 0; i < nall; i++)
				all[i] = i;
			/* all of one's own above all others, then one place lower each */
			for (unsigned low = 0; low + n <= nall; low++) {
				size_t against = (size_t)n * (nall - n - low);
				double p;

				for (unsigned i = 0; i < n; i++)
					mine[i] = low + i;
				p = noise_order(mine, n, all, nall);
				if (2 * against < (size_t)n * (nall - n) &&
					!near(p, order_counted(n, nall, against))) {
					printf("# %u of %u, %zu against: %g\n", n, nall, against,
						p);
					return false;
				}
			}
		}
	return true;
}

static bool flips_hold(void)
{
	double values[6] = { 3, -1, 2, 5, 0.5, 1 }, sums[64], sum = 0;
	struct noise_flips flips = noise_flip(values, 6, 0.1);
	size_t high = 0;

	for (int i = 0; i < 6; i++)
		sum += values[i];
	for (unsigned set = 0; set < 64; set++) {
		sums[set] = 0;
		for (unsigned i = 0; i < 6; i++)
			sums[set] += set >> i & 1 ? values[i] : -values[i];
		high += sums[set] >= sum;
	}
	qsort(sums, 64, sizeof(*sums), compare_values);
	return near(flips.p, (double)high / 64) && near(flips.chance, sums[57]);
}

/* Runs with a rank 0 that is `times` as slow: how many name it, and how many another. */
static void runs_judge(size_t nranks, size_t nsteps, double times, int named[2])
{
	struct stretch found;

	named[0] = named[1] = 0;
	for (int k = 0; k < TRIALS; k++) {
		double x[RANKS_MAX][STEPS_MAX], base[RANKS_MAX][STEPS_MAX];
		bool any = false;
		double all[RANKS_MAX * STEPS_MAX];
		struct few few;

		for (size_t i = 0; i < nsteps; i++) {
			double own[RANKS_MAX], sorted[RANKS_MAX];

			for (size_t r = 0; r < nranks; r++)
				sorted[r] = own[r] = heavy() * (r ? 1 : times);
			qsort(sorted, nranks, sizeof(*sorted), compare_values);
			for (size_t r = 0; r < nranks; r++) {
				size_t middle = (nranks - 2) / 2;

				base[r][i] = sorted[middle + (own[r] <= sorted[middle])];
				x[r][i] = own[r] - base[r][i];
			}
		}
		for (size_t i = 0; i < nranks * nsteps; i++)
			all[i] = x[i / nsteps][i % nsteps] + base[i / nsteps][i % nsteps];
		qsort(all, nranks * nsteps, sizeof(*all), compare_values);
		few = (struct few){ all, nranks * nsteps };
		named[0] += few_slow(&few, x[0], base[0], nsteps, noise.alpha / nranks, &found);
		for (size_t r = 1; r < nranks; r++)
			any |= few_slow(&few, x[r], base[r], nsteps, noise.alpha / nranks, &found);
		named[1] += any;
	}
}

/* Whether runs of equal ranks have at most 1 % alarms. */
static bool silent(void)
{
	bool good = true;
	int named[2];

	for (size_t nranks = 2; nranks <= RANKS_MAX; nranks *= 2)
		for (size_t nsteps = 3; nsteps <= STEPS_MAX; nsteps++) {
			runs_judge(nranks, nsteps, 1, named);
			if (named[0] + named[1] <= ALARMS)
				continue;
			printf("# %zu ranks, %zu steps: %d of %d\n", nranks, nsteps,
				named[0] + named[1], TRIALS);
			good = false;
		}
	return good;
}

/*
 * Whether a rank that is 4 times as slow is named in many runs, even of 3 steps and with outliers,
 * and no other rank is.
 */
static bool found_all(void)
{
	bool good = true;
	int named[2];

	for (size_t nranks = 2; nranks <= RANKS_MAX; nranks *= 2)
		for (size_t nsteps = 3; nsteps <= STEPS_MAX; nsteps++) {
			runs_judge(nranks, nsteps, 4, named);
			if (named[0] >= TRIALS / 4 && named[1] <= ALARMS)
				continue;
			printf("# %zu ranks, %zu steps: %d and %d of %d\n", nranks, nsteps,
				named[0], named[1], TRIALS);
			good = false;
		}
	return good;
}

int main(void)
{
	double one = 5, two[] = { 1, 5 };
	int named[2];

	printf("1..6\n");
	told(orders_hold(), "the chance of an order is that of all orders counted");
	told(near(noise_order(&one, 1, two, 2), 0.5), "the higher of two is no wonder");
	told(flips_hold(), "the chance of signs is that of all signs counted");
	told(silent(), "runs of 3 to 7 steps without trouble have at most 1 % false alarms");
	told(found_all(), "a rank that is 4 times as slow is named in runs of 3 to 7 steps");
	runs_judge(2, 2, 100, named);
	told(named[0] == 0, "two steps say nothing");
	return 0;
}
