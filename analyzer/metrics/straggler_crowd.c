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
#include "base/median.h"
#include "db/query.h"
#include "metrics/metric.h"
#include "metrics/noise.h"
#include "metrics/straggler.h"

/*
 * Share of time in which the ranks of a node had no core. NULL if the kernel keeps no such account.
 * The counter starts with the thread: if the first sample came late (the process was stopped before
 * it), it covers the time until then.
 */
#define LATE_SAMPLE "min(s.t_ns) - p.start_ns > 0.1 * (max(s.t_ns) - p.start_ns)"

static const char share_sql[] =
	"select sum(grown) / sum(span) from "
	"(select max(s.value) - case when " LATE_SAMPLE " then 0 else min(s.value) end as grown, "
	"max(s.t_ns) - case when " LATE_SAMPLE " then p.start_ns else min(s.t_ns) end as span "
	"from process p cross join sample s on s.run_id = 1 and s.node_id = p.node_id "
	"and s.process_id = p.id and s.name = 'proc.core_waited' "
	"where p.node_id = ?2 and p.rank is not null group by p.id)";

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
	"where run_id = 1 and node_id = ?2 and process_id is null "
	"and (name = 'pressure.cpu' or name glob 'cpu.*') group by name)";

static bool node_is_crowded(struct engine *engine, uint32_t node)
{
	double without = ask_number(engine, share_sql, (int64_t)node + 1);
	char *subject;

	if (isnan(without))
		return ask_number(engine, crowded_sql, (int64_t)node + 1) > 0;
	if (asprintf(&subject, "node:%s", engine->tables.model.nodes.at[node].hostname) < 0) {
		engine->tables.failed = true;
		return false;
	}
	metric_put_about(engine, "run", METRIC_counters_without_core, subject, without, NULL);
	free(subject);
	return without >= noise.crowded;
}

bool crowds_read(struct engine *engine, struct late_steps *steps)
{
	const struct model *model = &engine->tables.model;
	bool *nodes = calloc(model->nodes.n + 1, sizeof(*nodes));

	steps->crowded = calloc(model->processes.n + 1, sizeof(*steps->crowded));
	steps->all_crowded = model->nodes.n > 0;
	for (uint32_t i = 0; nodes && i < model->nodes.n; i++)
		steps->all_crowded &= nodes[i] = node_is_crowded(engine, i);
	for (size_t p = 0; nodes && steps->crowded && p < model->processes.n; p++)
		steps->crowded[p] = model->processes.at[p].node < model->nodes.n &&
			nodes[model->processes.at[p].node];
	engine->tables.failed |= !nodes || !steps->crowded;
	free(nodes);
	return !engine->tables.failed;
}

/* What a process's first thread had waited for a core by ?4, and by the sample after that. */
#define WAITED(when)                                                                               \
	"select * from (select t_ns, value from sample where run_id = ?1 and node_id = ?2 "        \
	"and name = 'proc.core_waited' and process_id = ?3 and t_ns " when " limit 1)"

static const char waited_sql[] = WAITED("<= ?4 order by t_ns desc") " union all " WAITED(
	"> ?4 order by t_ns");

/* Between two samples it waited all the time the same; NAN: there are none. */
static double waited_by(sqlite3_stmt *select, int64_t node, int64_t process, int64_t t)
{
	double at[2], value[2];
	int n = 0;

	sqlite3_reset(select);
	sqlite3_bind_int64(select, 2, node);
	sqlite3_bind_int64(select, 3, process);
	sqlite3_bind_int64(select, 4, t);
	for (; n < 2 && sqlite3_step(select) == SQLITE_ROW; n++) {
		at[n] = sqlite3_column_double(select, 0);
		value[n] = sqlite3_column_double(select, 1);
	}
	return n == 2	 ? value[0] + (value[1] - value[0]) * (t - at[0]) / (at[1] - at[0])
		: n == 1 ? value[0]
			 : NAN;
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
	sqlite3_stmt *select = query_prepare(engine->tables.db.handle, waited_sql, 1,
		&engine->tables.failed);
	double ns = select ? without_core(engine, select, process, range) : NAN;

	sqlite3_finalize(select);
	return ns;
}

struct crowd_core crowd_core_find(struct engine *engine, const struct late_steps *steps,
	uint32_t process, int64_t first, int64_t last, double *scratch)
{
	const struct process *processes = engine->tables.model.processes.at;
	size_t nprocesses = engine->tables.model.processes.n, n = 0;
	struct crowd_core core = { NAN, NAN, NAN, NAN };
	double mine = NAN, waited = 0, sum = 0, sum_without = 0, *waits = scratch + nprocesses;
	sqlite3_stmt *select = query_prepare(engine->tables.db.handle, waited_sql, 1,
		&engine->tables.failed);

	for (uint32_t p = 0; p < nprocesses && select; p++) {
		struct step_range range = step_range_of(steps, p, first, last);
		double without = range.length > 0 ? without_core(engine, select, p, &range) : NAN;
		/* as much of own time was without a core as of all time */
		double wait = range.own / range.length * without;

		if (isnan(without))
			continue;
		if (p == process)
			mine = range.own - wait, waited = wait;
		else
			scratch[n] = range.own - wait, waits[n++] = wait;
		if (processes[p].node == processes[process].node)
			sum += range.length, sum_without += without;
	}
	sqlite3_finalize(select);
	if (n && !isnan(mine)) {
		core.others = median_of(scratch, n);
		core.excess = mine - core.others;
		core.waited = waited - median_of(waits, n);
		core.without = sum_without / sum;
	}
	return core;
}
