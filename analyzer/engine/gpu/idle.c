/* idle.c - see idle.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "engine/gpu/idle.h"

static struct history_point *last_of(const struct history *history)
{
	return &history->points.at[history->points.n - 1];
}

int history_change(struct history *history, int64_t t, enum idle_cause cause)
{
	struct history_point *last = history->points.n ? last_of(history) : NULL;

	if (last && last->cause == cause)
		return 0;
	if (last) {
		history->totals.ns[last->cause] += t - last->t;
		if (last->t == t) { /* nothing happened in between */
			last->cause = cause;
			return 0;
		}
	}
	last = ARRAY_ADD(&history->points);
	if (!last)
		return -1;
	*last = (struct history_point){ t, cause };
	return 0;
}

void history_totals(const struct history *history, int64_t t, struct cause_totals *totals)
{
	*totals = history->totals;
	if (history->points.n && t > last_of(history)->t)
		totals->ns[last_of(history)->cause] += t - last_of(history)->t;
}

/* Place of the point that holds at t; 0 when all are later. */
static size_t point_at(const struct history *history, int64_t t)
{
	size_t later = LOWER_BOUND(i, 0, history->points.n, history->points.at[i].t <= t);

	return later ? later - 1 : 0;
}

int history_resolve(struct history *history, const struct history *waker, int64_t wake, int64_t t)
{
	int64_t start = last_of(history)->t, at = start;
	size_t i;

	if (waker == history || !waker->points.n)
		return 0;
	i = point_at(waker, start);
	if (waker->points.at[i].t > start && waker->dropped)
		history->nforgotten++;
	if (waker->points.at[i].t > at)
		at = waker->points.at[i].t;
	wake = wake < t ? wake : t;
	for (; i < waker->points.n && at < wake; i++) {
		if (i + 1 < waker->points.n && waker->points.at[i + 1].t <= at)
			continue;
		if (history_change(history, at, waker->points.at[i].cause) < 0)
			return -1;
		at = i + 1 < waker->points.n ? waker->points.at[i + 1].t : wake;
	}
	return wake > start ? history_change(history, wake, CAUSE_WAIT) : 0;
}

void history_advance(const struct history *history, struct history_cursor *cursor, int64_t t,
	struct cause_totals *totals)
{
	size_t i;

	*totals = cursor->totals; /* a copy right after the changes would wait for them */
	if (!cursor->begun && (!history->points.n || t <= history->points.at[0].t))
		return;
	if (!cursor->begun) {
		cursor->begun = true;
		cursor->t = history->points.at[0].t;
		cursor->point = history->dropped;
	}
	for (i = cursor->point - history->dropped; cursor->t < t; i++) {
		int64_t next = i + 1 < history->points.n ? history->points.at[i + 1].t : t;
		enum idle_cause cause = history->points.at[i].cause;

		next = next < t ? next : t;
		cursor->totals.ns[cause] += next - cursor->t;
		totals->ns[cause] = cursor->totals.ns[cause];
		cursor->t = next;
		cursor->point = history->dropped + i;
		if (next == t)
			break;
	}
}

size_t history_keep(size_t nthreads)
{
	enum { LEAST = 1 << 10, MOST = 1 << 14, TOTAL = 64 << 20 };
	size_t keep = MOST;

	while (keep > LEAST && keep * 2 * sizeof(struct history_point) * nthreads > TOTAL)
		keep /= 2;
	return keep;
}

void history_trim(struct history *history, uint64_t point, size_t keep)
{
	size_t n = point > history->dropped ? point - history->dropped : 0;

	if (history->points.n < 2 * keep)
		return;
	if (history->points.n - n < keep)
		n = history->points.n - keep;
	if (n < history->points.n / 4) /* moving the rest is not worth it */
		return;
	memmove(history->points.at, history->points.at + n,
		(history->points.n - n) * sizeof(*history->points.at));
	history->points.n -= n;
	history->dropped += n;
}

void history_free(struct history *history)
{
	free(history->points.at);
	*history = (struct history){ 0 };
}
