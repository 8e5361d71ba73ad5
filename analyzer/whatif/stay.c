/* stay.c - see stay.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "db/query.h"
#include "whatif/stay.h"

#define PLACE_SHARE 0.5	 /* of a rank's time in a part: the place has most of it */
#define PLACE_MOST  1.5	 /* of it: samples are of the whole run, and sampled */
#define PLACE_NEAR  0.15 /* maximum deviation of a place that certainly explains the time */
#define PLACE_LEAST 0.1	 /* of several places that share the time */

/*
 * Where each rank was in a part, longest first: lines of the children that load its data, with their share
 * of that time (kind -1), lines of Python of its main thread (kind 0), then calls (kind 1), for programs
 * in other languages. NULL where such a call waits for the rank's own threads: the sums
 * of a step do not show what these did. Time in recv and read is I/O of a file or a wait at a socket: the
 * line may be the place of either.
 */
static const char places_sql[] =
	"with slept as (select distinct p.rank, substr(m.subject, length('rank:' || p.rank || ':') + 1)"
	" as name, max(m.value, coalesce((select c.total_ns from call c where c.run_id = p.run_id"
	" and c.process_id = p.id and c.name = substr(m.subject, length('rank:' || p.rank || ':') + 1)),"
	" 0)) as ns from process p join metric m on m.run_id = p.run_id"
	" and m.\"window\" = 'run' and m.model = 'host' and m.name = 'slept_in'"
	" and m.subject glob 'rank:' || p.rank || ':*' where p.run_id = ?1 and p.rank is not null),"
	" slept_name as materialized (select distinct name from slept),"
	" line as (select p.rank, case when s.state = 'io' then 'io' when exists"
	" (select 1 from slept_name t where t.name = s.call or t.name glob s.call || ' (*') then 'sleep'"
	" when s.state in ('communication', 'cuda') then 'calls' else 'wait' end as part,"
	" o.place, sum(s.ns) as ns"
	" from python_sample s join process p on p.id = s.process_id"
	" join location l on l.id = s.location_id join python_place o on o.frame_id = s.frame_id"
	" where s.run_id = ?1 and p.rank is not null and l.is_main and (s.state in ('wait', 'io',"
	" 'communication', 'cuda')"
	" or s.state in ('import', 'loading', 'forward', 'backward', 'optimizer', 'checkpoint', 'computing')"
	" and s.call in (select name from call where run_id = ?1 and class = 'wait'))"
	" group by 1, 2, 3), child as (select rank, place, sum(ns) as ns from python_line"
	" where run_id = ?1 and rank is not null and thread = 'child' and state = 'loading' group by 1, 2)"
	" select rank, part, 0 as kind, place, ns from line"
	" union all select rank, 'readers', -1, place, 1.0 * ns / sum(ns) over (partition by rank)"
	" from child"
	" union all select rank, 'wait', 0, place, ns from line where part = 'io'"
	" union all select rank, 'sleep', 1, name, ns from slept"
	" union all select p.rank, c.class, 1, case when c.name glob 'pthread_*'"
	" or c.name glob 'sem_*' then null else c.name end, c.total_ns - c.helper_ns"
	" from call c join process p on p.id = c.process_id"
	" where c.run_id = ?1 and p.rank is not null and c.class in ('wait', 'io')"
	" and not exists (select 1 from slept t where t.rank = p.rank and t.name = c.name)"
	" union all select p.rank, 'calls', 1, c.name, c.total_ns - c.helper_ns from call c"
	" join process p on p.id = c.process_id where c.run_id = ?1 and p.rank is not null"
	" and c.class in ('mpi', 'gloo', 'cuda', 'nccl')"
	" and c.name not in ('MPI_Init', 'MPI_Init_thread', 'MPI_Finalize')"
	" order by 1, 2, 3, 5 desc";

int part_find(const char *name)
{
	for (int part = 0; part < OWN_PART_COUNT; part++)
		if (strcmp(own_part_names[part], name) == 0)
			return part;
	return -1;
}

struct whole *whole_of(struct whole *wholes, size_t rank, int part)
{
	return &wholes[rank * OWN_PART_COUNT + (size_t)part];
}

static void wholes_sum(const struct step_model *model, struct whole *wholes)
{
	for (size_t i = 0; i < model->outside.n; i++)
		for (int part = OWN_SLEEP_OUTSIDE; part < OWN_PART_COUNT; part++)
			whole_of(wholes, model->outside.at[i].rank, part)
				->usual_ns += model->outside.at[i].part[part];
	for (size_t i = 0; i < model->steps.n; i++) {
		const struct step_own *step = &model->steps.at[i];

		for (int part = 0; part < OWN_SLEEP_OUTSIDE; part++) {
			struct whole *whole = whole_of(wholes, step->rank, part);

			whole->usual_ns += (step->part[part] - step->rare[part]) * step->stands_for;
			whole->rare_ns += step->rare[part] * step->stands_for;
			if (step->part[part] > STEP_HAS_SHARE * step->own)
				whole->steps += step->stands_for;
		}
		whole_of(wholes, step->rank, OWN_SLEEP)->queued_ns += step->queued *
			step->stands_for;
		whole_of(wholes, step->rank, OWN_COMPUTE)->signed_ns += step->useful.excess *
			step->stands_for;
		whole_of(wholes, step->rank, OWN_CALLS)->signed_ns += step->calls.excess *
			step->stands_for;
	}
}

/* The rows of places_sql for a rank and part; ns: time not yet assigned. */
struct place_row {
	int kind;
	double ns;
	char *place;
};

/* Time of a rank that has a place, or several. */
struct stay_span {
	struct whole *whole;
	bool is_rare, is_placed;
	double ns;
};

enum { SPANS_MOST = 4 };

/* All that rows of one name may be the places of, longest first. */
struct spans {
	struct stay_span at[SPANS_MOST];
	size_t n;
	bool failed;
};

typedef ARRAY_OF(struct place_row) place_rows;

static void span_add(struct spans *spans, struct whole *whole, bool is_rare)
{
	struct stay_span span = { whole, is_rare, false,
		is_rare ? whole->rare_ns : whole->usual_ns - whole->queued_ns };
	size_t i = spans->n;

	if (span.ns <= 0)
		return;
	for (; i > 0 && spans->at[i - 1].ns < span.ns; i--)
		spans->at[i] = spans->at[i - 1];
	spans->at[i] = span;
	spans->n++;
}

/* `share` of the span was at `place`. */
static void stay_add(struct spans *spans, struct stay_span *span, const char *place, double share,
	bool is_line)
{
	struct stay *stay = ARRAY_ADD(&span->whole->stays);

	span->is_placed = true;
	spans->failed |= !stay;
	if (!stay)
		return;
	*stay = (struct stay){ .place = place ? strdup(place) : NULL,
		.is_rare = span->is_rare && !is_line };
	*(span->is_rare ? &stay->share.rare : &stay->share.usual) = share;
	if (!is_line && !span->is_rare && span->whole->steps > 0)
		stay->each_ns = share * (span->whole->usual_ns - span->whole->queued_ns) /
			span->whole->steps;
	spans->failed |= place && !stay->place;
}

static void row_give(struct spans *spans, struct stay_span *span, struct place_row *row)
{
	stay_add(spans, span, row->place, 1, row->kind <= 0);
	row->ns -= row->kind < 0 ? 0 : span->ns;
}

/* A line that has just the span's time. */
static void span_match(struct spans *spans, struct stay_span *span, const place_rows *rows)
{
	double least = PLACE_NEAR * span->ns;
	struct place_row *found = NULL;

	for (size_t i = 0; i < rows->n; i++) {
		double apart = rows->at[i].ns - span->ns;

		apart = apart < 0 ? -apart : apart;
		if (rows->at[i].kind == 0 && apart <= least) {
			least = apart;
			found = &rows->at[i];
		}
	}
	if (!found)
		return;
	stay_add(spans, span, found->place, 1, true);
	found->ns = 0;
}

/*
 * Lines that have the span's time together. Which steps each has is not known: each has its share of
 * all.
 */
static void span_share(struct spans *spans, struct stay_span *span, const place_rows *rows)
{
	double most = (1 + PLACE_NEAR) * span->ns, all = 0, shared = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (rows->at[i].kind == 0 && rows->at[i].ns >= PLACE_LEAST * span->ns &&
			all + rows->at[i].ns <= most)
			all += rows->at[i].ns;
	if (all < PLACE_SHARE * span->ns)
		return;
	for (size_t i = 0; i < rows->n; i++) {
		struct place_row *row = &rows->at[i];

		if (row->kind != 0 || row->ns < PLACE_LEAST * span->ns || shared + row->ns > most)
			continue;
		shared += row->ns;
		stay_add(spans, span, row->place, row->ns / all, true);
		row->ns = 0;
	}
}

/*
 * The first row that has most of the span's time. Rows are of the whole run: a line that has more is,
 * for the most part, elsewhere.
 */
static void span_place(struct spans *spans, struct stay_span *span, const place_rows *rows)
{
	for (size_t i = 0; i < rows->n && !span->is_placed; i++) {
		struct place_row *row = &rows->at[i];

		if (row->kind < 0 ? row->ns >= PLACE_SHARE
				  : row->ns >= PLACE_SHARE * span->ns &&
					(row->kind || row->ns <= PLACE_MOST * span->ns))
			row_give(spans, span, row);
	}
}

/* What else the rank did in the part was at the same places. */
static void span_follow(struct spans *spans, struct stay_span *span)
{
	const struct stay *most = NULL;

	for (size_t i = 0; i < span->whole->stays.n; i++) {
		const struct stay *stay = &span->whole->stays.at[i];

		if (!most ||
			stay->share.usual + stay->share.rare > most->share.usual + most->share.rare)
			most = stay;
	}
	stay_add(spans, span, most ? most->place : NULL, 1, true);
}

static void spans_place(struct spans *spans, const place_rows *rows)
{
	if (rows->at[0].kind < 0) { /* of children: else the line of the wait is it */
		for (size_t i = 0; i < spans->n; i++)
			span_place(spans, &spans->at[i], rows);
		return;
	}
	for (size_t i = 0; i < spans->n; i++)
		if (!spans->at[i].is_placed)
			span_match(spans, &spans->at[i], rows);
	for (size_t i = 0; i < spans->n; i++) {
		struct stay_span *span = &spans->at[i];

		if (!span->is_placed)
			span_share(spans, span, rows);
		span_place(spans, span, rows);
	}
	for (size_t i = 0; i < spans->n; i++)
		if (!spans->at[i].is_placed)
			span_follow(spans, &spans->at[i]);
}

static void rows_free(place_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->at[i].place);
	free(rows->at);
	*rows = (place_rows){ 0 };
}

/* Places of a rank in what rows of one name are about; a wait for readers is at the line of the wait. */
static bool rank_place(struct whole *wholes, size_t rank, int part, const place_rows *rows)
{
	struct whole *whole = whole_of(wholes, rank, part);
	struct spans spans = { .n = 0 };

	span_add(&spans, whole, false);
	span_add(&spans, whole, true);
	if (part == OWN_SLEEP)
		span_add(&spans, whole_of(wholes, rank, OWN_SLEEP_OUTSIDE), false);
	if (part == OWN_WAIT && !whole_of(wholes, rank, OWN_READERS)->stays.n) {
		span_add(&spans, whole_of(wholes, rank, OWN_READERS), false);
		span_add(&spans, whole_of(wholes, rank, OWN_READERS), true);
	}
	spans_place(&spans, rows);
	return !spans.failed;
}

static bool place_row_add(place_rows *rows, sqlite3_stmt *select)
{
	const char *place = (const char *)sqlite3_column_text(select, 3);
	struct place_row *row = ARRAY_ADD(rows);

	if (!row)
		return false;
	*row = (struct place_row){ sqlite3_column_int(select, 2), sqlite3_column_double(select, 4),
		place ? strdup(place) : NULL };
	return row->place || !place;
}

/* Rows that are of one rank and name at a time. */
static bool places_read(const struct step_model *model, sqlite3 *handle, int64_t run_id,
	struct whole *wholes)
{
	bool failed = false, more = true;
	sqlite3_stmt *select = query_prepare(handle, places_sql, run_id, &failed);
	int rank = -1, part = -1;
	place_rows rows = { 0 };

	while (more && !failed) {
		int next_rank = -1, next_part = -1;

		more = query_row_next(select, &failed);
		if (more) {
			next_rank = rank_find(model, sqlite3_column_int64(select, 0));
			next_part = part_find((const char *)sqlite3_column_text(select, 1));
		}
		if (rows.n && (next_rank != rank || next_part != part)) {
			failed |= !rank_place(wholes, (size_t)rank, part, &rows);
			rows_free(&rows);
		}
		rank = next_rank;
		part = next_part;
		if (rank >= 0 && part >= 0)
			failed |= !place_row_add(&rows, select);
	}
	rows_free(&rows);
	sqlite3_finalize(select);
	return !failed;
}

/* --- calls of all ranks, of which some have more --- */

/* The part's only place, if it is a call; else NULL. */
static struct stay *only_call(struct whole *whole)
{
	return whole->stays.n == 1 && whole->stays.at[0].each_ns > 0 ? whole->stays.at : NULL;
}

/* The least that a rank has of the call in a step; 0: not all ranks have this call, in as many steps. */
static double least_of_all(struct whole *wholes, size_t nranks, int part)
{
	const struct whole *first = wholes + part;
	double least = 0;

	for (size_t rank = 0; rank < nranks; rank++) {
		struct whole *whole = whole_of(wholes, rank, part);
		const struct stay *stay = only_call(whole);

		if (!stay || !stay->place || !first->stays.at[0].place ||
			strcmp(stay->place, first->stays.at[0].place) != 0 ||
			whole->steps > STAY_ALIKE * first->steps ||
			first->steps > STAY_ALIKE * whole->steps)
			return 0;
		least = rank == 0 || stay->each_ns < least ? stay->each_ns : least;
	}
	return least;
}

/*
 * No line shows the purpose of calls. If all ranks have a call of similar length in as many steps,
 * and it is longer in some ranks, the excess is these ranks' own.
 */
static bool calls_split(struct whole *wholes, size_t nranks, int part)
{
	double least = least_of_all(wholes, nranks, part);

	for (size_t rank = 0; least > 0 && rank < nranks; rank++) {
		struct whole *whole = whole_of(wholes, rank, part);
		struct stay more = whole->stays.at[0], *added;

		if (more.each_ns <= STAY_ALIKE * least)
			continue;
		more.share.usual *= 1 - least / more.each_ns;
		whole->stays.at[0].share.usual -= more.share.usual;
		whole->stays.at[0].each_ns = least;
		more.each_ns -= least;
		more.is_more = true;
		more.place = strdup(more.place);
		added = more.place ? ARRAY_ADD(&whole->stays) : NULL;
		if (!added) {
			free(more.place);
			return false;
		}
		*added = more;
	}
	return true;
}

struct whole *stays_read(const struct step_model *model, sqlite3 *handle, int64_t run_id)
{
	struct whole *wholes = calloc(model->ranks.n * OWN_PART_COUNT, sizeof(*wholes));
	bool good;

	if (!wholes)
		return NULL;
	wholes_sum(model, wholes);
	good = places_read(model, handle, run_id, wholes);
	for (int part = 0; good && part < OWN_SLEEP_OUTSIDE; part++)
		good = calls_split(wholes, model->ranks.n, part);
	if (good)
		return wholes;
	stays_free(model, wholes);
	return NULL;
}

void stays_free(const struct step_model *model, struct whole *wholes)
{
	for (size_t i = 0; wholes && i < model->ranks.n * OWN_PART_COUNT; i++) {
		for (size_t k = 0; k < wholes[i].stays.n; k++)
			free(wholes[i].stays.at[k].place);
		free(wholes[i].stays.at);
	}
	free(wholes);
}
