/* order.c - LOWER_BOUND (containers.h) and medians (median.h) against results of sorting. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "base/median.h"

enum { MOST = 65, ROUNDS = 4000 };

static int ntests, failures;

static void result(const char *name, bool good)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++ntests, name);
	failures += !good;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Numbers of which many are equal. */
static size_t random_fill(double *values)
{
	size_t n = 1 + (size_t)rand() % (MOST - 1);
	int kinds = 1 + rand() % (int)(2 * n);

	for (size_t i = 0; i < n; i++)
		values[i] = (double)(rand() % kinds) / 4;
	return n;
}

/* How many of the sorted numbers are less than x. */
static size_t less_count(const double *sorted, size_t n, double x)
{
	size_t less = 0;

	while (less < n && sorted[less] < x)
		less++;
	return less;
}

static bool bounds_hold(const double *sorted, size_t n)
{
	bool good = true;

	for (double x = -1; x <= (double)MOST; x += 0.125)
		good &= LOWER_BOUND(i, 0, n, sorted[i] < x) == less_count(sorted, n, x);
	return good;
}

static bool places_hold(const double *values, const double *sorted, size_t n)
{
	size_t k = (size_t)rand() % n;
	double moved[MOST];
	bool good;

	memcpy(moved, values, n * sizeof(*moved));
	good = nth_least(moved, n, k) == sorted[k];
	for (size_t i = 0; i < n; i++)
		good &= i < k ? moved[i] <= sorted[k] : moved[i] >= sorted[k];
	qsort(moved, n, sizeof(*moved), compare);
	return good && memcmp(moved, sorted, n * sizeof(*moved)) == 0;
}

static bool median_holds(double *values, const double *sorted, size_t n)
{
	return median_of(values, n) == (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

int main(void)
{
	bool bounds = true, places = true, medians = true;
	double values[MOST], sorted[MOST];

	for (int round = 0; round < ROUNDS; round++) {
		size_t n = random_fill(values);

		memcpy(sorted, values, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), compare);
		bounds &= bounds_hold(sorted, n);
		places &= places_hold(values, sorted, n);
		medians &= median_holds(values, sorted, n);
	}
	result("the bound is the number of those before it", bounds);
	result("in an empty range it is its end", LOWER_BOUND(i, 3, 3, values[i] < 0) == 3);
	result("of numbers with a sign it may be negative",
		LOWER_BOUND(i, INT64_C(-9), INT64_C(9), i < -4) == -4);
	result("each place has what sorting puts there, and all values stay", places);
	result("the median is the middle one, or the mean of both", medians);
	result("the median of nothing is undefined", isnan(median_of(values, 0)));
	printf("1..%d\n", ntests);
	return failures > 0;
}
