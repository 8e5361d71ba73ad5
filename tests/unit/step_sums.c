/*
 * step_sums.c - ranges of steps from sums against adding up their rows, on random runs: steps that
 * some rank lacks or that were not captured, devices of several processes, and numbers so far
 * apart that steps share blocks. Steps of hosts that are in memory give the same sums.
 *
 * usage: step_sums [SEED]
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "steps_load.h"
#include "metrics/straggler.h"

enum { RUNS = 40, RANGES = 20, RANKS_MAX = 5, STEPS = 40 };

static unsigned below(unsigned n)
{
	return (unsigned)rand() % n;
}

static void times_put(struct db *db, const char *sql, const char *const *states, size_t n,
	int64_t of, int64_t step)
{
	for (size_t i = 0; i < n; i++)
		if (below(3))
			db_put(db, sql, "iisi", of, step, states[i], (int64_t)below(100000));
}

#define LATE_COLUMN(id, name) ", late_" name "_ns"
#define VALUE(id, name)	      ", ?"
#define LETTER(id, name)      "i"
#define RANDOM(id, name)      , (int64_t)below(2000) - 1000

static void step_put(struct db *db, int64_t rank, int64_t n, int64_t start, bool device,
	bool complete)
{
	static const char *const host[] = { "useful", "io", "mpi", "cuda", "wait", "omp_idle",
		"absent" };
	static const char *const devices[] = { "compute", "nccl_wait", "nccl_transfer", "memcpy",
		"idle:mpi_wait", "idle:io_wait", "idle:checkpoint", "idle:host_compute", "absent" };

	if (complete || below(9))
		db_put(db,
			"insert into step (run_id, process_id, n, start_ns, end_ns, cut, "
			"waited_ns" STEP_PARTS(
				LATE_COLUMN) ") values (1, ? + 1, ?, ?, ?, ?, ?" STEP_PARTS(VALUE) ")",
			complete || below(9) ? "iiiiii" STEP_PARTS(LETTER)
					     : "iiiiin" STEP_PARTS(LETTER),
			rank, n, start, start + (int64_t)below(1000), (int64_t)!below(5),
			(int64_t)below(500) STEP_PARTS(RANDOM));
	times_put(db, "insert into host_time values (1, ? + 1, 'step:' || ?, ?, ?)", host,
		sizeof(host) / sizeof(*host), rank, n);
	if (device)
		times_put(db, "insert into device_time values (1, ? + 1, 'step:' || ?, ?, ?)",
			devices, sizeof(devices) / sizeof(*devices), rank, n);
}

/* Ranks with one device each, if any; the last one has that of the first, too. */
static void run_make(struct db *db, int64_t nranks, bool device, int64_t apart, bool complete)
{
	db_put(db,
		"create temp table device_use(process_id integer, device_id integer, many integer)",
		"");
	for (int64_t rank = 0; rank < nranks; rank++) {
		bool shared = nranks > 1 && rank + 1 == nranks;

		if (device)
			db_put(db, "insert into temp.device_use values (? + 1, ? + 1, ?)", "iii",
				rank, rank, shared ? INT64_C(2) : INT64_C(1));
		if (device && shared)
			db_put(db, "insert into temp.device_use values (? + 1, 1, 2)", "i", rank);
		for (int64_t n = 0; n < STEPS; n++)
			/* ranges are of steps that there are */
			step_put(db, rank, n * apart, 2000 * n, device,
				complete || n == 0 || n == STEPS - 1);
	}
}

#define SUM(id, name) ", coalesce(sum(late_" name "_ns), 0)"

/* Parts of a process by its rows: number of steps, then the sums. */
static const char late_sql[] = "select count(*)" STEP_PARTS(
	SUM) " from step where process_id = ?1 and n between ?2 and ?3 and waited_ns is not null";

static const char range_sql[] =
	"select count(*), coalesce(sum(end_ns - start_ns - waited_ns), 0), "
	"coalesce(sum(end_ns - start_ns), 0), coalesce(min(start_ns), 0), coalesce(max(end_ns), 0) "
	"from step where process_id = ?1 and n between ?2 and ?3 and waited_ns is not null and not cut";

struct row {
	double at[1 + PART_COUNT];
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
		for (int i = 0; i <= PART_COUNT; i++)
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

static bool range_holds(struct engine *engine, const struct step_sums *sums, int64_t first,
	int64_t last)
{
	bool good = true;

	for (size_t p = 0; p < engine->tables.model.processes.n; p++) {
		struct row row = ask(&engine->tables.db, late_sql, p, first, last);
		struct row whole = ask(&engine->tables.db, range_sql, p, first, last);
		struct step_range range = step_sums_range(sums, p, first, last);
		int64_t late[PART_COUNT];

		step_sums_late(sums, p, first, last, late);
		for (int part = 0; part < PART_COUNT; part++)
			good &= is_equal("part", p, first, last, (double)late[part],
				row.at[1 + part]);
		good &= is_equal("steps", p, first, last, range.n, whole.at[0]) &&
			is_equal("own time", p, first, last, range.own, whole.at[1]) &&
			is_equal("time", p, first, last, range.length, whole.at[2]) &&
			is_equal("begin", p, first, last, range.start, whole.at[3]) &&
			is_equal("end", p, first, last, range.end, whole.at[4]);
	}
	return good;
}

/* In every range, exactly. */
static bool sums_equal(const struct step_sums *a, const struct step_sums *b, size_t nprocesses,
	int64_t apart)
{
	bool good = a->shift == b->shift && a->first == b->first && a->nblocks == b->nblocks;

	for (int i = 0; good && i < RANGES; i++) {
		int64_t first = apart * below(STEPS), last = first + apart * below(STEPS);
		for (size_t p = 0; p < nprocesses; p++) {
			struct step_range x = step_sums_range(a, p, first, last);
			struct step_range y = step_sums_range(b, p, first, last);
			int64_t of_a[PART_COUNT], of_b[PART_COUNT];

			step_sums_late(a, p, first, last, of_a);
			step_sums_late(b, p, first, last, of_b);
			good &= memcmp(of_a, of_b, sizeof(of_a)) == 0 &&
				memcmp(&x, &y, sizeof(x)) == 0;
		}
	}
	return good;
}

/* Steps of hosts, from memory: once more, and as the rows gave them. */
static bool memory_holds(struct engine *engine, const struct step_sums *read, int64_t apart)
{
	struct step_sums sums = { 0 };
	bool good = steps_load(engine) && step_rows_whole(&engine->tables) &&
		step_sums_read(engine, &sums) == 0 &&
		sums_equal(read, &sums, engine->tables.model.processes.n, apart);

	step_sums_free(&sums);
	step_rows_free(&engine->tables.step_rows);
	return good;
}

/* Steps `apart` from each other; ranges end between them where blocks hold several numbers. */
static bool run_holds(bool device, int64_t apart, bool complete)
{
	struct process processes[RANKS_MAX];
	struct engine engine = {};
	struct step_sums sums = { 0 };
	bool good = true;

	for (int i = 0; i < RANKS_MAX; i++)
		processes[i] = (struct process){ .rank = i, .id = i + 1 };
	engine.tables.model.processes.at = processes;
	engine.tables.model.processes.n = engine.tables.model.nranks = 1 + below(RANKS_MAX);
	engine.tables.model.devices.n = device ? engine.tables.model.nranks : 0;
	if (sqlite3_open(":memory:", &engine.tables.db.handle) != SQLITE_OK ||
		sqlite3_exec(engine.tables.db.handle, db_schema, NULL, NULL, NULL) != SQLITE_OK)
		return false;
	run_make(&engine.tables.db, engine.tables.model.nranks, device, apart, complete);
	good = step_sums_read(&engine, &sums) == 0 && (sums.shift > 0) == (apart > 1);
	for (int i = 0; good && i < RANGES; i++) {
		int64_t first = below(STEPS), last = first + below(STEPS - (unsigned)first);

		good &= range_holds(&engine, &sums, first * apart - apart / 3,
			last * apart + apart / 3);
	}
	good = good && (device || memory_holds(&engine, &sums, apart)) && !engine.tables.failed &&
		!engine.tables.db.failed;
	step_sums_free(&sums);
	for (int i = 0; i < DB_STATEMENTS; i++)
		sqlite3_finalize(engine.tables.db.statements[i].statement);
	sqlite3_close(engine.tables.db.handle);
	return good;
}

int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	bool good[4] = { true, true, true, true };
	static const char *const what[] = { "hosts", "devices", "hosts, steps in blocks",
		"devices, steps in blocks" };

	for (unsigned run = 0; run < RUNS; run++) {
		srand(seed * RUNS + run);
		good[run % 4] &= run_holds(run % 2, run % 4 < 2 ? 1 : 1 << 22, run % 3 == 0);
	}
	for (int i = 0; i < 4; i++)
		printf("%s %d - sums of steps are those of their rows: %s\n",
			good[i] ? "ok" : "not ok", i + 1, what[i]);
	printf("1..4\n");
	return 0;
}
