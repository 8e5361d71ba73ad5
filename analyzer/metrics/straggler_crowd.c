/*
 * straggler_crowd.c - ranks without their own core; see straggler.h. Where more wants to run
 * than there are cores a rank's time in MPI is time without a core, whoever it moves data with, and
 * elsewhere other programs take cores from one rank or another for a while.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "base/log.h"
#include "base/median.h"
#include "metrics/metric.h"
#include "metrics/noise.h"
#include "metrics/straggler.h"

/*
 * Share of their time that the ranks of a node had no core. NULL where the kernel keeps no such
 * account. The counter begins with the thread: where the first sample came late (the process was
 * stopped before it) what it says is of the time until then.
 */
#define LATE_SAMPLE "min(s.t_ns) - p.start_ns > 0.1 * (max(s.t_ns) - p.start_ns)"

static const char share_sql[] =
	"select sum(grown) / sum(span) from "
	"(select max(s.value) - case when " LATE_SAMPLE " then 0 else min(s.value) end as grown, "
	"max(s.t_ns) - case when " LATE_SAMPLE " then p.start_ns else min(s.t_ns) end as span "
	"from process p cross join sample s on s.run_id = 1 and s.node_id = p.node_id "
	"and s.process_id = p.id and s.name = 'proc.core_waited' "
	"where p.node_id = ?1 and p.rank is not null group by p.id)";

/*
 * Without it: something waited for a core for a quarter of the time, and cores were idle for less
 * than a tenth; either alone is usual, on nodes with many programs and where ranks poll.
 */
static const char crowded_sql[] =
	"select sum(case when name = 'pressure.cpu' then grown end) "
	">= 0.25 * sum(case when name = 'pressure.cpu' then span end) "
	"and sum(case when name in ('cpu.idle', 'cpu.iowait') then grown end) "
	"<= 0.1 * sum(case when name glob 'cpu.*' then grown end) from "
	"(select name, max(value) - min(value) as grown, max(t_ns) - min(t_ns) as span from sample "
	"where run_id = 1 and node_id = ?1 and process_id is null "
	"and (name = 'pressure.cpu' or name glob 'cpu.*') group by name)";

/* Own time of a rank on a crowded node: that outside of MPI, without waiting in collective I/O. */
static const char own_sql[] =
	"select h.n, s.process_id, h.own - coalesce(s.waited_io_ns, 0), 0 "
	"from (select process_id, cast(substr(window, 6) as integer) as n, "
	"sum(case when state in ('mpi', 'gloo', 'absent') then 0 else ns end) as own from host_time "
	"where run_id = 1 and window >= 'step:' and window < 'step;' group by window, process_id) h "
	"cross join step s on s.run_id = 1 and s.process_id = h.process_id and s.n = h.n "
	"where not s.cut and s.excess_ns is not null order by 1, 3, 2";

static const char table_sql[] =
	"create temp table crowd_step(process_id integer, n integer, own integer, excess integer, "
	"primary key (process_id, n)) without rowid";

/* What each has above the lower median of the others, as step_excess_set() has it of all own time. */
static void step_write(struct engine *engine, int64_t n, const struct own *ranks, size_t nranks)
{
	for (size_t i = 0; i < nranks && nranks > 1; i++)
		db_put(&engine->tables.db, "insert into temp.crowd_step values (?, ?, ?, ?)",
			"iiii", ranks[i].process, n, ranks[i].own,
			ranks[i].own - own_other(ranks, nranks, i)->own);
}

int64_t own_outside(const struct step_row *row)
{
	return row->outside - row->waited_io;
}

static int compare_own(const void *a, const void *b)
{
	const struct own *x = a, *y = b;

	return (x->own > y->own) - (x->own < y->own);
}

/* The ranks' rows of one step, in memory. */
static void rows_measure(const struct engine *engine, const struct crowd *crowd,
	struct step_row *rows, size_t n, struct own *ranks)
{
	size_t nranks = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].compared && rows[i].timed && !rows[i].cut)
			ranks[nranks++] = (struct own){ .process = (int64_t)i,
				.own = own_outside(&rows[i]) };
	qsort(ranks, nranks, sizeof(*ranks), compare_own);
	for (size_t i = 0; i < nranks && nranks > 1; i++) {
		struct step_row *row = &rows[ranks[i].process];

		row->crowded = crowd_has(crowd, engine, row->process);
		if (row->crowded)
			row->excess = ranks[i].own - own_other(ranks, nranks, i)->own;
	}
}

static int crowd_rows(const struct engine *engine, const struct crowd *crowd,
	struct step_rows *steps)
{
	struct own *ranks = calloc(engine->tables.model.processes.n + 1, sizeof(*ranks));
	struct step_row *rows = steps->rows.at;

	if (!ranks) {
		log_error("out of memory for the steps of oversubscribed nodes");
		return -1;
	}
	for (size_t first = 0, end = 0; first < steps->rows.n; first = end) {
		while (end < steps->rows.n && rows[end].n == rows[first].n)
			end++;
		rows_measure(engine, crowd, rows + first, end - first, ranks);
	}
	free(ranks);
	return 0;
}

/* Devices have cores of their own; their steps are measured by them. */
static int crowd_steps(struct engine *engine, const struct crowd *crowd, bool any)
{
	sqlite3 *handle = engine->tables.db.handle;
	struct step_rows *rows = step_rows_whole(&engine->tables);
	sqlite3_stmt *select = NULL;

	db_put(&engine->tables.db, table_sql, "");
	if (!any || engine->tables.model.devices.n || engine->tables.summary)
		return 0;
	if (rows)
		return crowd_rows(engine, crowd, rows);
	if (sqlite3_prepare_v2(handle, own_sql, -1, &select, NULL) != SQLITE_OK) {
		log_error("cannot compare the steps of oversubscribed nodes: %s",
			sqlite3_errmsg(handle));
		return -1;
	}
	own_walk(engine, select, step_write);
	sqlite3_finalize(select);
	return 0;
}

/* The first row's first column for a node; NAN: none, or NULL. */
static double node_ask(sqlite3_stmt *select, size_t node)
{
	double value = NAN;

	sqlite3_reset(select);
	sqlite3_bind_int64(select, 1, (int64_t)node + 1);
	if (sqlite3_step(select) == SQLITE_ROW && sqlite3_column_type(select, 0) != SQLITE_NULL)
		value = sqlite3_column_double(select, 0);
	sqlite3_reset(select);
	return value;
}

static bool node_is_crowded(struct engine *engine, sqlite3_stmt *share, sqlite3_stmt *crowded,
	size_t node)
{
	double without = node_ask(share, node);
	char *subject;

	if (isnan(without))
		return node_ask(crowded, node) > 0;
	if (asprintf(&subject, "node:%s", engine->tables.model.nodes.at[node].hostname) < 0) {
		engine->tables.failed = true;
		return false;
	}
	metric_put_about(engine, "run", METRIC_counters_without_core, subject, without, NULL);
	free(subject);
	return without >= noise.crowded;
}

int crowd_read(struct engine *engine, struct crowd *crowd)
{
	size_t n = engine->tables.model.nodes.n;
	sqlite3_stmt *share = NULL, *crowded = NULL;
	bool any = false;

	*crowd = (struct crowd){ .nodes = calloc(n + 1, sizeof(*crowd->nodes)), .all = n > 0 };
	if (!crowd->nodes ||
		sqlite3_prepare_v2(engine->tables.db.handle, share_sql, -1, &share, NULL) !=
			SQLITE_OK ||
		sqlite3_prepare_v2(engine->tables.db.handle, crowded_sql, -1, &crowded, NULL) !=
			SQLITE_OK) {
		log_error("cannot read the counters: %s", sqlite3_errmsg(engine->tables.db.handle));
		sqlite3_finalize(share);
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		crowd->nodes[i] = node_is_crowded(engine, share, crowded, i);
		crowd->all &= crowd->nodes[i];
		any |= crowd->nodes[i];
	}
	sqlite3_finalize(share);
	sqlite3_finalize(crowded);
	return crowd_steps(engine, crowd, any);
}

bool crowd_has(const struct crowd *crowd, const struct engine *engine, uint32_t process)
{
	uint32_t node = engine->tables.model.processes.at[process].node;

	return node != MODEL_NONE && crowd->nodes[node];
}

void crowd_free(struct crowd *crowd)
{
	free(crowd->nodes);
}

/* What a process's first thread had waited for a core by ?3, and by the sample after that. */
static const char waited_sql[] =
	"select * from (select t_ns, value from sample where run_id = 1 and node_id = ?1 "
	"and name = 'proc.core_waited' "
	"and process_id = ?2 and t_ns <= ?3 order by t_ns desc limit 1) union all "
	"select * from (select t_ns, value from sample where run_id = 1 and node_id = ?1 "
	"and name = 'proc.core_waited' "
	"and process_id = ?2 and t_ns > ?3 order by t_ns limit 1)";

/* Between two samples it waited all the time the same; NAN: there are none. */
static double waited_by(sqlite3_stmt *select, int64_t node, int64_t process, int64_t t)
{
	double at[2], value[2];
	int n = 0;

	sqlite3_reset(select);
	sqlite3_bind_int64(select, 1, node);
	sqlite3_bind_int64(select, 2, process);
	sqlite3_bind_int64(select, 3, t);
	for (; n < 2 && sqlite3_step(select) == SQLITE_ROW; n++) {
		at[n] = sqlite3_column_double(select, 0);
		value[n] = sqlite3_column_double(select, 1);
	}
	return n == 2	 ? value[0] + (value[1] - value[0]) * (t - at[0]) / (at[1] - at[0])
		: n == 1 ? value[0]
			 : NAN;
}

/* NULL: reported. */
static sqlite3_stmt *waited_prepare(struct engine *engine)
{
	sqlite3_stmt *select = NULL;

	if (sqlite3_prepare_v2(engine->tables.db.handle, waited_sql, -1, &select, NULL) ==
		SQLITE_OK)
		return select;
	log_error("cannot read the counters: %s", sqlite3_errmsg(engine->tables.db.handle));
	engine->tables.failed = true;
	return NULL;
}

/* Time of a range that the process had no core; NAN: not known. */
static double without_core(const struct engine *engine, sqlite3_stmt *waited, uint32_t process,
	const struct step_range *range)
{
	const struct process *of = &engine->tables.model.processes.at[process];
	int64_t node = of->node == MODEL_NONE ? 0 : (int64_t)of->node + 1;

	return waited_by(waited, node, of->id, range->end) -
		waited_by(waited, node, of->id, range->start);
}

double crowd_without_core(struct engine *engine, uint32_t process, const struct step_range *range)
{
	sqlite3_stmt *select = waited_prepare(engine);
	double ns = select ? without_core(engine, select, process, range) : NAN;

	sqlite3_finalize(select);
	return ns;
}

struct crowd_core crowd_core_find(struct engine *engine, const struct step_sums *sums,
	uint32_t process, int64_t first, int64_t last, double *scratch)
{
	const struct process *processes = engine->tables.model.processes.at;
	struct crowd_core core = { NAN, NAN, NAN, NAN };
	double mine = NAN, waited = 0, sum = 0, sum_without = 0, *owns = scratch,
	       *waits = scratch + engine->tables.model.processes.n;
	sqlite3_stmt *select = waited_prepare(engine);
	size_t n = 0;

	if (!select)
		return core;
	for (uint32_t p = 0; p < engine->tables.model.processes.n; p++) {
		struct step_range range = step_sums_range(sums, p, first, last);
		double without = range.length > 0 ? without_core(engine, select, p, &range) : NAN;
		/* as much of own time was without a core as of all time */
		double wait = (double)range.own / range.length * without;

		if (isnan(without))
			continue;
		if (p == process)
			mine = range.own - wait, waited = wait;
		else
			owns[n] = range.own - wait, waits[n++] = wait;
		if (processes[p].node == processes[process].node)
			sum += range.length, sum_without += without;
	}
	sqlite3_finalize(select);
	if (n && !isnan(mine)) {
		core.others = median_of(owns, n);
		core.excess = mine - core.others;
		core.waited = waited - median_of(waits, n);
		core.without = sum_without / sum;
	}
	return core;
}
