/* change_points.c - see change_points.h. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/change_points.h"
#include "base/median.h"

#define PERMUTATIONS 9999 /* besides the series itself: p is known to a tenth of 0.01 */
#define LEAST_MOST   64
#define LEAST_SIDE   2	  /* values on each side: a single one is an outlier */
#define EQUAL	     1e-9 /* statistics of the same ranks differ by rounding */
#define LAST_MOST    5	  /* runs at the end; the ranks see a longer level */
#define LAST_LEAST   4	  /* runs before them */
#define LEAST_JUMP   1.5
#define LEAST_UNIT   0.005 /* of the median: equal values have no spread */

struct ranked_value {
	double value;
	size_t at;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked_value *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Ranks from 1; equal values have the mean of theirs. `sorted` has room for n. */
static void ranks_make(const double *values, size_t n, struct ranked_value *sorted, double *ranks)
{
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct ranked_value){ values[i], i };
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !(sorted[end].value > sorted[i].value);)
			end++;
		for (size_t k = i; k < end; k++)
			ranks[sorted[k].at] = ((double)i + 1 + (double)end) / 2;
	}
}

/* S² */
static double statistic(const double *ranks, size_t n)
{
	double best = 0, u = 0;

	for (size_t t = 1; t < n; t++) {
		u += 2 * ranks[t - 1] - ((double)n + 1);
		best = fmax(best, u * u / ((double)t * (double)(n - t)));
	}
	return best;
}

/* Marsaglia's xorshift64*: its sequence is the same everywhere. */
static uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

static void shuffle(double *ranks, size_t n, uint64_t *state)
{
	for (size_t i = n - 1; i > 0; i--) {
		size_t k = (size_t)((random_next(state) >> 32) * (i + 1) >> 32);
		double rank = ranks[i];

		ranks[i] = ranks[k];
		ranks[k] = rank;
	}
}

struct change_search {
	double alpha, *ranks, *room;
	struct ranked_value *sorted;
	struct change_point *found;
	size_t nfound;
};

/* p of the ranks' S; more than alpha is not counted to its end. */
static double chance_of(struct change_search *search, size_t n)
{
	double found = statistic(search->ranks, n);
	uint64_t state = UINT64_C(88172645463325252);
	size_t most = (size_t)(search->alpha * (PERMUTATIONS + 1)), above = 1;

	if (found == 0)
		return 1;
	for (size_t i = 0; i < PERMUTATIONS && above <= most; i++) {
		shuffle(search->ranks, n, &state);
		above += statistic(search->ranks, n) >= found * (1 - EQUAL);
	}
	return (double)above / (PERMUTATIONS + 1);
}

/* The sum of the distances of n values from their median. */
static double spread(const double *values, size_t n, double *room)
{
	double sum = 0, median;

	memcpy(room, values, n * sizeof(*room));
	median = median_of(room, n);
	for (size_t i = 0; i < n; i++)
		sum += fabs(values[i] - median);
	return sum;
}

/* Where it is: the place with the least distances; of equal ones that nearest to the middle. */
static size_t place_of(const struct change_search *search, const double *values, size_t n)
{
	double least = INFINITY;
	size_t at = 0;

	for (size_t t = LEAST_SIDE; t + LEAST_SIDE <= n; t++) {
		double sum = spread(values, t, search->room) +
			spread(values + t, n - t, search->room);
		bool nearer = t * (n - t) > at * (n - at);

		if (sum < least * (1 - EQUAL) || (sum <= least * (1 + EQUAL) && nearer)) {
			least = sum;
			at = t;
		}
	}
	return at;
}

/* Searches part of the series: `n` values in order; `first` is the index of the first one. */
static void part_search(struct change_search *search, const double *values, size_t first, size_t n)
{
	double p;
	size_t at;

	if (n < change_points_least(search->alpha))
		return;
	ranks_make(values, n, search->sorted, search->ranks);
	p = chance_of(search, n);
	if (p > search->alpha)
		return;
	at = place_of(search, values, n);
	part_search(search, values, first, at);
	search->found[search->nfound++] = (struct change_point){ first + at, p };
	part_search(search, values + at, first + at, n - at);
}

size_t change_points_find(const double *values, size_t n, double alpha, struct change_point *found)
{
	struct change_search search = { .alpha = alpha,
		.found = found,
		.ranks = calloc(n + 1, sizeof(*search.ranks)),
		.room = calloc(n + 1, sizeof(*search.room)),
		.sorted = calloc(n + 1, sizeof(*search.sorted)) };

	if (search.ranks && search.room && search.sorted)
		part_search(&search, values, 0, n);
	free(search.ranks);
	free(search.room);
	free(search.sorted);
	return search.nfound;
}

size_t change_points_least(double alpha)
{
	size_t n = 1;
	double best;

	do {
		double half = (double)(++n / 2), rest = (double)n - half;

		/*
		 * the smallest p is reached by a change in the middle; an odd number has two of
		 * these
		 */
		best = (half < rest ? 4 : 2) /
			exp(lgamma((double)n + 1) - lgamma(half + 1) - lgamma(rest + 1));
	} while (best > alpha * (1 + EQUAL) && n < LEAST_MOST);
	return n;
}

/* How large a jump the last k values are; 0: none. `room` has place for n. */
static double jump_size(const double *values, const double *own, size_t n, size_t k, double *room)
{
	size_t before = n - k;
	double median, nearest = INFINITY, usual, side;

	memcpy(room, values, before * sizeof(*room));
	median = median_of(room, before);
	for (size_t i = 0; i < before; i++)
		room[i] = fabs(values[i] - median);
	usual = fmax(nth_least(room, before, before - k), LEAST_UNIT * fabs(median));
	side = values[n - 1] < median ? -1 : 1;
	for (size_t i = before; i < n; i++)
		nearest = fmin(nearest, side * (values[i] - median) - (own ? own[i] : 0));
	return nearest > 0 && nearest >= LEAST_JUMP * usual ? nearest / usual : 0;
}

/* How many numbers of last values are inspected. */
static size_t jump_most(size_t n)
{
	size_t most = n < LAST_LEAST ? 0 : n - LAST_LEAST;

	most = most < n / 3 ? most : n / 3;
	return most < LAST_MOST ? most : LAST_MOST;
}

/* A value of Student's distribution with two degrees of freedom. */
static double student_next(uint64_t *state)
{
	double u = ((double)(random_next(state) >> 12) + 0.5) / (double)(UINT64_C(1) << 52);

	return (2 * u - 1) / sqrt(2 * u * (1 - u));
}

/*
 * Finds the jump with the lowest p: returns its number of last values, and its p. p covers all
 * numbers tried.
 */
static size_t jump_find(const double *values, const double *own, size_t n, double *room, double *p)
{
	uint64_t state = UINT64_C(88172645463325252);
	size_t most = jump_most(n), above[LAST_MOST + 1], best = 0;
	double size[LAST_MOST + 1], *other = room + n;

	for (size_t k = 1; k <= most; k++) {
		size[k] = jump_size(values, own, n, k, room);
		above[k] = size[k] > 0 ? 1 : PERMUTATIONS + 1;
		best = above[k] == 1 ? k : best;
	}
	for (size_t i = 0; i < PERMUTATIONS && best; i++) {
		for (size_t at = 0; at < n; at++)
			other[at] = student_next(&state);
		for (size_t k = 1; k <= most; k++)
			if (size[k] > 0)
				above[k] += jump_size(other, NULL, n, k, room) >= size[k];
	}
	for (size_t k = most; k > 0 && best; k--)
		best = above[k] < above[best] ? k : best;
	*p = best ? (double)most * (double)above[best] / (PERMUTATIONS + 1) : 1;
	return best;
}

bool change_points_last(const double *values, const double *own, size_t n, double alpha,
	struct change_point *found)
{
	double *room = calloc(2 * n + 1, sizeof(*room)), p = 1;
	size_t k = room ? jump_find(values, own, n, room, &p) : 0;

	free(room);
	*found = (struct change_point){ n - k, p };
	return k && p <= alpha;
}
