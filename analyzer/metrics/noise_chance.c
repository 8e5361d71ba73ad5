/* noise_chance.c - exact distributions of order and of signs; see noise.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/median.h"
#include "metrics/noise.h"

enum { EXACT_PAIRS = 4096 }; /* more have the same distribution as a sum of many */

#define TEXT(value) #value
const struct noise_constants noise = {
#define NOISE(name, value, unit, reason) .name = value,
#include "metrics/noise.def"
#undef NOISE
};

const char noise_constants_sql[] = "create temp table noise_constant as select 0 as zero"
#define NOISE(name, value, unit, reason) ", " TEXT(value) " as " #name
#include "metrics/noise.def"
#undef NOISE
	;

/* How many of the values, in order, are as high as x or higher. */
static size_t count_from(const double *all, size_t n, double x)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return n - low;
}

/* How many pairs of an own value and another one have this as high or higher. */
static size_t pairs_against(const double *mine, size_t n, const double *all, size_t nall)
{
	size_t against = 0;

	for (size_t i = 0; i < n; i++) {
		against += count_from(all, nall, mine[i]);
		for (size_t j = 0; j < n; j++)
			against -= mine[j] >= mine[i];
	}
	return against;
}

/*
 * The number of orders with u pairs against is the coefficient of q^u in the Gaussian binomial
 * coefficient (n + m over n): the product over i of (1 - q^(m+i)) / (1 - q^i). Kept up to q^most, as
 * shares of all orders.
 */
static double orders_up_to(size_t n, size_t m, size_t most)
{
	double *count = calloc(most + 1, sizeof(*count)), sum = 0;

	if (!count)
		return NAN;
	count[0] = 1;
	for (size_t i = 1; i <= n; i++) {
		for (size_t u = most + 1; u-- > m + i;)
			count[u] -= count[u - m - i];
		for (size_t u = i; u <= most; u++)
			count[u] += count[u - i];
		for (size_t u = 0; u <= most; u++)
			count[u] *= (double)i / (double)(m + i);
	}
	for (size_t u = 0; u <= most; u++)
		sum += count[u];
	free(count);
	return fmin(sum, 1);
}

double noise_order(const double *mine, size_t n, const double *all, size_t nall)
{
	size_t m = nall - n, against = pairs_against(mine, n, all, nall);
	double pairs = (double)n * (double)m;

	if (pairs > EXACT_PAIRS)
		return erfc((pairs / 2 - 0.5 - (double)against) /
			       sqrt(pairs * (double)(nall + 1) / 6)) /
			2;
	return 2.0 * (double)against >= pairs ? 1 : orders_up_to(n, m, against);
}

/* All sums are walked through in Gray's order, in which one sign changes at a time. */
struct noise_flips noise_flip(const double *values, size_t n, double alpha)
{
	struct noise_flips flips = { 1, NAN };
	double sums[1 << NOISE_BLOCKS], sum = 0, scale = 0;
	size_t all, high = 0;

	if (!n || n > NOISE_BLOCKS)
		return flips;
	for (size_t i = 0; i < n; i++)
		sum += values[i], scale += fabs(values[i]);
	all = (size_t)1 << n;
	sums[0] = sum;
	for (size_t i = 1, signs = 0; i < all; i++) {
		size_t at = (size_t)__builtin_ctzll(i);

		signs ^= (size_t)1 << at;
		sum += (signs >> at & 1) ? -2 * values[at] : 2 * values[at];
		sums[i] = sum;
	}
	for (size_t i = 0; i < all; i++)
		high += sums[i] >= sums[0] - 1e-9 * scale;
	flips.p = (double)high / (double)all;
	flips.chance = nth_least(sums, all, all - 1 - (size_t)(alpha * (double)all));
	return flips;
}
