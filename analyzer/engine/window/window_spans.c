/* window_spans.c - instances of a phase over all ranks: what of each rank belongs together; see window.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "tables/phase.def"

enum { INTERVALS_MOST = 1 << 16 };

bool phase_is_active(const struct phase_window *phase)
{
	return strcmp(phase->name, ACTIVE_NAME) == 0;
}

bool windows_have_phases(const struct windows *windows)
{
	for (size_t i = 0; i < windows->phases.n; i++)
		if (!phase_is_active(&windows->phases.at[i]))
			return true;
	return false;
}

char *phase_window_name(const struct phase_window *phase)
{
	char *name;

	if (phase_is_active(phase))
		return strdup(WINDOW_ACTIVE);
	return asprintf(&name, "phase:%s", phase->name) < 0 ? NULL : name;
}

void window_span_add(struct span_of_ranks *span, const struct moment *first,
	const struct moment *last)
{
	bool new = !span->n++;

	span->first = new || first->t < span->first ? first->t : span->first;
	span->last = new || last->t > span->last ? last->t : span->last;
	for (int s = 0; s < SCENARIO_COUNT; s++) {
		if (new || first->clock[s] < span->clock_first[s])
			span->clock_first[s] = first->clock[s];
		if (new || last->clock[s] > span->clock_last[s])
			span->clock_last[s] = last->clock[s];
	}
}

void window_span_merge(struct span_of_ranks *to, const struct span_of_ranks *from)
{
	struct moment first = { .t = from->first }, last = { .t = from->last };

	if (!from->n)
		return;
	memcpy(first.clock, from->clock_first, sizeof(first.clock));
	memcpy(last.clock, from->clock_last, sizeof(last.clock));
	window_span_add(to, &first, &last);
	to->n += from->n - 1;
}

size_t phase_intervals(const struct windows *windows, const struct phase_window *phase)
{
	return windows->nintervals < INTERVALS_MOST ? phase->intervals.n : 0;
}

void phase_intervals_leave(struct windows *windows)
{
	windows->nintervals = INTERVALS_MOST;
}

void phase_interval_add(struct windows *windows, struct phase_window *phase,
	const struct span_of_ranks *interval)
{
	struct span_of_ranks *added = windows->nintervals < INTERVALS_MOST
		? ARRAY_ADD(&phase->intervals)
		: NULL;

	windows->nintervals += added != NULL;
	if (added)
		*added = *interval;
	else
		phase_intervals_leave(windows);
}

static int compare_intervals(const void *a, const void *b)
{
	const struct span_of_ranks *x = a, *y = b;

	return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
				    : (x->last > y->last) - (x->last < y->last);
}

/* Whether the k-th instances of two ranks are the same: ranks that have the phase at all. */
static bool is_paired(const struct engine *engine, const struct phase_window *phase)
{
	uint32_t n = 0;

	for (size_t p = 0; p < engine->tables.model.processes.n; p++) {
		uint32_t of_rank = phase->ranks[p].instances;

		if (n && of_rank && of_rank != n)
			return false;
		n = of_rank ? of_rank : n;
	}
	return true;
}

/* phase_pair() for the rows: instances are counted where none that began before continues. */
static const char pair_sql[] =
	"insert into phase(id, run_id, process_id, name, instance, start_ns, end_ns, cut)"
	" select id, run_id, process_id, name, sum(begins) over (order by start_ns,"
	" end_ns, id rows unbounded preceding) - 1, start_ns, end_ns, cut from (select *,"
	" coalesce(start_ns >= max(end_ns) over (order by start_ns, end_ns, id"
	" rows between unbounded preceding and 1 preceding), 1) as begins from phase where name = ?) "
	"where true on conflict(id) do update set instance = excluded.instance";

size_t window_spans_unite(struct span_of_ranks *spans, size_t count)
{
	size_t n = 0;

	qsort(spans, count, sizeof(*spans), compare_intervals);
	for (size_t i = 1; i < count; i++)
		if (spans[i].first < spans[n].last)
			window_span_merge(&spans[n], &spans[i]);
		else
			spans[++n] = spans[i];
	return count ? n + 1 : 0;
}

void phase_pair(struct engine *engine, struct phase_window *phase)
{
	size_t n, nintervals = phase_intervals(&engine->windows, phase);

	if (!nintervals || is_paired(engine, phase))
		return;
	n = window_spans_unite(phase->intervals.at, nintervals);
	phase->instances.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct span_of_ranks *instance = ARRAY_ADD(&phase->instances);

		if (instance)
			*instance = phase->intervals.at[i];
	}
	db_put(&engine->tables.db, pair_sql, "s", phase->name);
}
