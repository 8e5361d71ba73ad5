/*
 * rows.c - gathered rows of steps (window_row.h, step_row.h) all come into the database with their
 * values, also when they fill more than one batch.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"

/* 1,280,000 times and 320,000 steps: more than a batch of each */
enum { PROCESSES = 16, STEPS = 40000 };

static int64_t number(sqlite3 *handle, const char *sql)
{
	sqlite3_stmt *select = NULL;
	int64_t value = -1;

	if (sqlite3_prepare_v2(handle, sql, -1, &select, NULL) == SQLITE_OK &&
		sqlite3_step(select) == SQLITE_ROW)
		value = sqlite3_column_int64(select, 0);
	else
		printf("# %s\n", sqlite3_errmsg(handle));
	sqlite3_finalize(select);
	return value;
}

static void time_add(struct engine *engine, int64_t process, const char *state, int64_t ns)
{
	window_row_add(&engine->tables.host_rows,
		(union db_value[]){ { .i = process }, { .s = state }, { .i = ns } });
}

/* Rank p works for n + p and is in MPI for 2 n; every other one had the step, for 10 n + p. */
static void step_make(struct engine *engine, int64_t n)
{
	struct window_rank ranks[PROCESSES] = { 0 };
	char name[32];

	snprintf(name, sizeof(name), "step:%lld", (long long)n);
	for (int64_t p = 0; p < PROCESSES; p++) {
		time_add(engine, p + 1, "useful", n + p);
		time_add(engine, p + 1, "mpi", 2 * n);
		ranks[p] = (struct window_rank){ .any = (n + p) % 2,
			.start = 10 * n,
			.end = 20 * n + p,
			.here = 10 * n + p };
		for (int state = 0; state < HOST_STATE_COUNT; state++)
			ranks[p].spent[state] = INT64_C(1) << state;
		ranks[p].slept = ranks[p].spent[HOST_WAIT] / 4;
		ranks[p].waited_readers = ranks[p].spent[HOST_WAIT] / 2;
	}
	window_rows_end(&engine->tables.db, &engine->tables.host_rows, name);
	step_rows_add(&engine->tables, &(struct step_added){ .n = n, .stands_for = 1 }, ranks);
}

static const char times_sql[] =
	"select count(*) = 2 * 16 * 40000 and sum(ns = case state when 'mpi' then 2 * "
	"substr(window, 6)"
	" else substr(window, 6) + process_id - 1 end) = count(*) from host_time";

static const char steps_sql[] =
	"select count(*) = 8 * 40000 and sum(start_ns = 10 * n and end_ns = 20 * n + process_id - "
	"1 and"
	" (n + process_id) % 2 = 0 and phase_id is null and samples is null) = count(*) from step";

/* Those of the last batch, of which the others have been let go of. */
static bool times_hold(const struct step_rows *rows)
{
	const int64_t outside = 1 << HOST_USEFUL | 1 << HOST_IO | 1 << HOST_CUDA | 1 << HOST_WAIT |
		1 << HOST_OMP_IDLE;
	bool good = rows->partly && rows->rows.n > 0;

	for (size_t i = 0; i < rows->rows.n; i++) {
		const struct step_row *row = &rows->rows.at[i];

		good &= row->mpi == (1 << HOST_MPI | 1 << HOST_GLOO) && row->outside == outside &&
			row->busy && row->slept == (1 << HOST_WAIT) / 4 &&
			row->readers == (1 << HOST_WAIT) / 2;
	}
	return good;
}

static void tap(bool good, int n, const char *what)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", n, what);
}

int main(void)
{
	struct process processes[PROCESSES];
	struct engine engine = { .tables.host_rows = { .table = &host_time_table } };
	struct db *db = &engine.tables.db;

	printf("1..4\n");
	if (sqlite3_open(":memory:", &db->handle) != SQLITE_OK || db_rows_open(db) != SQLITE_OK ||
		sqlite3_exec(db->handle, db_schema, NULL, NULL, NULL) != SQLITE_OK)
		return 1;
	for (int i = 0; i < PROCESSES; i++)
		processes[i] = (struct process){ .rank = i, .id = i + 1 };
	engine.tables.model.processes.at = processes;
	engine.tables.model.processes.n = PROCESSES;
	for (int64_t n = 0; n < STEPS; n++)
		step_make(&engine, n);
	window_rows_flush(db, &engine.tables.host_rows);
	step_rows_flush(&engine.tables);

	tap(!engine.tables.failed && !db->failed, 1, "all rows are taken");
	tap(number(db->handle, times_sql) == 1, 2, "each process has its times in each step");
	tap(number(db->handle, steps_sql) == 1, 3, "each step has the ranks that had it");
	tap(times_hold(&engine.tables.step_rows) && !step_rows_all(&engine.tables), 4,
		"the last batch is in memory by states, and known not to be all");
	window_rows_free(&engine.tables.host_rows);
	step_rows_free(&engine.tables.step_rows);
	for (int i = 0; i < DB_STATEMENTS; i++)
		sqlite3_finalize(db->statements[i].statement);
	sqlite3_close(db->handle);
	return 0;
}
