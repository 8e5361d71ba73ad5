/*
 * straggler_series.c - finds where a rank's series of excess times is above 0; see straggler.h. The
 * test uses signs instead of values, so that a single long step (a checkpoint, a hiccup of the file
 * system) counts as one. A late step counts 1. Any other step subtracts so much that a positive sum
 * needs more than noise.least_above late steps. The stretch with the largest sum is tested first,
 * then all steps. From a given step on, such sums of a fair coin ever reach k with a probability of
 * ROOT^-k at most (F. Lundberg's inequality: W. Feller, An Introduction to Probability Theory II,
 * XII.5). Borders then move to where values are nearer to the level on one side, and to 0 on the
 * other. The lower bound of the median is the one of the sign test (W. J. Conover, Practical
 * Nonparametric Statistics, section 3.2).
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "metrics/noise.h"
#include "metrics/straggler.h"

#define LEAST_STEPS ((size_t)noise.least_steps)
#define LATE	    (noise.least_share / 2) /* of its base: a step is late by that */
#define ON_TIME	    (noise.least_above / (1 - noise.least_above)) /* what any other step takes off */
#define ROOT	    1.8392867552 /* mean of ROOT^score of a fair coin: 1 */

/* Shares of alpha: stretches of all steps, up to either end, and between other steps. */
#define ALPHA_ALL    0.8
#define ALPHA_END    0.08
#define ALPHA_WITHIN 0.04

enum {
	FOLD_MOST = 4,
	FEW_LEAST = 3, /* steps that have an order worth asking */
	FEW_MOST = 4,  /* up to which few_alpha goes */
};

struct search {
	const double *x, *base;
	double alpha, independent;
	double *scratch;
	struct stretch *found;
	int n, max;
};

/* Probability of i heads of n. */
static double heads_exactly(size_t n, size_t i)
{
	return exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) - n * log(2));
}

/* Probability of k or more heads of n. */
static double heads(size_t n, size_t k)
{
	double p = 0;

	for (size_t i = k; i <= n; i++)
		p += heads_exactly(n, i);
	return fmin(p, 1);
}

/* The number of independent steps that carry as much information as n steps. */
static size_t steps_independent(const struct search *search, size_t n)
{
	size_t independent = (size_t)(n * search->independent + 0.5);

	return independent ? independent : 1;
}

/*
 * Lower confidence bound, at level 1 - alpha, of the median of the distribution of n values: a fair
 * coin decides whether a value is below the median. NAN: n is too small for a bound. Sorts the
 * values.
 */
static double median_least(const struct search *search, double *values, size_t n)
{
	size_t tosses = steps_independent(search, n), k = 0;
	double p = heads_exactly(tosses, 0);

	qsort(values, n, sizeof(*values), compare_numbers);
	for (; k < tosses && p <= search->alpha; k++)
		p += heads_exactly(tosses, k + 1);
	return k ? values[(k - 1) * n / tosses] : NAN;
}

/* Sets level and share; is x above its base by enough, typically and on average, and nearly always? */
static bool is_slow(const double *x, const double *base, double *scratch, struct stretch *stretch)
{
	size_t n = stretch->end - stretch->first, above = 0;
	double sum = 0, sum_base = 0, typical;

	x += stretch->first, base += stretch->first;
	for (size_t i = 0; i < n; i++)
		above += x[i] > 0, sum += x[i], sum_base += base[i];
	stretch->above = (double)above / (double)n;
	memcpy(scratch, base, n * sizeof(*base));
	typical = median_of(scratch, n);
	memcpy(scratch, x, n * sizeof(*x));
	stretch->level = nth_least(scratch, n, (n - 1) / 2);
	return stretch->above >= noise.least_above && stretch->level > 0 && sum > 0 &&
		sum >= noise.least_share * sum_base &&
		stretch->level >= noise.least_share * typical;
}

/* By how much the value is nearer to the level than to 0. */
static double nearer(double x, double level)
{
	return fabs(x) - fabs(x - level);
}

/* The stretch of [first, end) with the largest sum: of values nearer to a level, or (0) of late steps. */
static struct stretch stretch_find(const struct search *search, double level, size_t first,
	size_t end)
{
	struct stretch best = { .first = first, .end = first };
	double sum = 0, most = 0;
	size_t begin = first;

	for (size_t i = first; i < end; i++) {
		sum += level > 0				? nearer(search->x[i], level)
			: search->x[i] > LATE * search->base[i] ? 1
								: -ON_TIME;
		if (sum > most)
			most = sum, best.first = begin, best.end = i + 1;
		if (sum <= 0)
			sum = 0, begin = i + 1;
	}
	return best;
}

/* The probability that [first, end) has one like it, if the rank is like the others. */
static double stretch_chance(const struct search *search, const struct stretch *at, size_t first,
	size_t end)
{
	size_t n = at->end - at->first, above = 0;
	double p;

	for (size_t i = at->first; i < at->end; i++)
		above += search->x[i] > 0;
	if (at->first == first && at->end == end) {
		size_t tosses = steps_independent(search, n);

		return heads(tosses, tosses * above / n) / ALPHA_ALL;
	}
	p = pow(ROOT, (ON_TIME * (double)(n - above) - (double)above) * search->independent);
	return at->first == first || at->end == end
		? p / ALPHA_END
		: p * (double)steps_independent(search, end - first) / ALPHA_WITHIN;
}

/* Laplace's scale of the values of a stretch around its level. */
static double spread_of(const struct search *search, const struct stretch *stretch)
{
	for (size_t i = stretch->first; i < stretch->end; i++)
		search->scratch[i - stretch->first] = fabs(search->x[i] - stretch->level);
	return median_of(search->scratch, stretch->end - stretch->first) / log(2);
}

/*
 * Moves a border from `at` up to `to`. Values left out must be nearer to 0 than to the level by
 * `least` in all.
 */
static size_t border_find(const double *x, double level, double least, size_t at, size_t to)
{
	double gain = 0;
	size_t best = at;

	while (at != to) {
		gain -= nearer(x[at < to ? at : at - 1], level);
		at += at < to ? 1 : -1;
		if (gain > least)
			least = gain, best = at;
	}
	return best;
}

/*
 * What is nearer to the level. A few steps before or after it, at an end of the series, are
 * left out only for what noise does not do.
 */
static void stretch_fit(const struct search *search, struct stretch *at, size_t from, size_t to)
{
	double level = at->level,
	       least = spread_of(search, at) * log((double)(to - from) / search->alpha);

	*at = stretch_find(search, level, from, to);
	if (at->first < from + LEAST_STEPS)
		at->first = border_find(search->x, level, least, from, at->first);
	if (at->end + LEAST_STEPS > to)
		at->end = border_find(search->x, level, least, to, at->end);
}

/* True if noise is unlikely to make the stretch, and it stays slow after its borders are fitted. */
static bool stretch_holds(const struct search *search, struct stretch *at, size_t first, size_t end)
{
	double p = stretch_chance(search, at, first, end);

	if (p >= search->alpha || !is_slow(search->x, search->base, search->scratch, at))
		return false;
	stretch_fit(search, at, first, end);
	if (!is_slow(search->x, search->base, search->scratch, at))
		return false;
	at->p = p;
	at->least = median_least(search, search->scratch, at->end - at->first);
	return true;
}

/* In the order of the series, all stretches of [first, end): the largest sum, or else all of it. */
static void search_in(struct search *search, size_t first, size_t end)
{
	struct stretch at = stretch_find(search, 0, first, end);

	if (end - first < LEAST_STEPS || search->n == search->max)
		return;
	/* a border near an end of the series is that */
	at.first = at.first < first + LEAST_STEPS ? first : at.first;
	at.end = at.end + LEAST_STEPS > end ? end : at.end;
	if (at.end < at.first + LEAST_STEPS || !stretch_holds(search, &at, first, end)) {
		at = (struct stretch){ .first = first, .end = end };
		if (!stretch_holds(search, &at, first, end))
			return;
	}
	search_in(search, first, at.first);
	if (search->n < search->max)
		search->found[search->n++] = at;
	search_in(search, at.end, end);
}

/* Mean distance of values that are `lag` steps apart, none of more than `most`. */
static double distance_mean(const double *x, size_t n, size_t lag, double most)
{
	double sum = 0;

	for (size_t i = lag; i < n; i++)
		sum += fmin(fabs(x[i] - x[i - lag]), most);
	return sum / (n - lag);
}

/*
 * Correlated steps carry less information: n steps of an autoregressive series of coefficient c
 * count as n (1 - c) / (1 + c) independent ones (G. E. P. Box, G. M. Jenkins, Time Series
 * Analysis). In such a series the variance of differences two steps apart is 1 + c times the
 * variance for neighbours, even if the level changes now and then. The share that chance adds is
 * subtracted.
 */
static double share_independent(const struct search *search, size_t n)
{
	double most, near, far, c;

	for (size_t i = 1; i < n; i++)
		search->scratch[i - 1] = fabs(search->x[i] - search->x[i - 1]);
	most = noise.typical * median_of(search->scratch, n - 1);
	near = distance_mean(search->x, n, 1, most);
	far = distance_mean(search->x, n, 2, most);
	if (!(near > 0))
		return 1;
	c = far * far / (near * near) - 1 - 1 / sqrt(n);
	c = fmin(fmax(c, 0), noise.memory);
	return (1 - c) / (1 + c);
}

/* Sums of `by` values each. */
static void fold(const double *x, size_t n, size_t by, double *sums)
{
	memset(sums, 0, (n / by) * sizeof(*sums));
	for (size_t i = 0; i < n / by * by; i++)
		sums[i / by] += x[i];
}

/* Scales back to n values; values after the last whole sum belong to it. */
static void stretch_unfold(struct stretch *stretch, size_t by, size_t n)
{
	stretch->first *= by;
	stretch->end = stretch->end == n / by ? n : stretch->end * by;
	stretch->level /= (double)by;
	stretch->least /= (double)by;
}

int series_slow(const double *x, const double *base, size_t n, double alpha, struct stretch *found,
	int max)
{
	double *room = malloc(3 * (n + 1) * sizeof(*room));
	struct search search = { room, room + n, alpha, 1, room + 2 * n, found, 0, max };

	for (size_t by = 1; room && by <= FOLD_MOST && n / by >= LEAST_STEPS && !search.n;
		by *= 2) {
		fold(x, n, by, room);
		fold(base, n, by, room + n);
		search.independent = share_independent(&search, n / by);
		search_in(&search, 0, n / by);
		for (int i = 0; i < search.n; i++)
			stretch_unfold(&found[i], by, n);
		search.alpha = alpha * noise.fold_alpha;
	}
	free(room);
	return room ? search.n : -1;
}

/* Is the shortest step so many times the longest of all others, which are before it in the order? */
static bool is_overwhelming(const double *own, size_t n, const struct few *few)
{
	double least = own[0];

	for (size_t i = 1; i < n; i++)
		least = fmin(least, own[i]);
	return least >= noise.few_times * few->all[few->n - n - 1] && least > 0;
}

double few_order(const struct few *few, const double *own, size_t n)
{
	return n >= FEW_LEAST && n < few->n ? noise_order(own, n, few->all, few->n) : NAN;
}

bool few_slow(const struct few *few, const double *x, const double *base, size_t n, double alpha,
	struct stretch *found)
{
	double *own = malloc((n + 1) * sizeof(*own)), p;
	bool slow;

	for (size_t i = 0; own && i < n; i++)
		own[i] = x[i] + base[i];
	p = own ? few_order(few, own, n) : NAN;
	slow = p <= alpha ||
		(n <= FEW_MOST && p <= alpha / noise.alpha * noise.few_alpha &&
			is_overwhelming(own, n, few));
	*found = (struct stretch){ .end = n, .least = NAN, .p = p };
	slow = slow && is_slow(x, base, own, found);
	free(own);
	return slow;
}
