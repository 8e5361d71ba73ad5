/*
 * sweep_search.c - see sweep_search.h. Measurements alone decide which points are dropped, so that
 * a sweep that continues drops the same points.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/median.h"
#include "sweep/shift.h"
#include "sweep/sweep_round.h"
#include "sweep/sweep_search.h"

/* FINAL_LEAST: runs of each of the last two points; the interval then allows for an odd run. */
enum { FINAL_LEAST = 6 };

/* Runs that a point gets in each round. */
static size_t round_runs(const struct study *study)
{
	return (size_t)study->repeat;
}

size_t sweep_search_depth(const struct study *study)
{
	size_t depth = 0;

	for (size_t n = study_npoints(study);; n = (n + 1) / 2) {
		depth += round_runs(study);
		if (n <= 2)
			return depth > FINAL_LEAST ? depth : FINAL_LEAST;
	}
}

size_t sweep_search_planned(const struct study *study)
{
	size_t planned = 0, depth = 0;

	for (size_t n = study_npoints(study); n > 2; n = (n + 1) / 2) {
		planned += n * round_runs(study);
		depth += round_runs(study);
	}
	return planned + 2 * (sweep_search_depth(study) - depth);
}

/* The measurements of a point, in `at` if that is not NULL; how many. */
static size_t measures_get(const struct sweep *sweep, size_t point, double *at)
{
	size_t n = 0;

	for (size_t i = 0; i < sweep->depth; i++) {
		const struct sweep_run *run = &sweep->runs[point * sweep->depth + i];

		if (run->end != SWEEP_DONE)
			continue;
		if (at)
			at[n] = run->measure;
		n++;
	}
	return n;
}

/* Their median, INFINITY: none. */
static double median_get(const struct sweep *sweep, size_t point)
{
	double *at = calloc(sweep->depth, sizeof(*at)), median = INFINITY;
	size_t n = at ? measures_get(sweep, point, at) : 0;

	if (n)
		median = median_of(at, n);
	free(at);
	return median;
}

/* Whether a is better: it was left later, or is shorter; the first of equal ones. */
static bool is_better(const struct sweep *sweep, size_t a, size_t b)
{
	double first = median_get(sweep, a), second = median_get(sweep, b);

	if (sweep->left[a] != sweep->left[b])
		return sweep->left[a] > sweep->left[b];
	return first != second ? first < second : a < b;
}

size_t sweep_search_place(const struct sweep *sweep, size_t point)
{
	size_t place = 1;

	if (!measures_get(sweep, point, NULL))
		return 0;
	for (size_t i = 0; i < sweep->npoints; i++)
		place += i != point && is_better(sweep, i, point);
	return place;
}

/* Drops the worse half of the points that were in round `round`. Returns how many are left. */
static size_t halve(struct sweep *sweep, size_t round, size_t n, bool *in)
{
	for (size_t i = 0; i < sweep->npoints; i++) {
		in[i] = in[i] && measures_get(sweep, i, NULL) &&
			sweep_search_place(sweep, i) <= (n + 1) / 2;
	}
	n = 0;
	for (size_t i = 0; i < sweep->npoints; i++) {
		sweep->left[i] += in[i];
		n += in[i];
	}
	log_debug("round %zu leaves %zu points", round + 1, n);
	return n;
}

int sweep_search(struct sweep *sweep)
{
	bool *in = calloc(sweep->npoints, sizeof(*in));
	size_t n = sweep->npoints, from = 0, round = 0;
	int ret = in ? 0 : -1;

	for (size_t i = 0; in && i < n; i++)
		in[i] = true;
	for (; ret == 0 && n > 2; round++) {
		size_t to = from + round_runs(sweep->study);

		ret = sweep_round(sweep, in, from, to);
		if (ret == 0)
			n = halve(sweep, round, n, in);
		from = to;
	}
	if (ret == 0)
		ret = sweep_round(sweep, in, from, sweep->depth);
	free(in);
	return ret;
}

/* --- messages --- */

static size_t point_at(const struct sweep *sweep, size_t place)
{
	size_t i = 0;

	while (i < sweep->npoints && sweep_search_place(sweep, i) != place)
		i++;
	return i;
}

/* How the best and the next compare. */
static void shift_say(FILE *out, const struct sweep *sweep, size_t best, size_t next)
{
	double *a = calloc(2 * sweep->depth, sizeof(*a)), *b = a + sweep->depth;
	size_t n = a ? measures_get(sweep, best, a) : 0, m = a ? measures_get(sweep, next, b) : 0;
	double whole = median_get(sweep, best) / 100;
	struct shift shift;

	if (!n || !m || !isfinite(median_get(sweep, next)) || shift_of(a, n, b, m, &shift) < 0 ||
		!(whole > 0)) {
		free(a);
		return;
	}
	free(a);
	if (shift.bounded && shift.low > 0)
		fprintf(out, "; the next, %s, takes %.1f %% longer (95 %%: %.1f to %.1f %%)",
			sweep->labels[next], shift.median / whole, shift.low / whole,
			shift.high / whole);
	else if (shift.bounded)
		fprintf(out,
			", but %s may be as good: it takes %+.1f %% (95 %%: %+.1f to %+.1f %%)",
			sweep->labels[next], shift.median / whole, shift.low / whole,
			shift.high / whole);
	else
		fprintf(out,
			"; the next, %s, takes %+.1f %%: too few runs for a confidence interval",
			sweep->labels[next], shift.median / whole);
}

char *sweep_search_text(const struct sweep *sweep)
{
	size_t best = point_at(sweep, 1), next = point_at(sweep, 2), tried = 0;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < sweep->npoints; i++)
		tried += measures_get(sweep, i, NULL) > 0;
	if (best < sweep->npoints && !isfinite(median_get(sweep, best)))
		fputs("no point reached the target in most of its runs", out);
	else if (best < sweep->npoints)
		fprintf(out, "best: %s, by the median %s of %zu runs, %.4g ms", sweep->labels[best],
			sweep->study->search == SEARCH_STEP		? "step"
				: sweep->study->search == SEARCH_TARGET ? "time to the target"
									: "time",
			measures_get(sweep, best, NULL), median_get(sweep, best) / 1e6);
	if (best < sweep->npoints && next < sweep->npoints)
		shift_say(out, sweep, best, next);
	fprintf(out,
		".\ntried: %zu of %zu points in %zu runs; the worse half was left after each "
		"%zu runs, by the median, so values eliminated early are known less precisely.",
		tried, sweep->npoints, sweep_count(sweep, SWEEP_DONE), round_runs(sweep->study));
	return fclose(out) == 0 ? text : NULL;
}
