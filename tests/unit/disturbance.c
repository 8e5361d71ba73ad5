/*
 * disturbance.c - time that other programs took from a run and its phases (metric_disturbance.c),
 * and from the steps of its ranks (noise.c), from samples with sums worked out by hand.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "metrics/metric.h"
#include "metrics/straggler.h"

/*
 * Two ranks on a node for 100 s. Phase a of rank 0 lasts from 10 to 20 s and from 60 to 65 s, that of
 * rank 1 from 15 to 25 s; b of rank 0 from 95 to 100 s, after the last sample. Rank 0 waits for a
 * core for 0.5 of each second up to 50 s, then for 0.2 up to 90 s, rank 1 never. Of the node's CPUs
 * 2 run all the time; a third one was stolen from 50 s on. A GPU is at half of its clock in a.
 */
static const char run_sql[] =
	"insert into run (id, label, path, command, start_ns, duration_ns, nranks, "
	"nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns) "
	"values (1, 'r', 'r', null, 0, 100000000000, 2, 2, 1, 0, 0, '0', 0);"
	"insert into node (id, run_id, hostname, clock_residual_ns) "
	"values (1, 1, 'n1', null);"
	"insert into process (id, run_id, node_id, rank, name, start_ns, end_ns) values "
	"(1, 1, 1, 0, 'rank 0', 0, 100e9), (2, 1, 1, 1, 'rank 1', 0, 100e9);"
	"insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) "
	"values (1, 1, 1, 'a', 0, 10e9, 20e9, 0), (2, 1, 2, 'a', 0, 15e9, 25e9, 0), "
	"(3, 1, 1, 'a', 1, 60e9, 65e9, 0), (4, 1, 1, 'b', 0, 95e9, 100e9, 0);"
	"insert into sample (run_id, node_id, process_id, name, t_ns, value) "
	"values (1, 1, 1, 'proc.core_waited', 0, 7e9), "
	"(1, 1, 1, 'proc.core_waited', 50e9, 32e9), (1, 1, 1, 'proc.core_waited', 90e9, 40e9), "
	"(1, 1, 2, 'proc.core_waited', 0, 5e9), (1, 1, 2, 'proc.core_waited', 90e9, 5e9);"
	"insert into sample (run_id, node_id, process_id, name, t_ns, value) "
	"select 1, 1, null, c.column1, t.column1, t.column1 * c.column2 from "
	"(values ('cpu.user', 1), ('cpu.system', 1)) c, (values (0), (50e9), (100e9)) t;"
	"insert into sample (run_id, node_id, process_id, name, t_ns, value) "
	"select 1, 1, null, 'cpu.steal', column1, max(0, column1 - 50e9) from "
	"(values (0), (50e9), (100e9)) group by column1;"
	"insert into sample (run_id, node_id, process_id, name, t_ns, value) "
	"select 1, 1, null, 'gpu.0.sm_clock', column1, case when column1 = 30e9 "
	"then 2000 else 1000 end from (values (12e9), (18e9), (30e9), (62e9));"
	"insert into sample (run_id, node_id, process_id, name, t_ns, value) "
	"values (1, 1, null, 'gpu.0.sm_clock_max', 0, 2000);";

/*
 * The same ten steps of 10 s each. Rank 1 waits 2 s in each of them for rank 0, which computes 10 s
 * where rank 1 has 8.
 */
static const char steps_sql[] =
	"create temp table n as with recursive c(n) as (values (0) union all select n + 1 from c "
	"where n < 9) select n from c;"
	"insert into step (run_id, process_id, n, start_ns, end_ns, waited_ns, excess_ns, caused_ns, "
	"slept_ns, readers_ns, late_compute_ns) select 1, p.id, n, n * 10e9, (n + 1) * 10e9, "
	"2e9 * rank, 2e9 - 4e9 * rank, 2e9 - 2e9 * rank, 0, 0, 2e9 - 4e9 * rank from n, process p;"
	"insert into host_time (run_id, process_id, window, state, ns) "
	"select 1, id, 'step:' || n, 'useful', 10e9 - 2e9 * rank "
	"from n, process;"
	"insert into host_time (run_id, process_id, window, state, ns) "
	"select 1, id, 'step:' || n, 'mpi', 2e9 from n, process where rank = 1;";

static double value(sqlite3 *handle, const char *window, const char *name, const char *subject)
{
	sqlite3_stmt *select = NULL;
	double found = NAN;

	if (sqlite3_prepare_v2(handle,
		    "select value from metric where run_id = 1 and \"window\" = ? and model = "
		    "'counters' and name = ? and subject = ?",
		    -1, &select, NULL) != SQLITE_OK)
		return NAN;
	sqlite3_bind_text(select, 1, window, -1, SQLITE_STATIC);
	sqlite3_bind_text(select, 2, name, -1, SQLITE_STATIC);
	sqlite3_bind_text(select, 3, subject, -1, SQLITE_STATIC);
	if (sqlite3_step(select) == SQLITE_ROW)
		found = sqlite3_column_double(select, 0);
	sqlite3_finalize(select);
	return found;
}

static int failed, ntold;

static void tell(const char *name, const char *subject, const char *window, double expected,
	double found)
{
	bool good = isnan(expected) ? isnan(found)
				    : fabs(found - expected) <= 1e-9 * fmax(1, expected);

	failed += !good;
	printf("%s %d - %s of %s in %s is %g\n", good ? "ok" : "not ok", ++ntold, name, subject,
		window, expected);
	if (!good)
		printf("# found %.17g\n", found);
}

static void expect(sqlite3 *handle, const char *window, const char *name, const char *subject,
	double expected)
{
	tell(name, subject, window, expected, value(handle, window, name, subject));
}

/* The part of a rank's own time of a step. */
static void expect_noise(sqlite3 *handle, const char *column, int rank, double expected)
{
	char *sql = sqlite3_mprintf("select %s from noise where rank = %d and quantity = 'own'",
		column, rank);
	sqlite3_stmt *select = NULL;
	double found = NAN;

	if (sqlite3_prepare_v2(handle, sql, -1, &select, NULL) == SQLITE_OK &&
		sqlite3_step(select) == SQLITE_ROW && sqlite3_column_type(select, 0) != SQLITE_NULL)
		found = sqlite3_column_double(select, 0);
	sqlite3_finalize(select);
	sqlite3_free(sql);
	tell(column, "a rank", "its steps", expected, found);
}

/*
 * Rank 0 waited for a core for 33 of the 100 s, 3.3 s a step, known to within twice the 25 s between
 * two readings; of its node's CPU time 20 % was stolen, and the GPU ran at 62.5 % of its clock.
 */
static void noise_test(struct engine *engine)
{
	struct process processes[] = { { .rank = 0, .id = 1, .parent = MODEL_NONE },
		{ .rank = 1, .id = 2, .parent = MODEL_NONE } };
	struct call_table calls[2] = { 0 };
	struct track main = { 0 };
	sqlite3 *handle = engine->tables.db.handle;

	engine->tracks = &main;
	engine->tables.calls = calls;
	engine->tables.model.nranks = 2;
	engine->tables.model.processes.at = processes;
	engine->tables.model.processes.n = 2;
	engine->tables.model.nodes.at = &(struct node){ .hostname = "n1" };
	engine->tables.model.nodes.n = 1;
	if (sqlite3_exec(handle, steps_sql, NULL, NULL, NULL) != SQLITE_OK)
		printf("# %s\n", sqlite3_errmsg(handle));
	stragglers_write(engine);
	expect_noise(handle, "ns", 0, 10e9);
	expect_noise(handle, "contention_ns", 0, 3.3e9);
	expect_noise(handle, "error_ns", 0, 5e9);
	expect_noise(handle, "steal_ns", 0, 2e9);
	expect_noise(handle, "frequency_ns", 0, NAN); /* no cycles were counted */
	expect_noise(handle, "free_ns", 0, 4.7e9);
	expect_noise(handle, "steal_ns", 1, 1.6e9);
	expect_noise(handle, "free_ns", 1, 6.4e9);
}

int main(void)
{
	struct engine engine = { 0 };
	struct db *db = &engine.tables.db;

	printf("1..17\n");
	if (sqlite3_open(":memory:", &db->handle) != SQLITE_OK ||
		sqlite3_exec(db->handle, db_schema, NULL, NULL, NULL) != SQLITE_OK ||
		sqlite3_exec(db->handle, run_sql, NULL, NULL, NULL) != SQLITE_OK) {
		printf("Bail out! %s\n", sqlite3_errmsg(db->handle));
		return 1;
	}
	metric_disturbance_write(&engine);
	expect(db->handle, "phase:a", "core_waited", "rank:0", 6e9); /* 10 × 0.5 + 5 × 0.2 */
	expect(db->handle, "phase:a", "core_waited", "rank:1", 0);
	expect(db->handle, "phase:b", "core_waited", "rank:0", 0);
	expect(db->handle, "phase:b", "core_waited", "rank:1", NAN);
	expect(db->handle, "run", "stolen", "node:n1", 50.0 / 250);
	expect(db->handle, "phase:a", "stolen", "node:n1", 5.0 / 35); /* of rank 0's 15 s */
	expect(db->handle, "phase:b", "stolen", "node:n1", 1.0 / 3);
	expect(db->handle, "phase:a", "gpu_clock", "node:n1", 0.5);
	expect(db->handle, "run", "gpu_clock", "node:n1", 0.625);
	noise_test(&engine);
	for (int i = 0; i < DB_STATEMENTS; i++) {
		sqlite3_finalize(db->statements[i].statement);
		free(db->statements[i].made);
	}
	sqlite3_close(db->handle);
	return failed > 0;
}
