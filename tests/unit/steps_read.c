/* steps_read.c - see steps_load.h: what needs no analysis. */
#include "config.h"

#include "tables/step_row.h"
#include "steps_load.h"

#define TIME_OF(which)                                                                             \
	"(select coalesce(sum(h.ns), 0) from host_time h where h.process_id = s.process_id "       \
	"and h.window = 'step:' || s.n and h.state " which ")"

#define COUNT_OF(which)                                                                            \
	"(select count(*) from host_time h where h.process_id = s.process_id "                     \
	"and h.window = 'step:' || s.n and " which ")"

#define LATE_COLUMN(id, name) ", late_" name "_ns"

/* clang-format off */
static const char steps_sql[] =
	"select process_id - 1, n, cut, waited_ns is not null, excess_ns is not null, start_ns, "
	"end_ns, waited_ns, waited_io_ns, excess_ns, caused_ns, phase_id, "
	COUNT_OF("true") ", " COUNT_OF("h.state <> 'absent'") ", slept_ns, readers_ns, "
	TIME_OF("= 'useful'") ", " TIME_OF("= 'io'") ", " TIME_OF("in ('mpi', 'gloo')") ", " TIME_OF("= 'wait'") ", "
	TIME_OF("not in ('mpi', 'gloo', 'absent')") STEP_PARTS(LATE_COLUMN)
	" from step s order by n, process_id";
/* clang-format on */

enum { FIRST_PART = 21 };

static bool row_load(struct step_rows *rows, sqlite3_stmt *select)
{
	struct step_row *row = ARRAY_ADD(&rows->rows);

	if (!row)
		return false;
	*row = (struct step_row){
		.process = (uint32_t)sqlite3_column_int64(select, 0),
		.n = sqlite3_column_int64(select, 1),
		.cut = sqlite3_column_int(select, 2),
		.captured = sqlite3_column_int(select, 3),
		.compared = sqlite3_column_int(select, 4),
		.start = sqlite3_column_int64(select, 5),
		.end = sqlite3_column_int64(select, 6),
		.waited = sqlite3_column_int64(select, 7),
		.waited_io = sqlite3_column_int64(select, 8),
		.excess = sqlite3_column_int64(select, 9),
		.caused = sqlite3_column_int64(select, 10),
		.stands_for = 1,
		.phase = sqlite3_column_int64(select, 11),
		.timed = sqlite3_column_int(select, 12) > 0,
		.busy = sqlite3_column_int(select, 13) > 0,
		.slept = sqlite3_column_int64(select, 14),
		.readers = sqlite3_column_int64(select, 15),
		.useful = sqlite3_column_int64(select, 16),
		.io = sqlite3_column_int64(select, 17),
		.mpi = sqlite3_column_int64(select, 18),
		.wait = sqlite3_column_int64(select, 19),
		.outside = sqlite3_column_int64(select, 20),
	};
	for (int part = 0; part < PART_COUNT; part++)
		row->late[part] = sqlite3_column_int64(select, FIRST_PART + part);
	return true;
}

bool steps_read(sqlite3 *handle, struct step_rows *rows)
{
	sqlite3_stmt *select = NULL;
	bool good = sqlite3_prepare_v2(handle, steps_sql, -1, &select, NULL) == SQLITE_OK;

	while (good && sqlite3_step(select) == SQLITE_ROW)
		good = row_load(rows, select);
	sqlite3_finalize(select);
	return good;
}
