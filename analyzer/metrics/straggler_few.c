/*
 * straggler_few.c - slow ranks of runs with so few steps that neither signs nor changes of a series
 * are ever unlikely enough: the order of all steps of all ranks decides. See straggler.h.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/median.h"
#include "metrics/noise.h"
#include "metrics/straggler.h"

enum {
	LEAST = 3,
	ALL_MOST = 4
}; /* steps that have an order worth asking; up to which few_alpha goes */

int few_open(struct few *few, size_t nprocesses)
{
	*few = (struct few){ .many = (size_t)noise.few_steps - 1 };
	few->own = calloc(nprocesses + 1, few->many * sizeof(*few->own));
	few->all = calloc(nprocesses + 1, few->many * sizeof(*few->all));
	few->order = calloc(nprocesses + 1, sizeof(*few->order));
	few->n = calloc(nprocesses + 1, sizeof(*few->n));
	for (size_t i = 0; few->order && i < nprocesses; i++)
		few->order[i] = NAN;
	if (few->own && few->all && few->order && few->n)
		return 0;
	log_error("out of memory for the search for stragglers");
	return -1;
}

void few_close(struct few *few)
{
	free(few->own);
	free(few->all);
	free(few->order);
	free(few->n);
}

bool few_add(struct few *few, size_t process, const double *excess, const double *others, size_t n)
{
	if (n > few->many)
		return false;
	few->n[process] = n;
	for (size_t i = 0; i < n; i++)
		few->own[process * few->many + i] = excess[i] + others[i];
	return true;
}

void few_finish(struct few *few, size_t nprocesses)
{
	for (size_t i = 0; i < nprocesses; i++) {
		memcpy(&few->all[few->nall], &few->own[i * few->many],
			few->n[i] * sizeof(*few->all));
		few->nall += few->n[i];
	}
	qsort(few->all, few->nall, sizeof(*few->all), compare_numbers);
	for (size_t i = 0; i < nprocesses; i++)
		if (few->n[i] >= LEAST && few->n[i] < few->nall)
			few->order[i] = noise_order(&few->own[i * few->many], few->n[i], few->all,
				few->nall);
}

/* Is the shortest step so many times the longest of all others? */
static bool is_overwhelming(const struct few *few, size_t process)
{
	const double *own = &few->own[process * few->many];
	size_t n = few->n[process];
	double least = own[0];

	for (size_t i = 1; i < n; i++)
		least = fmin(least, own[i]);
	/* where it is, the others' are all that are before its own */
	return least >= noise.few_times * few->all[few->nall - n - 1] && least > 0;
}

static bool is_unlikely(const struct few *few, size_t process, size_t nranks)
{
	double p = few->order[process] * (double)nranks;

	return p <= noise.alpha ||
		(few->n[process] <= ALL_MOST && p <= noise.few_alpha &&
			is_overwhelming(few, process));
}

bool few_slow(const struct few *few, size_t process, size_t nranks, const double *x,
	const double *base, struct stretch *found)
{
	double scratch[16], sum = 0, sum_base = 0;
	size_t n = few->n[process], above = 0;

	if (isnan(few->order[process]) || n > sizeof(scratch) / sizeof(*scratch) ||
		!is_unlikely(few, process, nranks))
		return false;
	for (size_t i = 0; i < n; i++)
		above += x[i] > 0, sum += x[i], sum_base += base[i];
	memcpy(scratch, x, n * sizeof(*x));
	*found = (struct stretch){ .end = n,
		.level = median_of(scratch, n),
		.least = NAN,
		.above = (double)above / (double)n,
		.p = few->order[process] };
	memcpy(scratch, base, n * sizeof(*base));
	return found->above >= noise.least_above && sum >= noise.least_share * sum_base &&
		found->level >= noise.least_share * median_of(scratch, n) && found->level > 0;
}
