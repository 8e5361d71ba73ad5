/*
 * timeline_choose.c - chooses the steps in full detail, by the first rank with steps: the median
 * one of the most common phase, which represents the others, and some exceptional ones; then the
 * others by length; see timeline_step.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"
#include "db/query.h"
#include "tables/step_row.h"
#include "timeline/timeline_step.h"
#include "tables/timeline_window.def"

struct candidate {
	int64_t n, ns;
	size_t phase;
};

struct phase_name {
	char *name;
	size_t nsteps;
}; /* NULL: of steps outside of all phases */

struct step_choice {
	struct tables *tables;
	bool whole_only; /* parts of the run lack detail: choose only steps without such parts */
	ARRAY_OF(struct candidate) steps; /* by their numbers */
	ARRAY_OF(struct phase_name) phases;
	sqlite3_stmt *name;
	int64_t id; /* of the phase that was looked up last; 0 is none's */
	size_t phase;
	bool failed;
	struct full_step *windows;
	size_t nwindows;
};

static const char rank_sql[] =
	"select id from process where run_id = 1 and rank is not null and exists "
	"(select 1 from step where run_id = 1 and process_id = process.id) order by rank limit 1";

/* ?2: only steps with all detail; no rank has totals only. */
static const char steps_sql[] =
	"select n, end_ns - start_ns, coalesce(phase_id, 0) from step s where run_id = 1 and "
	"process_id = ?1 and cut = 0 and (?2 = 0 or end_ns - start_ns = (select sum(ns) from host_time "
	"h where h.run_id = 1 and h.process_id = s.process_id and h.window = 'step:' || s.n and "
	"h.state not in ('absent', 'lost', 'not_in_detail'))) and (?2 = 0 or not exists (select 1 from "
	"host_time h where h.run_id = 1 and h.window = 'step:' || s.n and h.state = 'not_in_detail' "
	"and h.ns > 0)) order by n";

static const char extent_sql[] =
	"select min(start_ns), max(end_ns) from step where run_id = 1 and n = ?1 and process_id in "
	"(select id from process where run_id = 1)";

/* In which a straggler was latest. */
static const char late_sql[] =
	"select s.n from straggler g join process p on p.run_id = 1 and p.rank = g.rank join step s on "
	"s.run_id = 1 and s.process_id = p.id and s.n between g.since_step and g.until_step where "
	"g.run_id = 1 and s.cut = 0 and s.excess_ns > 0 order by s.excess_ns desc, s.n limit 1";

/* The last one, if the run ended in it. */
static const char last_sql[] =
	"with last as (select (select s.n from step s where s.run_id = 1 and s.process_id = p.id "
	"order by s.n desc limit 1) as n, (select s.cut from step s where s.run_id = 1 "
	"and s.process_id = p.id order by s.n desc limit 1) as cut from process p where p.run_id = 1) "
	"select n from last where cut = 1 and n = (select max(n) from last) limit 1";

static size_t phase_named(struct step_choice *choice, const char *name)
{
	struct phase_name *phase;

	for (size_t i = 0; i < choice->phases.n; i++) {
		const char *other = choice->phases.at[i].name;

		if (name && other ? strcmp(name, other) == 0 : name == other)
			return i;
	}
	phase = ARRAY_ADD(&choice->phases);
	if (phase)
		*phase = (struct phase_name){ .name = name ? strdup(name) : NULL };
	choice->failed |= !phase || (name && !phase->name);
	return choice->phases.n - 1;
}

/* Steps of a phase come in a row. */
static size_t phase_of(struct step_choice *choice, int64_t id)
{
	if (id == choice->id && choice->phases.n)
		return choice->phase;
	sqlite3_bind_int64(choice->name, 1, id);
	choice->phase = phase_named(choice,
		query_row_next(choice->name, &choice->failed)
			? (const char *)sqlite3_column_text(choice->name, 0)
			: NULL);
	choice->id = id;
	sqlite3_reset(choice->name);
	return choice->phase;
}

static void step_add(struct step_choice *choice, int64_t n, int64_t ns, int64_t phase_id)
{
	size_t phase = phase_of(choice, phase_id);
	struct candidate *step = choice->failed ? NULL : ARRAY_ADD(&choice->steps);

	if (step) {
		*step = (struct candidate){ n, ns, phase };
		choice->phases.at[phase].nsteps++;
	}
	choice->failed |= !step;
}

static void steps_read(struct step_choice *choice, int64_t process_id)
{
	sqlite3_stmt *select = query_prepare(choice->tables->db.handle, steps_sql, 0,
		&choice->failed);

	sqlite3_bind_int64(select, 1, process_id);
	sqlite3_bind_int64(select, 2, choice->whole_only);
	while (query_row_next(select, &choice->failed))
		step_add(choice, sqlite3_column_int64(select, 0), sqlite3_column_int64(select, 1),
			sqlite3_column_int64(select, 2));
	sqlite3_finalize(select);
}

typedef ARRAY_OF(int64_t) numbers;

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Steps of which a rank has totals only, ascending. */
static void summed_find(struct step_choice *choice, const struct step_rows *rows, numbers *summed)
{
	for (size_t i = 0; i < rows->rows.n && !choice->failed; i++) {
		int64_t *n = rows->rows.at[i].summed > 0 ? ARRAY_ADD(summed) : NULL;

		if (n)
			*n = rows->rows.at[i].n;
		choice->failed |= !n && rows->rows.at[i].summed > 0;
	}
	if (summed->n)
		qsort(summed->at, summed->n, sizeof(*summed->at), compare_numbers);
}

/* The same of a process's rows in memory. */
static void steps_take(struct step_choice *choice, const struct step_rows *rows, size_t process)
{
	numbers summed = { 0 };

	if (choice->whole_only)
		summed_find(choice, rows, &summed);
	for (size_t i = rows->first[process]; i < rows->first[process + 1]; i++) {
		const struct step_row *row = &rows->rows.at[rows->order[i]];
		bool whole = row->busy && row->outside + row->mpi == row->end - row->start &&
			!(summed.n &&
				bsearch(&row->n, summed.at, summed.n, sizeof(row->n),
					compare_numbers));

		if (!row->cut && (!choice->whole_only || whole))
			step_add(choice, row->n, row->end - row->start,
				row->phased ? row->phase : 0);
	}
	free(summed.at);
}

static int compare_lengths(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->ns != y->ns ? (x->ns > y->ns) - (x->ns < y->ns) : (x->n > y->n) - (x->n < y->n);
}

/*
 * Moves the steps of the most common phase to the front, ordered by length, and returns their
 * number. The first of several equally common phases counts.
 */
static size_t common_first(struct step_choice *choice)
{
	size_t common = 0, n = 0;

	for (size_t i = 1; i < choice->phases.n; i++)
		if (choice->phases.at[i].nsteps > choice->phases.at[common].nsteps)
			common = i;
	for (size_t i = 0; i < choice->steps.n; i++)
		if (choice->steps.at[i].phase == common) {
			struct candidate step = choice->steps.at[i];

			choice->steps.at[i] = choice->steps.at[n];
			choice->steps.at[n++] = step;
		}
	if (n)
		qsort(choice->steps.at, n, sizeof(*choice->steps.at), compare_lengths);
	return n;
}

bool timeline_extent(struct tables *tables, struct full_step *window)
{
	bool failed = false, any;
	sqlite3_stmt *extent = query_prepare(tables->db.handle, extent_sql, 0, &failed);

	sqlite3_bind_int64(extent, 1, window->step);
	any = query_row_next(extent, &failed);
	window->from = sqlite3_column_int64(extent, 0);
	window->to = sqlite3_column_int64(extent, 1);
	sqlite3_finalize(extent);
	tables->failed |= failed;
	return any && !failed && window->to > window->from;
}

void timeline_window_put(struct tables *tables, const struct full_step *window)
{
	static const char *const names[] = { [WHY_TYPICAL] = "typical",
		[WHY_LATE_RANK] = "late rank",
		[WHY_FIRST] = "first",
		[WHY_SLOWEST] = "slowest",
		[WHY_SLOWEST_LATER] = "slowest later",
		[WHY_LAST] = "last" };
	char why[64] = "";
	static const struct db_table table = DB_TABLE(timeline_window, "insert",
		TIMELINE_WINDOW_COLUMNS);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (window->whys & 1u << i) {
			if (*why)
				strcat(why, ", ");
			strcat(why, names[i]);
		}
	db_put_row(&tables->db, &table, DB_ROW(TIMELINE_WINDOW_COLUMNS));
}

/* Adds a step, or one more reason for a step chosen already; SIZE_MAX: no phase. */
static void window_add(struct step_choice *choice, int64_t step, size_t phase, enum window_why why)
{
	struct full_step window = { .step = step, .whys = 1u << why };

	for (size_t i = 0; i < choice->nwindows; i++)
		if (choice->windows[i].step == step) {
			choice->windows[i].whys |= 1u << why;
			return;
		}
	if (choice->failed || choice->nwindows == WINDOWS_MOST ||
		!timeline_extent(choice->tables, &window))
		return;
	window.phase = phase == SIZE_MAX ? NULL : choice->phases.at[phase].name;
	choice->windows[choice->nwindows++] = window;
}

/* Adds the step that a query returns; `known`: only if it is among the known ones. */
static void named_add(struct step_choice *choice, const char *sql, bool known, enum window_why why)
{
	int64_t n = step_number(choice->tables->db.handle, sql, 0, 0, NULL);

	for (size_t i = 0; i < choice->steps.n; i++)
		if (choice->steps.at[i].n == n) {
			window_add(choice, n, choice->steps.at[i].phase, why);
			return;
		}
	if (n != INT64_MIN && !known)
		window_add(choice, n, SIZE_MAX, why);
}

/* The longest of `n` that are in order of their lengths; after the first step, if that is it. */
static void slowest_add(struct step_choice *choice, size_t n, int64_t first)
{
	const struct candidate *longest = &choice->steps.at[n - 1];

	window_add(choice, longest->n, longest->phase, WHY_SLOWEST);
	if (longest->n == first && n > 1)
		window_add(choice, longest[-1].n, longest[-1].phase, WHY_SLOWEST_LATER);
}

static void windows_choose(struct step_choice *choice)
{
	size_t common;
	struct candidate first;

	if (!choice->steps.n)
		return;
	first = choice->steps.at[0];
	common = common_first(choice);
	if (!common)
		return;
	window_add(choice, choice->steps.at[(common - 1) / 2].n,
		choice->steps.at[(common - 1) / 2].phase, WHY_TYPICAL);
	named_add(choice, late_sql, true, WHY_LATE_RANK);
	window_add(choice, first.n, first.phase, WHY_FIRST);
	slowest_add(choice, common, first.n);
	if (!choice->whole_only)
		named_add(choice, last_sql, false, WHY_LAST);
}

/* The slowest first. */
static void others_choose(struct step_choice *choice, struct other_steps *others)
{
	if (choice->steps.n)
		qsort(choice->steps.at, choice->steps.n, sizeof(*choice->steps.at),
			compare_lengths);
	for (size_t i = choice->steps.n; i-- > 0 && !choice->failed;) {
		bool is_there = false;
		int64_t *other;

		for (size_t k = 0; k < choice->nwindows; k++)
			is_there |= choice->windows[k].step == choice->steps.at[i].n;
		other = is_there ? NULL : ARRAY_ADD(&others->at);
		if (other)
			*other = choice->steps.at[i].n;
		choice->failed |= !is_there && !other;
	}
}

size_t timeline_choose(struct tables *tables, const struct timeline_known *known,
	struct full_step windows[WINDOWS_MOST], struct other_steps *others)
{
	struct step_choice choice = { .tables = tables,
		.whole_only = known->uncaptured,
		.windows = windows };
	const struct step_rows *rows = &tables->step_rows;
	sqlite3_stmt *rank = query_prepare(tables->db.handle, rank_sql, 0, &choice.failed);

	choice.name = query_prepare(tables->db.handle, "select name from phase where id = ?1", 0,
		&choice.failed);
	if (query_row_next(rank, &choice.failed)) {
		int64_t process_id = sqlite3_column_int64(rank, 0);

		if (step_rows_all(tables))
			steps_take(&choice, rows, (size_t)process_id - 1);
		else
			steps_read(&choice, process_id);
	}
	sqlite3_finalize(rank);
	if (!choice.failed)
		windows_choose(&choice);
	for (size_t i = 0; i < choice.nwindows && !choice.failed; i++)
		timeline_window_put(tables, &windows[i]);
	if (others && choice.nwindows)
		others_choose(&choice, others);
	sqlite3_finalize(choice.name);
	for (size_t i = 0; i < choice.phases.n; i++)
		free(choice.phases.at[i].name);
	free(choice.phases.at);
	free(choice.steps.at);
	return choice.nwindows;
}
