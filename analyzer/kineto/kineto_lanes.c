/* kineto_lanes.c - events of a thread or stream in the order of an archive: in each other, or side by side. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "kineto/kineto_rank.h"

/*
 * Times are rounded to 1 µs by most versions: what sticks out by no more than two roundings is in its
 * place.
 */
enum { ROUNDING_NS = 2000, LANES = 64, OPEN = 1024 };

/* What is open in a lane, outermost first. */
struct lane {
	struct kineto_event *open[OPEN];
	unsigned n;
};

static int compare(const void *a, const void *b)
{
	const struct kineto_event *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

/* Closes events that end by t. Returns the end of the innermost open one. */
static int64_t close_until(struct lane *lane, int64_t t)
{
	while (lane->n && lane->open[lane->n - 1]->end <= t)
		lane->n--;
	return lane->n ? lane->open[lane->n - 1]->end : INT64_MAX;
}

/*
 * The profiler times functions of Python and their callees by different clocks. Functions that end
 * within the event are cut to end where it begins. True if all open events then enclose the event.
 */
static bool python_cut(const struct kineto_rank *rank, struct lane *lane,
	const struct kineto_event *event)
{
	unsigned n = lane->n;

	while (n && lane->open[n - 1]->end < event->end) {
		if (rank->names.at[lane->open[n - 1]->name].class != KINETO_PYTHON)
			return false;
		n--;
	}
	while (lane->n > n)
		lane->open[--lane->n]->end = event->start;
	return true;
}

/* Whether the event fits into the lane, moved by a rounding at most; then it is put there. */
static bool fits(const struct kineto_rank *rank, struct lane *lane, struct kineto_event *event,
	bool may_nest)
{
	int64_t end = close_until(lane, event->start);

	if (lane->n && end - event->start <= ROUNDING_NS &&
		(event->end > end || (!may_nest && event->end >= end))) {
		event->start = end; /* follows */
		end = close_until(lane, event->start);
	}
	if (lane->n == OPEN || (lane->n && !may_nest))
		return false;
	if (lane->n && event->start < lane->open[lane->n - 1]->start)
		event->start = lane->open[lane->n - 1]->start; /* which was moved */
	if (event->end < event->start)
		event->end = event->start;
	if (event->end > end && event->end - end > ROUNDING_NS &&
		rank->names.at[event->name].class != KINETO_PYTHON) {
		if (!python_cut(rank, lane, event))
			return false;
		end = event->end;
	}
	if (event->end > end)
		event->end = end;
	lane->open[lane->n++] = event;
	return true;
}

/* There is no lane left: it is cut to what encloses it. */
static void cut(struct lane *lane, struct kineto_event *event)
{
	int64_t end = lane->n ? lane->open[lane->n - 1]->end : event->end;

	event->end = event->end < end ? event->end : end;
}

static int by_lane(const void *a, const void *b)
{
	const struct kineto_event *x = a, *y = b;

	return x->lane != y->lane ? (x->lane > y->lane) - (x->lane < y->lane) : compare(a, b);
}

void kineto_lanes(const struct kineto_rank *rank, struct kineto_track *track)
{
	struct lane *lanes = calloc(LANES, sizeof(*lanes));
	bool moved = false;

	track->nlanes = 1;
	if (track->events.n && (track->unordered || !track->is_stream))
		qsort(track->events.at, track->events.n, sizeof(*track->events.at), compare);
	for (size_t i = 0; lanes && i < track->events.n; i++) {
		struct kineto_event *event = &track->events.at[i];
		unsigned at = 0;

		while (at < LANES && !fits(rank, &lanes[at], event, !track->is_stream))
			at++;
		if (at == LANES)
			cut(&lanes[at = LANES - 1], event);
		event->lane = (uint8_t)at;
		track->nlanes = at >= track->nlanes ? at + 1 : track->nlanes;
		moved = moved || at;
	}
	if (moved)
		qsort(track->events.at, track->events.n, sizeof(*track->events.at), by_lane);
	free(lanes);
}
