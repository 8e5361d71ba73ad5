/*
 * stragglers.c - slow ranks of recorded runs: a text holds what was measured of each step and what
 * the counters said, in us, and who must be named. Lines:
 *
 *     # comment
 *     expect RANK CAUSE | expect nobody     the rank that the others waited for longest, and why
 *     without RANK CAUSE | without nobody   the same where the kernel keeps no account of cores
 *     idle RANK CAUSE    the same where the last rank has a child that had a core when it needed one
 *     burning RANK CAUSE where it has one that did all that the rank was late, and for 0.4 of that had a core
 *     starved RANK CAUSE the same for 0.1
 *     node NAME T VALUE                     a counter of the node (all ranks are on one)
 *     core RANK T RAN WAITED                what the rank's first thread had of a core by then
 *     gpu RANK CALLS SHORTEST MEDIAN      the rank has a GPU, on which its steps pass, and so many kernels
 *     step N RANK START END WAITED EXCESS CAUSED OUTSIDE [WAIT [SLEPT [READERS]]]
 *         OUTSIDE: of MPI; WAIT: of it in state wait; of that asleep, and for readers
 *
 * usage: stragglers RUN...
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "metrics/straggler.h"

enum { RANKS_MAX = 16, SIZE_MAX_READ = 1 << 20 };

static char *file_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = calloc(1, SIZE_MAX_READ + 1);
	size_t n = file && text ? fread(text, 1, SIZE_MAX_READ, file) : 0;

	if (n == 0 || n == SIZE_MAX_READ) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
	fclose(file);
	return text;
}

static void step_put(struct db *db, const char *line)
{
	long long n, rank, start, end, waited, excess, caused, outside, wait = 0, slept = 0,
									readers = 0;

	if (sscanf(line, "step %lld %lld %lld %lld %lld %lld %lld %lld%*[ ]%lld%*[ ]%lld%*[ ]%lld",
		    &n, &rank, &start, &end, &waited, &excess, &caused, &outside, &wait, &slept,
		    &readers) < 8) {
		db->failed = true;
		return;
	}
	db_put(db,
		"insert into step (run_id, process_id, n, start_ns, end_ns, waited_ns, "
		"excess_ns, caused_ns, slept_ns, readers_ns) "
		"values (1, ? + 1, ?, 1000 * ?, 1000 * ?, 1000 * ?, 1000 * ?, 1000 * ?, "
		"1000 * ?, 1000 * ?)",
		"iiiiiiiii", (int64_t)rank, (int64_t)n, (int64_t)start, (int64_t)end,
		(int64_t)waited, (int64_t)excess, (int64_t)caused, (int64_t)slept,
		(int64_t)readers);
	db_put(db,
		"insert into host_time (run_id, process_id, window, state, ns) "
		"values (1, ? + 1, 'step:' || ?, 'useful', 1000 * ?)",
		"iii", (int64_t)rank, (int64_t)n, (int64_t)(outside - wait));
	if (wait)
		db_put(db,
			"insert into host_time (run_id, process_id, window, state, ns) "
			"values (1, ? + 1, 'step:' || ?, 'wait', 1000 * ?)",
			"iii", (int64_t)rank, (int64_t)n, (int64_t)wait);
	db_put(db,
		"insert into host_time (run_id, process_id, window, state, ns) "
		"values (1, ? + 1, 'step:' || ?, 'mpi', 1000 * ?)",
		"iii", (int64_t)rank, (int64_t)n, (int64_t)(end - start - outside));
}

/* The parts by which each is late, against the rank that step_excess_set() compares it with. */
static void late_set(struct db *db)
{
	db_put(db,
		"create temp table part as select *, row_number() over (partition by n order by own, p) - 1 "
		"as nth, count(*) over (partition by n) as many from (select process_id as p, s.n, end_ns - start_ns - waited_ns as own, "
		"h.useful, h.wait - slept_ns - readers_ns as wait, h.mpi - waited_ns as link, "
		"slept_ns as slept, readers_ns as readers from step s join (select process_id, "
		"cast(substr(\"window\", 6) as integer) as n, total(case state when 'useful' then ns end) "
		"as useful, total(case state when 'wait' then ns end) as wait, "
		"total(case state when 'mpi' then ns end) as mpi from host_time group by 1, 2) h "
		"using (process_id, n))",
		"");
	db_put(db, "create index temp.parts on part(n, nth)", "");
	db_put(db,
		"update step set (late_compute_ns, late_wait_ns, late_link_ns, late_sleep_ns, "
		"late_readers_ns) = (select m.useful - o.useful, m.wait - o.wait, m.link - o.link, "
		"m.slept - o.slept, m.readers - o.readers from part m join part o on o.n = m.n "
		"and o.nth = (m.many - 2) / 2 + ((m.many - 2) / 2 >= m.nth) "
		"where m.n = step.n and m.p = step.process_id)",
		"");
}

static void sample_put(struct db *db, const char *line, bool account)
{
	long long rank, t, ran, waited;
	char name[32];
	double value;

	if (sscanf(line, "core %lld %lld %lld %lld", &rank, &t, &ran, &waited) == 4) {
		if (account)
			db_put(db,
				"insert into sample (run_id, node_id, process_id, name, t_ns, value) "
				"values (1, 1, ? + 1, 'proc.core_waited', "
				"1000 * ?, 1000 * ?)",
				"iii", (int64_t)rank, (int64_t)t, (int64_t)waited);
	} else if (sscanf(line, "node %31s %lld %lf", name, &t, &value) == 3) {
		db_put(db,
			"insert into sample (run_id, node_id, process_id, name, t_ns, value) "
			"values (1, 1, null, ?, 1000 * ?, 1000 * ?)",
			"sid", name, (int64_t)t, value);
	} else {
		db->failed = true;
	}
}

static void gpu_put(struct db *db, const char *line)
{
	long long rank, calls, shortest, median;

	if (sscanf(line, "gpu %lld %lld %lld %lld", &rank, &calls, &shortest, &median) != 4) {
		db->failed = true;
		return;
	}
	db_put(db, "insert into device (id, run_id, node_id, name) values (? + 1, 1, 1, 'GPU')",
		"i", (int64_t)rank);
	db_put(db,
		"insert into process_device (process_id, device_id, ordinal) "
		"values (? + 1, ? + 1, 0)",
		"ii", (int64_t)rank, (int64_t)rank);
	db_put(db,
		"insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, "
		"min_ns, max_ns, median_ns, stddev_ns, bytes) "
		"values (1, ? + 1, 'add', 'elementwise', 0, ?, 0, 1000 * ?, "
		"0, 1000 * ?, null, null)",
		"iiii", (int64_t)rank, (int64_t)calls, (int64_t)shortest, (int64_t)median);
	db_put(db,
		"insert into device_time (run_id, device_id, window, state, ns) "
		"select 1, ? + 1, 'step:' || n, 'compute', "
		"end_ns - start_ns - waited_ns from step where process_id = ? + 1",
		"ii", (int64_t)rank, (int64_t)rank);
	db_put(db,
		"insert into device_time (run_id, device_id, window, state, ns) "
		"select 1, ? + 1, 'step:' || n, 'nccl_wait', waited_ns "
		"from step where process_id = ? + 1",
		"ii", (int64_t)rank, (int64_t)rank);
}

/* Ways to analyse the same run: the word before the expected result. */
enum way { EXPECT, WITHOUT, IDLE, BURNING, STARVED, WAYS };

static const char *const words[] = { "expect ", "without ", "idle ", "burning ", "starved " };

/* Whom the last rank may wait for: so much work, and for a part of it a core. */
static void child_put(struct db *db, int64_t rank, enum way way)
{
	double part = way == IDLE ? 1 : way == BURNING ? 0.4 : 0.1;

	db_put(db,
		"insert into process (id, run_id, node_id, parent_id, name, start_ns, end_ns, end) "
		"values (99, 1, 1, ? + 1, 'loader', 0, 0, 'finished')",
		"i", rank);
	db_put(db,
		"insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents) "
		"values (1, 1, 99, 0, 'main', 'cpu_thread', 1, 9)",
		"");
	db_put(db,
		"insert into location_time (run_id, location_id, state, ns) "
		"select 1, 1, 'useful', case when ? then 10000000 else "
		"sum(max(0, excess_ns)) end from step where process_id = ? + 1",
		"ii", (int64_t)(way == IDLE), rank);
	db_put(db,
		"insert into sample (run_id, node_id, process_id, name, t_ns, value) "
		"select 1, 1, 99, 'proc.cpu', 1000000000, ? * ns from location_time",
		"d", part);
}

/* A run on one node; returns how many ranks it has. */
static uint32_t run_load(struct db *db, const char *text, enum way way)
{
	long long rank;
	int64_t nranks = 0;

	db_put(db,
		"insert into run (id, label, path, command, start_ns, duration_ns, nranks, "
		"nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns) "
		"values (1, 'r', 'r', null, 0, 0, 0, 0, 0, 0, 0, '0', 0)",
		"");
	db_put(db,
		"insert into node (id, run_id, hostname, clock_residual_ns) "
		"values (1, 1, 'n1', null)",
		"");
	for (const char *line = text; line && *line;
		line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (sscanf(line, "step %*d %lld", &rank) == 1 && rank >= nranks && rank < RANKS_MAX)
			for (; nranks <= rank; nranks++)
				db_put(db,
					"insert into process (id, run_id, node_id, rank, name, "
					"start_ns, end_ns, end) "
					"values (? + 1, 1, 1, ?, 'rank', 0, 0, 'finished')",
					"ii", nranks, nranks);
		if (strncmp(line, "step", 4) == 0)
			step_put(db, line);
		else if (strncmp(line, "gpu", 3) == 0)
			gpu_put(db, line);
		else if (strncmp(line, "core", 4) == 0 || strncmp(line, "node", 4) == 0)
			sample_put(db, line, way != WITHOUT);
		else if (*line != '#' && *line != '\n' && strncmp(line, "expect", 6) != 0 &&
			strncmp(line, "without", 7) != 0 && strncmp(line, "idle", 4) != 0 &&
			strncmp(line, "burning", 7) != 0 && strncmp(line, "starved", 7) != 0)
			db->failed = true;
	}
	late_set(db);
	if (way >= IDLE)
		child_put(db, nranks - 1, way);
	return (uint32_t)nranks;
}

/* "RANK CAUSE" of the rank waited for longest, or "nobody". */
static void named(sqlite3 *handle, char *who, size_t size)
{
	sqlite3_stmt *select = NULL;

	snprintf(who, size, "nobody");
	if (sqlite3_prepare_v2(handle,
		    "select rank || ' ' || cause from straggler order by waited_ns desc limit 1",
		    -1, &select, NULL) != SQLITE_OK)
		snprintf(who, size, "%s", sqlite3_errmsg(handle));
	else if (sqlite3_step(select) == SQLITE_ROW)
		snprintf(who, size, "%s", (const char *)sqlite3_column_text(select, 0));
	sqlite3_finalize(select);
}

/* The rest of the line behind `word`, or NULL. */
static const char *line_find(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? at + strlen(word) : NULL;
}

static bool run_holds(const char *text, const char *wanted, enum way way)
{
	struct process processes[RANKS_MAX];
	struct call_table calls[RANKS_MAX] = { 0 };
	struct track main = { 0 }; /* of all: nothing was outside of the capture */
	struct engine engine = { .tracks = &main, .tables.calls = calls };
	char who[64];
	bool good;

	if (sqlite3_open(":memory:", &engine.tables.db.handle) != SQLITE_OK ||
		sqlite3_exec(engine.tables.db.handle, db_schema, NULL, NULL, NULL) != SQLITE_OK)
		engine.tables.failed = true;
	engine.tables.model.nranks = run_load(&engine.tables.db, text, way);
	for (uint32_t i = 0; i < RANKS_MAX; i++)
		processes[i] = (struct process){ .rank = i, .id = i + 1, .parent = MODEL_NONE };
	engine.tables.model.processes.at = processes;
	engine.tables.model.processes.n = engine.tables.model.nranks;
	engine.tables.model.nodes.at = &(struct node){ .hostname = "n1" };
	engine.tables.model.nodes.n = 1;
	engine.tables.model.devices.n = line_find(text, "\ngpu ") ? engine.tables.model.nranks : 0;
	stragglers_write(&engine);
	named(engine.tables.db.handle, who, sizeof(who));
	good = !engine.tables.failed && !engine.tables.db.failed &&
		strlen(who) == strcspn(wanted, "\n") && strncmp(who, wanted, strlen(who)) == 0;
	if (!good)
		printf("# expected %.*s, got %s%s\n", (int)strcspn(wanted, "\n"), wanted, who,
			engine.tables.failed || engine.tables.db.failed ? ", and a failure" : "");
	for (int i = 0; i < DB_STATEMENTS; i++)
		sqlite3_finalize(engine.tables.db.statements[i].statement);
	sqlite3_close(engine.tables.db.handle);
	return good;
}

/* A run's first line names its subject. */
static void told(bool good, int *n, const char *text, const char *how)
{
	printf("%s %d - %.*s%s\n", good ? "ok" : "not ok", ++*n, (int)strcspn(text, "\n") - 2,
		text + 2, how);
}

int main(int argc, char **argv)
{
	static const char *const told_ways[] = { "", ", without the kernel's account",
		", and has an idle child", ", and has a child that burns",
		", and has a child without a core" };
	int n = 0;

	for (int i = 1; i < argc; i++) {
		char *text = file_read(argv[i]);

		for (int way = 0; way < WAYS; way++) {
			char word[16];

			snprintf(word, sizeof(word), "\n%s", words[way]);
			if (line_find(text, word))
				told(run_holds(text, line_find(text, word), way), &n, text,
					told_ways[way]);
		}
		free(text);
	}
	printf("1..%d\n", n);
	return 0;
}
