/*
 * finding_work.c - what is asked of a database grows with its ranks, not with their square: each statement of the
 * advisor, and that of stragglers' helpers, on generated databases of N and of 4 N ranks with children, files,
 * GPUs and lines of Python. Counted is the work of SQLite's virtual machine, which is the same on any machine.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/finding.h"
#include "db/db.h"
#include "metrics/straggler.h"

/*
 * Sorting and searching add a logarithm to what is linear; a square has 16. `little`: steps, below which a
 * statement may do what it likes.
 */
enum { RANKS = 512, TIMES = 4, MOST = 7, STATEMENTS = 512 };
static const long long little = 200000;

static const char generate_sql[] =
	"create temp table n as with recursive c(n) as (values (0) union all select n + 1 from c "
	"where n < (select value from temp.ranks) - 1) select n from c;"
	"insert into run select 1, 'r', 'r', null, 0, 100000000000, value, value, 1000, 0, 0, '0', 0 "
	"from temp.ranks;"
	"insert into node select n + 1, 1, 'n' || n, null from n where n % 8 = 0;"
	"insert into environment select 1, 'node:n' || n, 'cores', '8' from n where n % 8 = 0;"
	"insert into process (id, run_id, node_id, rank, pid, name, end, start_ns, end_ns) select n + 1, 1, "
	"n - n % 8 + 1, n, n + 1, 'rank ' || n, 'finished', 0, 100000000000 from n;"
	"insert into process (id, run_id, node_id, parent_id, pid, name, end, start_ns, end_ns) "
	"select id + 1000000, 1, node_id, id, id + 1000000, 'rank ' || rank || ' child', 'finished', 0, "
	"100000000000 from process;"
	"insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, bytes_read) "
	"select id, 1, id, id, 'main', 'cpu_thread', 1, 500, 1000 from process;"
	"insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents) "
	"select id + 2000000, 1, id, id + 2000000, 'CUDA[0:1]', 'accelerator_stream', 0, 500 from process "
	"where rank is not null;"
	"insert into location_time select 1, l.id, s.column1, s.column2 + l.id % 97 * 1000000 from location l, "
	"(values ('useful', 50000000000), ('io', 20000000000)) s;"
	"insert into phase select id, 1, id, 'train', 0, 0, 100000000000, 0 from process where rank is not null;"
	"insert into step (run_id, process_id, n, phase_id, start_ns, end_ns) select 1, p.id, s.column1, p.id, "
	"s.column1 * 25000000000, (s.column1 + 1) * 25000000000 from process p, (values (0), (1), (2), (3)) s "
	"where p.rank is not null;"
	"insert into host_time select 1, p.id, w.column1, s.column1, (s.column2 + p.id % 13) * w.column2 "
	"from process p, (values ('useful', 60), ('mpi', 10), ('io', 17)) s, (values ('run', 1000000000), "
	"('phase:train', 1000000000), ('step:0', 250000000), ('step:1', 250000000), ('step:2', 250000000), "
	"('step:3', 250000000)) w where p.rank is not null;"
	"insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, bytes_sent, "
	"bytes_received) select 1, id, 'read', 'io', 1000 + id % 7, 17000000000 + id % 11, 1, 100000000, 0, 1000000 "
	"from process;"
	"insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, "
	"read_ns, write_ns, meta_ns) select 1, id, '/data/' || s.column1, 'dataset', 10, 1000, 0, 1000000, 0, "
	"8000000000, 7000000000, 0, 1000000000 from process, (values ('a'), ('b')) s;"
	"insert into sample select 1, node_id, id, 'proc.cpu', s.column1, s.column1 from process, "
	"(values (0), (50000000000), (100000000000)) s;"
	"insert into device (id, run_id, node_id, uuid, name, kind) select id, 1, node_id, id, 'GPU', 'gpu' from process "
	"where rank is not null;"
	"insert into process_device select id, id, 0 from process where rank is not null;"
	"insert into device_time select 1, p.id, w.column1, s.column1, s.column2 * w.column2 from process p, "
	"(values ('compute', 60), ('idle:host_compute', 40)) s, (values ('run', 1000000000), "
	"('phase:train', 1000000000), ('step:0', 250000000), ('step:1', 250000000), ('step:2', 250000000), "
	"('step:3', 250000000)) w where p.rank is not null;"
	"insert into kernel (run_id, device_id, name, class, calls, total_ns, min_ns, max_ns, median_ns) "
	"select 1, id, 'k' || s.column1, 'gemm', 1000, 30000000000, 1000000, 90000000, 30000000 + id % 101 "
	"from device, (values (0), (1)) s;"
	"insert into python_frame (id, run_id, function, file, line) values (1, 1, 'collate', 'data.py', 4), "
	"(2, 1, 'train', 'train.py', 9);"
	"insert into python_sample (run_id, process_id, location_id, frame_id, state, samples, ns) "
	"select 1, p.id, p.id, f.id, s.column1, 100, 1000000000 + p.id % 89 from process p, python_frame f, "
	"(values ('loading'), ('computing')) s;"
	"insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank, 1e9 + id % 83, 'ns', null from process, "
	"(values ('slept'), ('waited_semaphores'), ('core_ran'), ('core_waited')) s where rank is not null;";

/* Steps of each statement, by its text. */
struct work {
	char *sql;
	long long steps[2];
};
static struct work works[STATEMENTS];
static size_t nworks;
static int size; /* 0: the smaller database */

static int count(unsigned what, void *user, void *statement, void *ns)
{
	sqlite3_stmt *stmt = statement;
	const char *sql = sqlite3_sql(stmt);
	long long steps = sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_VM_STEP, 1);
	size_t i = 0;

	(void)what, (void)user, (void)ns;
	while (sql && i < nworks && strcmp(works[i].sql, sql) != 0)
		i++;
	if (!sql || i == STATEMENTS)
		return 0;
	if (i == nworks)
		works[nworks++] = (struct work){ .sql = strdup(sql) };
	works[i].steps[size] += steps;
	return 0;
}

static bool execute(sqlite3 *db, const char *sql)
{
	char *message = NULL;
	bool fine = sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK;

	if (!fine)
		printf("# %s\n", message);
	sqlite3_free(message);
	return fine;
}

static bool measure(int ranks)
{
	char sql[96];
	sqlite3 *db = NULL;
	bool fine;

	snprintf(sql, sizeof(sql), "create temp table ranks as select %d as value", ranks);
	fine = sqlite3_open(":memory:", &db) == SQLITE_OK && execute(db, db_schema) &&
		execute(db, sql) && execute(db, generate_sql) &&
		execute(db,
			"create temp table io_call as select process_id, total_ns as ns from call");
	if (fine)
		sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, count, NULL);
	fine = fine && execute(db, straggler_helpers_sql) &&
		findings_write(db, 1, &(struct finding_rows){ 0 }) == 0;
	sqlite3_close(db);
	return fine;
}

int main(void)
{
	bool fine, linear = true;
	long long total = 0;

	puts("1..2");
	fine = measure(RANKS);
	size = 1;
	fine = fine && measure(RANKS * TIMES);
	for (size_t i = 0; i < nworks; i++) {
		const struct work *work = &works[i];

		total += work->steps[1];
		if (work->steps[1] < little || work->steps[1] <= MOST * work->steps[0])
			continue;
		linear = false;
		printf("# %lld steps for %d ranks, %lld for %d: %.300s\n", work->steps[0], RANKS,
			work->steps[1], RANKS * TIMES, work->sql);
	}
	printf("# %zu statements, %lld steps for %d ranks\n", nworks, total, RANKS * TIMES);
	printf("%sok 1 - the advisor asks generated databases\n",
		fine && nworks > 50 ? "" : "not ");
	printf("%sok 2 - no statement's work grows as the square of the ranks\n",
		linear ? "" : "not ");
	for (size_t i = 0; i < nworks; i++)
		free(works[i].sql);
	return 0;
}
