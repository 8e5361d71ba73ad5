/* clock_offset.c - see clock_offset.h. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "merge/clock/clock_offset.h"

/* of a search that shrinks by a third: 1e-35 of the range, i.e. all of a double */
#define ROUNDS	 200
#define PIECE_NS 1e9 /* no shorter pieces of a quad */

struct problem {
	const struct clock_bound *bounds;
	size_t n;
	double origin;
};

/*
 * Offsets at the origin that a line of this drift may have: from *low to *high (empty when low >
 * high).
 */
static void offsets_allowed(const struct problem *p, double drift, double *low, double *high)
{
	*low = -INFINITY;
	*high = INFINITY;
	for (size_t i = 0; i < p->n; i++) {
		double shift = drift * (p->bounds[i].at - p->origin);

		*low = fmax(*low, p->bounds[i].low - shift);
		*high = fmin(*high, p->bounds[i].high - shift);
	}
}

/* What is searched for among lines: a concave function of the drift. `at` is its parameter. */
typedef double (*goal_fn)(const struct problem *p, double drift, double at);

static double goal_slack(const struct problem *p, double drift, double at)
{
	double low, high;

	(void)at;
	offsets_allowed(p, drift, &low, &high);
	return high - low;
}

/* The largest correction at time `at`, and (negated) the smallest. */
static double goal_high(const struct problem *p, double drift, double at)
{
	double low, high;

	offsets_allowed(p, drift, &low, &high);
	return high + drift * (at - p->origin);
}

static double goal_low(const struct problem *p, double drift, double at)
{
	double low, high;

	offsets_allowed(p, drift, &low, &high);
	return -(low + drift * (at - p->origin));
}

/* The drift between `from` and `to` where the concave `goal` is largest (ternary search). */
static double drift_best(const struct problem *p, goal_fn goal, double at, double from, double to)
{
	for (int i = 0; i < ROUNDS && to - from > 1e-18; i++) {
		double third = (to - from) / 3;

		if (goal(p, from + third, at) < goal(p, to - third, at))
			from += third;
		else
			to -= third;
	}
	return (from + to) / 2;
}

/* The end, on the side of `outside`, of the drifts that leave room for a line; `inside` does. */
static double drift_limit(const struct problem *p, double inside, double outside)
{
	for (int i = 0; i < ROUNDS; i++) {
		double middle = (inside + outside) / 2;

		if (goal_slack(p, middle, 0) >= 0)
			inside = middle;
		else
			outside = middle;
	}
	return inside;
}

/* How far the true correction at `at` can be from the fitted one. */
static double error_at(const struct problem *p, const struct clock_offset *fit, double from,
	double to, double at)
{
	double here = clock_offset_at(fit, at);
	double high = goal_high(p, drift_best(p, goal_high, at, from, to), at);
	double low = -goal_low(p, drift_best(p, goal_low, at, from, to), at);

	return fmax(high - here, here - low);
}

/* The largest correction is convex in time, so the error is largest at an end. */
static double error_of(const struct problem *p, const struct clock_offset *fit, double from,
	double to, double first, double last)
{
	return fmax(error_at(p, fit, from, to, first), error_at(p, fit, from, to, last));
}

static int compare_bounds(const void *a, const void *b)
{
	const struct clock_bound *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void bound_tighten(struct clock_bound *bound, const struct clock_bound *by)
{
	double most = CLOCK_DRIFT_MOST * fabs(bound->at - by->at);

	bound->low = fmax(bound->low, by->low - most);
	bound->high = fmin(bound->high, by->high + most);
}

void clock_bounds_tighten(struct clock_bound *bounds, size_t n)
{
	qsort(bounds, n, sizeof(*bounds), compare_bounds);
	for (size_t i = 1; i < n; i++)
		bound_tighten(&bounds[i], &bounds[i - 1]);
	for (size_t i = n; i-- > 1;)
		bound_tighten(&bounds[i - 1], &bounds[i]);
}

struct clock_bound clock_bounds_at(const struct clock_bound *bounds, size_t n, double at)
{
	struct clock_bound bound = { at, -INFINITY, INFINITY };
	size_t behind = LOWER_BOUND(i, 0, n, bounds[i].at <= at); /* the first that is later */

	if (behind > 0)
		bound_tighten(&bound, &bounds[behind - 1]);
	if (behind < n)
		bound_tighten(&bound, &bounds[behind]);
	return bound;
}

/* Whether a line above a and c is above b, which is between them in time. */
static bool is_below(struct clock_bound a, struct clock_bound b, struct clock_bound c)
{
	return (b.low - a.low) * (c.at - a.at) <= (c.low - a.low) * (b.at - a.at);
}

/*
 * Moves the lower bounds that a line can touch, the corners of their convex hull, to `hull`, in
 * order (A. Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979).
 * `bounds` are in order of time. Returns how many it has.
 */
static size_t hull_of_lows(const struct clock_bound *bounds, size_t n, struct clock_bound *hull)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (isinf(bounds[i].low))
			continue;
		while (count > 0 && hull[count - 1].at == bounds[i].at &&
			hull[count - 1].low <= bounds[i].low)
			count--;
		while (count > 1 && is_below(hull[count - 2], hull[count - 1], bounds[i]))
			count--;
		if (count == 0 || hull[count - 1].at < bounds[i].at)
			hull[count++] = (struct clock_bound){ bounds[i].at, bounds[i].low,
				INFINITY };
	}
	return count;
}

static void turn_over(struct clock_bound *bounds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bounds[i] = (struct clock_bound){ bounds[i].at, -bounds[i].high, -bounds[i].low };
}

/*
 * Leaves those of the bounds that a line can touch: a few dozen of any number. Returns how many;
 * all of them where they are few, or memory lacks.
 */
static size_t thin(struct clock_bound *bounds, size_t n)
{
	struct clock_bound *hull = malloc(2 * n * sizeof(*hull));
	size_t lows, highs;

	if (!hull)
		return n;
	qsort(bounds, n, sizeof(*bounds), compare_bounds);
	lows = hull_of_lows(bounds, n, hull);
	turn_over(bounds, n);
	highs = hull_of_lows(bounds, n, hull + lows);
	turn_over(hull + lows, highs);
	turn_over(bounds, n);
	if (lows + highs < n) {
		n = lows + highs;
		memcpy(bounds, hull, n * sizeof(*hull));
	}
	free(hull);
	return n;
}

/* Bounds from one side alone leave the offset open. */
static bool has_both_sides(const struct clock_bound *bounds, size_t n)
{
	bool low = false, high = false;

	for (size_t i = 0; i < n; i++) {
		low |= isfinite(bounds[i].low);
		high |= isfinite(bounds[i].high);
	}
	return low && high;
}

int clock_offset_fit(struct clock_bound *bounds, size_t n, struct clock_offset *fit)
{
	struct problem p = { .bounds = bounds };
	double low, high, slack, last, first, from = 0, to = 0;

	if (!has_both_sides(bounds, n))
		return -1;
	p.n = n = thin(bounds, n);
	p.origin = first = last = bounds[0].at;
	for (size_t i = 0; i < n; i++) {
		first = fmin(first, bounds[i].at);
		last = fmax(last, bounds[i].at);
	}
	*fit = (struct clock_offset){ .origin = p.origin };
	if (last > first)
		fit->drift = drift_best(&p, goal_slack, 0, -CLOCK_DRIFT_MOST, CLOCK_DRIFT_MOST);
	offsets_allowed(&p, fit->drift, &low, &high);
	slack = high - low;
	fit->offset = (low + high) / 2;
	if (slack < 0) {
		fit->violation = -slack / 2;
		fit->error = -slack;
		return 0;
	}
	if (last > first) {
		from = drift_limit(&p, fit->drift, -CLOCK_DRIFT_MOST);
		to = drift_limit(&p, fit->drift, CLOCK_DRIFT_MOST);
	}
	fit->error = error_of(&p, fit, from, to, first, last);
	offsets_allowed(&p, 0, &low, &high);
	if (fit->error > CLOCK_WIDE_NS && low <= 0 && high >= 0) {
		fit->offset = fit->drift = 0;
		fit->error = error_of(&p, fit, from, to, first, last);
	}
	return 0;
}

double clock_offset_at(const struct clock_offset *fit, double at)
{
	return fit->offset + fit->drift * (at - fit->origin);
}

void clock_quad_lay(struct clock_quad *quad, double from, double to)
{
	*quad = (struct clock_quad){ .span = PIECE_NS, .n = 2 };
	if (!(from <= to))
		return;
	quad->from = from;
	quad->span = fmax(to - from, PIECE_NS);
}

void clock_quad_set(struct clock_quad *quad, const struct clock_offset *line)
{
	for (unsigned i = 0; i < quad->n; i++)
		quad->at[i] = clock_offset_at(line, quad->from + i * quad->span);
}

bool clock_quad_split(struct clock_quad *quad)
{
	unsigned n = 2 * quad->n - 1;

	if (n > CLOCK_CORNERS || quad->span < 2 * PIECE_NS)
		return false;
	for (unsigned i = quad->n; i-- > 0;)
		quad->at[2 * i] = quad->at[i];
	for (unsigned i = 1; i < n; i += 2)
		quad->at[i] = (quad->at[i - 1] + quad->at[i + 1]) / 2;
	quad->n = n;
	quad->span /= 2;
	return true;
}
