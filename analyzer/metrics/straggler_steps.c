/* straggler_steps.c - the steps of all ranks that can be compared, from the table step; see straggler.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "db/query.h"
#include "metrics/straggler.h"

/* With a capture window, local time covers only the recorded part. */
#define LATE_COLUMN(id, name) ", s.late_" name "_ns"

enum { FIRST_PART = 11 };

static const char steps_sql[] =
	"select s.process_id, s.n, s.start_ns, s.end_ns, s.excess_ns, s.late_link_ns, s.caused_ns, "
	"case when exists (select 1 from host_time a where a.run_id = ?1 and a.\"window\" = 'run' "
	"and a.state = 'absent') then (select sum(h.ns) from host_time h where h.run_id = ?1 "
	"and h.process_id = s.process_id and h.\"window\" = 'step:' || s.n and h.state <> 'absent') "
	"else s.end_ns - s.start_ns end - s.waited_ns, s.excess_ns is not null and not s.cut, "
	"case when ?2 then (select total(h.ns) from host_time h where h.run_id = ?1 "
	"and h.process_id = s.process_id and h.\"window\" = 'step:' || s.n and h.state in ('mpi', "
	"'gloo')) - s.waited_ns + coalesce(s.waited_io_ns, 0) end, s.caused_ns * s.stands_for" STEP_PARTS(
		LATE_COLUMN) " "
			     "from step s where s.run_id = ?1 and s.waited_ns is not null order by s.process_id, s.n";

/* A row of the rank; `last`: the row before it, if it belongs to the same rank. */
static bool step_add(struct late_steps *steps, sqlite3_stmt *row, bool crowded,
	const struct late_step *last)
{
	double owns = last ? last->owns : 0, lengths = last ? last->lengths : 0, own;
	struct late_step *step = ARRAY_ADD(&steps->rows);

	if (!step)
		return false;
	*step = (struct late_step){ .n = sqlite3_column_int64(row, 1),
		.start = sqlite3_column_int64(row, 2),
		.end = sqlite3_column_int64(row, 3),
		.excess = sqlite3_column_double(row, 4),
		.caused = sqlite3_column_double(row, 6),
		.waited = sqlite3_column_int64(row, 10) };
	for (int part = 0; part < PART_COUNT; part++)
		step->late[part] = sqlite3_column_int64(row, FIRST_PART + part);
	own = sqlite3_column_double(row, 7);
	step->others = own - step->excess;
	if (crowded) {
		step->excess -= sqlite3_column_double(row, 5);
		step->others -= sqlite3_column_double(row, 9) - sqlite3_column_double(row, 5);
	}
	step->owns = owns + own;
	step->lengths = lengths + (double)(step->end - step->start);
	return true;
}

static bool steps_take(struct late_steps *steps, size_t n, sqlite3_stmt *rows)
{
	size_t at = 0;
	bool failed = false;

	while (query_row_next(rows, &failed)) {
		size_t process = (size_t)sqlite3_column_int64(rows, 0) - 1, first;
		int64_t number = sqlite3_column_int64(rows, 1);

		while (at < process && at < n)
			steps->first[++at] = steps->rows.n;
		first = steps->first[at];
		steps->low = number < steps->low ? number : steps->low;
		steps->high = number > steps->high ? number : steps->high;
		if (sqlite3_column_int(rows, 8))
			failed |= !step_add(steps, rows,
				steps->crowded[process] &&
					sqlite3_column_type(rows, 9) != SQLITE_NULL,
				steps->rows.n > first ? &steps->rows.at[steps->rows.n - 1] : NULL);
	}
	while (at < n)
		steps->first[++at] = steps->rows.n;
	return !failed;
}

bool late_steps_read(struct engine *engine, struct late_steps *steps)
{
	size_t n = engine->tables.model.processes.n;
	bool failed = false;
	sqlite3_stmt *rows = query_prepare(engine->tables.db.handle, steps_sql, 1, &failed);

	sqlite3_bind_int(rows, 2,
		memchr(steps->crowded, true, n) && !engine->tables.model.devices.n);
	steps->low = INT64_MAX;
	steps->high = INT64_MIN;
	steps->first = calloc(n + 1, sizeof(*steps->first));
	failed = !steps->first || failed || !steps_take(steps, n, rows);
	sqlite3_finalize(rows);
	return !failed;
}

void late_steps_free(struct late_steps *steps)
{
	free(steps->rows.at);
	free(steps->first);
	free(steps->crowded);
}

/* The place of the process's first step from number n on. */
static size_t step_place(const struct late_steps *steps, size_t process, int64_t n)
{
	size_t low = steps->first[process], high = steps->first[process + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (steps->rows.at[middle].n < n)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct step_range step_range_of(const struct late_steps *steps, size_t process, int64_t first,
	int64_t last)
{
	size_t from = step_place(steps, process, first), to = step_place(steps, process, last + 1);
	const struct late_step *a = &steps->rows.at[from], *b = a + (to - from);
	struct step_range range = { .n = (int64_t)(to - from) };
	bool whole = from == steps->first[process];

	if (from == to)
		return range;
	range.own = b[-1].owns - (whole ? 0 : a[-1].owns);
	range.length = b[-1].lengths - (whole ? 0 : a[-1].lengths);
	range.start = a->start;
	range.end = b[-1].end;
	return range;
}

double ask_number(struct engine *engine, const char *sql, int64_t about)
{
	sqlite3_stmt *select = query_prepare(engine->tables.db.handle, sql, 1,
		&engine->tables.failed);
	double value = NAN;

	sqlite3_bind_int64(select, 2, about);
	if (query_row_next(select, &engine->tables.failed) &&
		sqlite3_column_type(select, 0) != SQLITE_NULL)
		value = sqlite3_column_double(select, 0);
	sqlite3_finalize(select);
	return value;
}
