/*
 * straggler_series.c - change points in one rank's series of excess times; see
 * straggler.h. Ranks of values stand in for values, so that single long steps
 * (a checkpoint, a hiccup of the file system) do not count for more than one.
 *
 * Change point: the largest standardised Mann-Whitney statistic over all ways
 * to cut the series in two, Bonferroni-corrected for their number (A. N.
 * Pettitt, A non-parametric approach to the change-point problem, Applied
 * Statistics 28, 1979; standardised as by Hawkins and Deng, Journal of Quality
 * Technology 42, 2010). Several: binary segmentation (Scott and Knott 1974).
 * Level: the exact sign test, and the lower bound of the median that belongs to it (W. J. Conover,
 * Practical Nonparametric Statistics, section 3.2). Ranks tell that there is a change, but not well where: 30.0 after
 * 30.1 is as much lower as 0 is. So the borders of what is slow are moved to where values are
 * nearer to its level on one side, and to 0 on the other.
 *
 * Neighbours that share what disturbs them count for fewer: see share_independent().
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

enum { FOLD_MOST = 4 };

struct ranked {
	double value;
	size_t at;
};

struct search {
	const double *x, *base;
	double least, alpha, independent;
	/* of each stretch its values in their order, at its place: sorted once, then split with it */
	struct ranked *order, *spare;
	double *scratch;
	struct stretch *found;
	int n, max;
	double p_change; /* of the cut that this stretch begins with */
};

static double order_median(const struct ranked *order, size_t n)
{
	return n % 2 ? order[n / 2].value : (order[n / 2 - 1].value + order[n / 2].value) / 2;
}

static void order_set(struct search *search, size_t n)
{
	for (size_t i = 0; i < n; i++)
		search->order[i] = (struct ranked){ search->x[i], i };
	qsort(search->order, n, sizeof(*search->order), compare_numbers); /* the value is first */
}

/* Those of x[first..end) that are before `cut` come first; both parts keep their order. */
static void order_split(struct search *search, size_t first, size_t cut, size_t end)
{
	size_t left = first, right = 0;

	for (size_t i = first; i < end; i++) {
		if (search->order[i].at < cut)
			search->order[left++] = search->order[i];
		else
			search->spare[right++] = search->order[i];
	}
	memcpy(&search->order[left], search->spare, right * sizeof(*search->spare));
}

/* Ranks from 1 of n values from place `first` on, equal ones sharing their mean, into rank[0..n). */
static void ranks_set(const struct ranked *order, size_t n, size_t first, double *rank)
{
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && order[k].value == order[i].value; k++)
			;
		for (size_t j = i; j < k; j++)
			rank[order[j].at - first] = (i + 1 + k) / 2.0;
	}
}

/* How many of x[first..end) to cut off best, and the probability that noise has a cut as good. */
static size_t cut_find(const struct search *search, size_t first, size_t end, double *p)
{
	double *rank = search->scratch, sum = 0, best = 0;
	size_t n = end - first, at = 0;

	ranks_set(&search->order[first], n, first, rank);
	for (size_t t = 1; t < n; t++) {
		double u, z;

		sum += rank[t - 1];
		if (t < LEAST_STEPS || n - t < LEAST_STEPS)
			continue;
		u = fabs(2 * sum - t * (n + 1.0));
		z = u / sqrt(t * (double)(n - t) * (n + 1) / 3 / search->independent);
		if (z > best)
			best = z, at = t;
	}
	*p = fmin(1, n * erfc(best / sqrt(2)));
	return at;
}

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

/* As many independent steps say what n steps do. */
static size_t steps_independent(const struct search *search, size_t n)
{
	size_t independent = (size_t)(n * search->independent + 0.5);

	return independent ? independent : 1;
}

/*
 * Lower confidence bound, at level 1 - alpha, of the median of the distribution of n values: a fair
 * coin decides whether a value is below the median. NAN: so few say nothing. Sorts the values.
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

/* Is x[first..end) above its base by enough, typically and on average, and nearly always? */
static bool is_slow(const struct search *search, struct stretch *stretch)
{
	size_t n = stretch->end - stretch->first, above = 0, tosses;
	const double *x = search->x + stretch->first, *base = search->base + stretch->first;
	double sum = 0, sum_base = 0;

	for (size_t i = 0; i < n; i++) {
		above += x[i] > 0;
		sum += x[i];
		sum_base += base[i];
	}
	stretch->above = (double)above / n;
	stretch->level = order_median(&search->order[stretch->first], n);
	if (stretch->above < noise.least_above || stretch->level <= 0 || sum <= 0 ||
		sum < search->least * sum_base)
		return false;
	tosses = steps_independent(search, n);
	stretch->p = heads(tosses, tosses * above / n);
	memcpy(search->scratch, base, n * sizeof(double));
	return stretch->p < search->alpha &&
		stretch->level >= search->least * median_of(search->scratch, n);
}

static bool are_alike(const struct stretch *last, const struct stretch *next)
{
	return last->end == next->first &&
		fmax(last->level, next->level) < 2 * fmin(last->level, next->level);
}

static void stretch_join(struct stretch *last, const struct stretch *next)
{
	last->above = (last->above * (last->end - last->first) +
			      next->above * (next->end - next->first)) /
		(next->end - last->first);
	last->end = next->end;
	last->p = fmin(last->p, next->p);
	last->least = fmin(last->least, next->least);
}

static void stretch_add(struct search *search, size_t first, size_t end)
{
	struct stretch stretch = { .first = first, .end = end }, *last;

	last = search->n ? &search->found[search->n - 1] : NULL;
	if (!is_slow(search, &stretch))
		return;
	stretch.p = fmax(stretch.p, first ? search->p_change : 0);
	if (last && are_alike(last, &stretch))
		stretch_join(last, &stretch);
	else if (search->n < search->max)
		search->found[search->n++] = stretch;
}

static void search_in(struct search *search, size_t first, size_t end)
{
	double p = 1;
	size_t cut = end - first < 2 * LEAST_STEPS ? 0 : cut_find(search, first, end, &p);

	if (!cut || p >= search->alpha) {
		stretch_add(search, first, end);
		return;
	}
	order_split(search, first, first + cut, end);
	search_in(search, first, first + cut);
	search->p_change = p;
	search_in(search, first + cut, end);
}

/* Laplace's scale of the values of a stretch around its level; changes the scratch. */
static double spread_of(const struct search *search, const struct stretch *stretch)
{
	for (size_t i = stretch->first; i < stretch->end; i++)
		search->scratch[i - stretch->first] = fabs(search->x[i] - stretch->level);
	return median_of(search->scratch, stretch->end - stretch->first) / log(2);
}

/*
 * Where the border of a stretch is best, from `at` up to `to` (`by` is 1 or -1): what it takes in
 * must be nearer to its level than to 0 by `least` in all, what it leaves nearer to 0.
 */
static size_t border_find(const struct search *search, double level, double least, size_t at,
	size_t to, int by, bool grows)
{
	double gain = 0;
	size_t best = at;

	while (at != to) {
		double x = search->x[by > 0 ? at : at - 1];
		double nearer = fabs(x) - fabs(x - level);

		gain += grows ? nearer : -nearer;
		at += by;
		if (gain > least)
			least = gain, best = at;
	}
	return best;
}

/* Moves both borders between `from` and `to`, but not for what noise may well do. */
static void stretch_fit(struct search *search, struct stretch *stretch, size_t n, size_t from,
	size_t to)
{
	double level = stretch->level, least = spread_of(search, stretch) * log(n / search->alpha);
	size_t first = stretch->first, end = stretch->end, above = 0;

	end = border_find(search, level, least, end, to, 1, true);
	if (end == stretch->end)
		end = border_find(search, level, least, end, first + LEAST_STEPS, -1, false);
	first = border_find(search, level, least, first, from, -1, true);
	if (first == stretch->first)
		first = border_find(search, level, least, first, end - LEAST_STEPS, 1, false);
	for (size_t i = first; i < end; i++)
		above += (search->scratch[i - first] = search->x[i]) > 0;
	stretch->first = first;
	stretch->end = end;
	stretch->above = (double)above / (end - first);
	stretch->level = median_of(search->scratch, end - first);
	stretch->least = median_least(search, search->scratch, end - first);
}

/* Those that meet by that and are alike become one. */
static void stretches_fit(struct search *search, size_t n)
{
	int kept = 0;

	for (int i = 0; i < search->n; i++) {
		struct stretch *last = kept ? &search->found[kept - 1] : NULL,
			       *at = &search->found[i];

		stretch_fit(search, at, n, last ? last->end : 0,
			i + 1 < search->n ? at[1].first : n);
		if (last && are_alike(last, at))
			stretch_join(last, at);
		else
			search->found[kept++] = *at;
	}
	search->n = kept;
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
 * Steps that are long because the last one was say less than as many of which each is a matter of
 * its own: n of an autoregressive series of coefficient c as much as n (1 - c) / (1 + c)
 * (G. E. P. Box, G. M. Jenkins, Time Series Analysis). Of it the variance of differences is
 * 1 + c times as high two steps apart as of neighbours, also where its level changes now and then.
 * What chance gives of it is taken off.
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

int series_slow(const double *x, const double *base, size_t n, double least, double alpha,
	struct stretch *found, int max)
{
	struct search search = { .x = x,
		.base = base,
		.least = least,
		.alpha = alpha,
		.order = malloc((n + 1) * sizeof(*search.order)),
		.spare = malloc((n + 1) * sizeof(*search.spare)),
		.scratch = malloc((n + 1) * sizeof(double)),
		.found = found,
		.max = max };

	if (!search.order || !search.spare || !search.scratch) {
		search.n = -1;
	} else if (n >= LEAST_STEPS) {
		order_set(&search, n);
		search.independent = share_independent(&search, n);
		search_in(&search, 0, n);
		stretches_fit(&search, n);
	}
	free(search.order);
	free(search.spare);
	free(search.scratch);
	return search.n;
}

static void fold(const double *x, size_t n, size_t by, double *sums)
{
	for (size_t i = 0; i < n; i++)
		sums[i] = 0;
	for (size_t i = 0; i < n * by; i++)
		sums[i / by] += x[i];
}

/* Of n values; those that made no whole sum belong to the last one. */
static void stretch_unfold(struct stretch *stretch, size_t by, size_t n)
{
	stretch->first *= by;
	stretch->end = stretch->end == n / by ? n : stretch->end * by;
	stretch->level /= (double)by;
	stretch->least /= (double)by;
}

int series_slow_folded(const double *x, const double *base, size_t n, double least, double alpha,
	struct stretch *found, int max)
{
	double *sums = malloc((n + 1) * sizeof(*sums)); /* of both: n / 2 each at most */
	int nfound = sums ? 0 : -1;

	for (size_t by = 2; by <= FOLD_MOST && !nfound; by *= 2) {
		size_t nsums = n / by;

		fold(x, nsums, by, sums);
		fold(base, nsums, by, sums + nsums);
		nfound = series_slow(sums, sums + nsums, nsums, least, alpha * noise.fold_alpha,
			found, max);
		for (int i = 0; i < nfound; i++)
			stretch_unfold(&found[i], by, n);
	}
	free(sums);
	return nfound;
}
