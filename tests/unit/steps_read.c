/* steps_read.c - see steps_load.h: what needs no analysis. */
#include "config.h"

#include "tables/step_row.h"
#include "steps_load.h"

#define OF_STATE(state)                                                                            \
	"(select coalesce(sum(h.ns), 0) from host_time h where h.process_id = s.process_id "       \
	"and h.window = 'step:' || s.n and h.state in (" state "))"

#define COUNT_OF(which)                                                                            \
	"(select count(*) from host_time h where h.process_id = s.process_id "                     \
	"and h.window = 'step:' || s.n and " which ")"

static const char steps_sql[] =
	"select process_id - 1, n, cut, waited_ns is not null, excess_ns is not null, start_ns, "
	"end_ns, waited_ns, waited_io_ns, excess_ns, caused_ns, phase_id, " OF_STATE("'wait'") ", " COUNT_OF("true") ", " COUNT_OF("h.state <> 'absent'") ", slept_ns, readers_ns, " OF_STATE(
		"'useful'") ", " OF_STATE("'cuda', 'wait', 'omp_idle'") ", " OF_STATE("'io'") ", " OF_STATE("'mpi'") " from step s order by n, process_id";

enum { FIRST_PART = 17 };

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
		.wait = sqlite3_column_int64(select, 12),
		.timed = sqlite3_column_int(select, 13) > 0,
		.busy = sqlite3_column_int(select, 14) > 0,
		.slept = sqlite3_column_int64(select, 15),
		.readers = sqlite3_column_int64(select, 16),
	};
	for (int part = 0; part < PART_SLEEP; part++)
		row->ns[part] = sqlite3_column_int64(select, FIRST_PART + part);
	row->ns[PART_SLEEP] = row->slept;
	row->ns[PART_READERS] = row->readers;
	row->ns[PART_HOST] -= row->slept + row->readers;
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
