/*
 * sweep_load.c - see sweep_load.h. A value is within the bound when the median of its runs' percentiles
 * is; one whose runs fail is not, as a program that is overloaded may.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "sweep/sweep_load.h"
#include "sweep/sweep_search.h"

size_t sweep_load_planned(const struct study *study)
{
	size_t rounds = 0;

	for (size_t n = study_npoints(study); n; n /= 2)
		rounds++;
	return rounds * sweep_search_each(study);
}

static bool is_within(const struct sweep *sweep, size_t point)
{
	return sweep_median(sweep, point) <= (double)sweep->study->bound_ns;
}

int sweep_load(struct sweep *sweep)
{
	bool *in = calloc(sweep->npoints, sizeof(*in));
	size_t from = 0, to = sweep->npoints; /* the first that is not within is one of these */
	int ret = in ? 0 : -1;

	while (ret == 0 && from < to) {
		size_t middle = from + (to - from) / 2;

		in[middle] = true;
		ret = sweep_round(sweep, in, 0, sweep->depth);
		in[middle] = false;
		if (is_within(sweep, middle))
			from = middle + 1;
		else
			to = middle;
	}
	free(in);
	return ret;
}

static bool is_tried(const struct sweep *sweep, size_t point)
{
	return sweep->runs[point * sweep->depth].end != SWEEP_OPEN;
}

/* "rate=40-n2 2.1 ms (3 of 3 runs within)" */
static void point_say(FILE *out, const struct sweep *sweep, size_t point)
{
	double *at = calloc(sweep->depth, sizeof(*at));
	size_t n = at ? sweep_measures(sweep, point, at) : 0, within = 0;

	for (size_t i = 0; i < n; i++)
		within += at[i] <= (double)sweep->study->bound_ns;
	if (n)
		fprintf(out, "%s %.4g ms (%zu of %zu runs within)", sweep->labels[point],
			sweep_median(sweep, point) / 1e6, within, sweep->depth);
	else
		fprintf(out, "%s its runs failed", sweep->labels[point]);
	free(at);
}

void sweep_load_say(FILE *out, const struct sweep *sweep)
{
	size_t best = sweep->npoints, beyond = sweep->npoints, tried = 0;

	for (size_t i = 0; i < sweep->npoints; i++) {
		tried += is_tried(sweep, i);
		if (is_tried(sweep, i) && is_within(sweep, i))
			best = i;
		else if (is_tried(sweep, i) && beyond == sweep->npoints)
			beyond = i;
	}
	fprintf(out, "largest with %lld %% of steps within %.4g ms: ",
		(long long)sweep->study->percentile, (double)sweep->study->bound_ns / 1e6);
	if (best < sweep->npoints)
		point_say(out, sweep, best);
	else
		fputs("none", out);
	if (beyond < sweep->npoints) {
		fputs("; beyond it ", out);
		point_say(out, sweep, beyond);
	} else {
		fputs("; larger ones were not given", out);
	}
	fprintf(out,
		".\ntried: %zu of %zu values in %zu runs, as larger ones are taken to take longer.",
		tried, sweep->npoints, sweep_count(sweep, SWEEP_DONE));
}
