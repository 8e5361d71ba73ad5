/*
 * choose.c - which steps are drawn in full (timeline_choose.c), worked out by hand: from the steps
 * in memory, and from the database when memory does not hold them all.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "timeline/timeline_step.h"

/* Process 0 is rank 1, process 1 rank 0, process 2 a child that has no steps. */
enum { PROCESSES = 3, FIRST = 1 };

static struct timeline_known known;

/* A step of rank 0, and how much of it was captured. */
struct made {
	int64_t n, phase, ns, known;
	bool truncated;
};

/* The typical one as in timeline_window, step -1: nothing is chosen; and all: number and why. */
struct chosen {
	int64_t step, from, to;
	const char *phase, *all;
};

static void step_make(struct engine *engine, const struct made *made)
{
	struct window_rank ranks[PROCESSES] = { 0 };
	int64_t start = 1000 * made->n;
	char name[32];

	/* rank 1 begins earlier and ends later */
	for (int p = 0; p < 2; p++)
		ranks[p] = (struct window_rank){ .any = true,
			.phase = p == FIRST ? made->phase : 0,
			.start = start - (p != FIRST),
			.end = start + made->ns + (p != FIRST),
			.truncated = made->truncated && p == FIRST,
			.here = made->ns };
	ranks[FIRST].spent[HOST_USEFUL] = made->known;
	snprintf(name, sizeof(name), "step:%lld", (long long)made->n);
	if (made->known)
		window_row_add(&engine->tables.host_rows,
			(union db_value[]){ { .i = FIRST + 1 }, { .s = "useful" },
				{ .i = made->known } });
	window_row_add(&engine->tables.host_rows,
		(union db_value[]){ { .i = FIRST + 1 }, { .s = "absent" },
			{ .i = made->ns - made->known } });
	window_rows_end(&engine->tables.db, &engine->tables.host_rows, name);
	step_rows_add(&engine->tables, &(struct step_added){ .n = made->n, .stands_for = 1 },
		ranks);
}

static bool window_is(sqlite3 *handle, const struct chosen *chosen)
{
	char *sql = sqlite3_mprintf(
		"select (select count(*) from timeline_window where why glob 'typical*') = %d and "
		"(%d = 0 or exists (select 1 from timeline_window where step = %lld and "
		"why glob 'typical*' and start_ns = %lld and end_ns = %lld and phase is %Q)) and "
		"(select group_concat(step || ' ' || why, '; ') from (select * from "
		"timeline_window order by step)) is %Q",
		chosen->step >= 0, chosen->step >= 0, (long long)chosen->step,
		(long long)chosen->from, (long long)chosen->to, chosen->phase, chosen->all);
	sqlite3_stmt *select = NULL;
	bool is = sqlite3_prepare_v2(handle, sql, -1, &select, NULL) == SQLITE_OK &&
		sqlite3_step(select) == SQLITE_ROW && sqlite3_column_int(select, 0);

	sqlite3_finalize(select);
	sqlite3_free(sql);
	return is;
}

static bool is_chosen(struct engine *engine, const struct chosen *chosen)
{
	struct full_step windows[WINDOWS_MOST];
	size_t n = timeline_choose(&engine->tables, &known, windows, NULL);
	bool is = window_is(engine->tables.db.handle, chosen);

	is &= (n > 0) == (chosen->step >= 0);
	is &= !n ||
		(windows[0].step == chosen->step && windows[0].from == chosen->from &&
			windows[0].to == chosen->to);
	for (size_t i = 0; i < n && !is; i++)
		printf("# chosen: step %lld, %lld to %lld, why %x\n", (long long)windows[i].step,
			(long long)windows[i].from, (long long)windows[i].to, windows[i].whys);
	sqlite3_exec(engine->tables.db.handle, "delete from timeline_window", NULL, NULL, NULL);
	return is && !engine->tables.failed && !engine->tables.db.failed;
}

static const char base_sql[] =
	"insert into process (id, run_id, rank, name, start_ns, end_ns) values (1, 1, 1, 'rank 1', 0, 0), "
	"(2, 1, 0, 'rank 0', 0, 0), (3, 1, null, 'child', 0, 0);"
	"insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) values "
	"(1, 1, 2, 'train', 0, 0, 0, 0), (2, 1, 2, 'eval', 0, 0, 0, 0), "
	"(3, 1, 2, 'train', 1, 0, 0, 0)";

/* The rows go into a separate database, and the choices are compared both ways. */
static void tell(int number, const char *what, const struct made *made, size_t n,
	const struct chosen *chosen)
{
	struct process processes[PROCESSES] = { { .rank = 1, .id = 1 }, { .rank = 0, .id = 2 },
		{ .rank = -1, .id = 3 } };
	struct engine engine = { .tables.host_rows = { .table = &host_time_table } };
	struct db *db = &engine.tables.db;
	bool good;

	engine.tables.model.processes.at = processes;
	engine.tables.model.processes.n = PROCESSES;
	good = sqlite3_open(":memory:", &db->handle) == SQLITE_OK &&
		db_rows_open(db) == SQLITE_OK &&
		sqlite3_exec(db->handle, "pragma foreign_keys = off", NULL, NULL, NULL) ==
			SQLITE_OK &&
		sqlite3_exec(db->handle, db_schema, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_exec(db->handle, base_sql, NULL, NULL, NULL) == SQLITE_OK;
	if (!good)
		printf("# %s\n", sqlite3_errmsg(db->handle));
	for (size_t i = 0; i < n; i++)
		step_make(&engine, &made[i]);
	window_rows_flush(db, &engine.tables.host_rows);
	step_rows_flush(&engine.tables);
	good = good && step_rows_all(&engine.tables) && is_chosen(&engine, chosen);
	engine.tables.step_rows.partly = true;
	good = good && !step_rows_all(&engine.tables) && is_chosen(&engine, chosen);
	printf("%s %d - %s\n", good ? "ok" : "not ok", number, what);
	window_rows_free(&engine.tables.host_rows);
	step_rows_free(&engine.tables.step_rows);
	for (int i = 0; i < DB_STATEMENTS; i++)
		sqlite3_finalize(db->statements[i].statement);
	sqlite3_close(db->handle);
}

#define TELL(number, what, made, ...)                                                              \
	tell(number, what, made, sizeof(made) / sizeof(*made), &(struct chosen)__VA_ARGS__)

int main(void)
{
	/* of train 30 10 20 20, so 20, which steps 3 and 6 took */
	static const struct made common[] = { { 1, 1, 30, 30, false }, { 2, 1, 10, 10, false },
		{ 6, 3, 20, 20, false }, { 3, 1, 20, 20, false }, { 4, 2, 15, 15, false },
		{ 5, 2, 15, 15, false }, { 8, 3, 1, 1, true }, { 9, 3, 1, 1, true },
		{ 10, 3, 1, 1, true } };
	/* 2 of each, and one of no phase; eval came first */
	static const struct made tied[] = { { 1, 2, 40, 40, false }, { 2, 2, 50, 50, false },
		{ 3, 1, 10, 10, false }, { 4, 1, 20, 20, false }, { 5, 0, 30, 30, false } };
	static const struct made plain[] = { { 1, 0, 10, 10, false }, { 2, 0, 30, 30, false },
		{ 3, 0, 20, 20, false }, { 4, 1, 20, 20, false } };
	/* all is known of steps 3 and 4, and of step 7 nothing */
	static const struct made captured[] = { { 1, 1, 10, 9, false }, { 2, 1, 20, 19, false },
		{ 3, 1, 40, 40, false }, { 4, 1, 60, 60, false }, { 5, 2, 70, 1, false },
		{ 6, 2, 70, 1, false }, { 7, 2, 70, 0, false } };
	static const struct made truncated[] = { { 1, 1, 10, 10, true } };

	printf("1..5\n");
	TELL(1, "the median of the commonest phase, of equal ones the first; truncated ones do not count",
		common,
		{ 3, 2999, 3021, "train",
			"1 first, slowest; 3 typical; 6 slowest later; 10 last" });
	TELL(2, "of phases with as many steps that which came first", tied,
		{ 1, 999, 1041, "eval", "1 typical, first; 2 slowest" });
	TELL(3, "steps outside of all phases are of one, too", plain,
		{ 3, 2999, 3021, NULL, "1 first; 2 slowest; 3 typical" });
	TELL(4, "none where all were truncated", truncated, { -1, 0, 0, NULL, NULL });
	known.uncaptured = true;
	TELL(5, "where part of the run was not captured, of those of which all is known", captured,
		{ 3, 2999, 3041, "train", "3 typical, first; 4 slowest" });
	return 0;
}
