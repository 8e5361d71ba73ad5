/*
 * step_sums.c - ranges of steps by their running sums against adding up their rows, on random runs
 * with steps that some rank lacks, that were not captured, or that had not ended.
 *
 * usage: step_sums [SEED]
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "metrics/straggler.h"

enum { RUNS = 40, RANGES = 20, RANKS_MAX = 5, STEPS = 40 };

static unsigned below(unsigned n)
{
	return (unsigned)rand() % n;
}

#define LATE_COLUMN(id, name) ", late_" name "_ns"
#define VALUE(id, name)	      ", ?"
#define LETTER(id, name)      "i"
#define RANDOM(id, name)      , (int64_t)below(2000) - 1000

static void step_put(struct db *db, int64_t rank, int64_t n, int64_t start, bool complete)
{
	if (complete || below(9))
		db_put(db,
			"insert into step (run_id, process_id, n, start_ns, end_ns, cut, excess_ns, "
			"waited_ns" STEP_PARTS(
				LATE_COLUMN) ") values (1, ? + 1, ?, ?, ?, ?, ?, ?" STEP_PARTS(VALUE) ")",
			complete || below(9) ? "iiiiiii" STEP_PARTS(LETTER)
					     : "iiiiiin" STEP_PARTS(LETTER),
			rank, n, start, start + (int64_t)below(1000), (int64_t)!below(5),
			(int64_t)below(2000) - 1000, (int64_t)below(500) STEP_PARTS(RANDOM));
}

static const char range_sql[] =
	"select count(*), coalesce(sum(end_ns - start_ns - waited_ns), 0), "
	"coalesce(sum(end_ns - start_ns), 0), coalesce(min(start_ns), 0), coalesce(max(end_ns), 0) "
	"from step where process_id = ?1 and n between ?2 and ?3 and waited_ns is not null and not cut";

struct row {
	double at[5];
};

static struct row ask(struct db *db, const char *sql, int64_t process, int64_t first, int64_t last)
{
	struct row row = { { 0 } };
	sqlite3_stmt *select = NULL;

	if (sqlite3_prepare_v2(db->handle, sql, -1, &select, NULL) != SQLITE_OK ||
		sqlite3_bind_int64(select, 1, process + 1) != SQLITE_OK ||
		sqlite3_bind_int64(select, 2, first) != SQLITE_OK ||
		sqlite3_bind_int64(select, 3, last) != SQLITE_OK ||
		sqlite3_step(select) != SQLITE_ROW) {
		printf("# %s\n", sqlite3_errmsg(db->handle));
		db->failed = true;
	} else {
		for (int i = 0; i < 5; i++)
			row.at[i] = sqlite3_column_double(select, i);
	}
	sqlite3_finalize(select);
	return row;
}

static bool is_equal(const char *what, int64_t process, int64_t first, int64_t last, double got,
	double wanted)
{
	if (fabs(got - wanted) <= 1e-9 * fabs(wanted))
		return true;
	printf("# %s of process %ld in steps %ld to %ld: %.17g, by its rows %.17g\n", what,
		(long)process, (long)first, (long)last, got, wanted);
	return false;
}

static bool range_holds(struct engine *engine, const struct late_steps *steps, int64_t first,
	int64_t last)
{
	bool good = true;

	for (size_t p = 0; p < engine->tables.model.processes.n; p++) {
		struct row whole = ask(&engine->tables.db, range_sql, p, first, last);
		struct step_range range = step_range_of(steps, p, first, last);

		good &= is_equal("steps", p, first, last, (double)range.n, whole.at[0]) &&
			is_equal("own time", p, first, last, range.own, whole.at[1]) &&
			is_equal("time", p, first, last, range.length, whole.at[2]) &&
			is_equal("begin", p, first, last, (double)range.start, whole.at[3]) &&
			is_equal("end", p, first, last, (double)range.end, whole.at[4]);
	}
	return good;
}

static bool run_holds(bool complete)
{
	struct process processes[RANKS_MAX];
	struct engine engine = {};
	struct late_steps steps = { 0 };
	bool good;

	for (int i = 0; i < RANKS_MAX; i++)
		processes[i] = (struct process){ .rank = i, .id = i + 1 };
	engine.tables.model.processes.at = processes;
	engine.tables.model.processes.n = engine.tables.model.nranks = 1 + below(RANKS_MAX);
	if (sqlite3_open(":memory:", &engine.tables.db.handle) != SQLITE_OK ||
		sqlite3_exec(engine.tables.db.handle, db_schema, NULL, NULL, NULL) != SQLITE_OK)
		return false;
	for (int64_t rank = 0; rank < engine.tables.model.nranks; rank++)
		for (int64_t n = 0; n < STEPS; n++)
			step_put(&engine.tables.db, rank, n, 2000 * n, complete);
	good = crowds_read(&engine, &steps) && late_steps_read(&engine, &steps);
	for (int i = 0; good && i < RANGES; i++) {
		int64_t first = below(STEPS), last = first + below(STEPS - (unsigned)first);

		good &= range_holds(&engine, &steps, first, last);
	}
	good = good && !engine.tables.failed && !engine.tables.db.failed;
	late_steps_free(&steps);
	for (int i = 0; i < DB_STATEMENTS; i++)
		sqlite3_finalize(engine.tables.db.statements[i].statement);
	sqlite3_close(engine.tables.db.handle);
	return good;
}

int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	bool good[2] = { true, true };
	static const char *const what[] = { "steps that some rank lacks", "all steps" };

	for (unsigned run = 0; run < RUNS; run++) {
		srand(seed * RUNS + run);
		good[run % 2] &= run_holds(run % 2);
	}
	for (int i = 0; i < 2; i++)
		printf("%s %d - sums of ranges are those of their rows: %s\n",
			good[i] ? "ok" : "not ok", i + 1, what[i]);
	printf("1..2\n");
	return 0;
}
