/*
 * metric_disturbance.c - what other load cost a run, per window: time in which ranks waited for a
 * core, time that a hypervisor took, lowered clocks. Samples come once per second at most, so
 * counters are interpolated linearly between two of them. See metric.h.
 */
#include "config.h"

#include "engine/engine.h"
#include "metrics/metric.h"

/* Beyond so many rows, intervals of phases are too short to be distinguished by samples. */
#define PHASES_MOST "200000"

/* How far a counter of a process (or node: process_id is null) had come at a time. */
#define AT(name, process, node, t)                                                                 \
	"coalesce((select value + coalesce((next - value) * 1.0 * (" t " - t_ns) / "               \
	"(next_ns - t_ns), 0) from temp.reading where name = '" name "' and process_id = " process \
	" and node_id = " node " and t_ns <= " t " order by t_ns desc limit 1), "                  \
	"(select value from temp.reading where name = '" name "' and process_id = " process        \
	" and node_id = " node " order by t_ns limit 1))"

/* CPUs of the node together: `busy` ran or were to run, of which `steal` others did. */
static const char readings_sql[] =
	"create temp table reading as select name, process_id, node_id, t_ns, value, "
	"lead(t_ns) over w as next_ns, lead(value) over w as next from ("
	"select 'waited' as name, process_id, node_id, t_ns, value from sample where run_id = 1 "
	"and name = 'proc.core_waited' union all "
	"select case name when 'cpu.steal' then 'steal' else 'busy' end, 0, node_id, t_ns, "
	"sum(value) from sample where run_id = 1 and process_id is null and name in "
	"('cpu.user', 'cpu.nice', 'cpu.system', 'cpu.irq', 'cpu.softirq', 'cpu.steal') "
	"group by name = 'cpu.steal', node_id, t_ns) "
	"window w as (partition by name, process_id, node_id order by t_ns)";

static const char index_sql[] =
	"create index temp.readings on reading(name, process_id, node_id, t_ns)";

/* The intervals of windows: each rank's phases, each node's run. */
static const char spans_sql[] =
	"create temp table span as select 'phase:' || f.name as \"window\", p.id as process_id, "
	"p.rank, p.node_id, f.start_ns, f.end_ns, p.id = (select min(o.id) from process o where "
	"o.node_id = p.node_id and o.rank is not null) as is_first from phase f join process p "
	"on p.id = f.process_id where p.rank is not null and p.node_id is not null and "
	"(select count(*) from (select 1 from phase limit " PHASES_MOST " + 1)) <= " PHASES_MOST;

static const char runs_sql[] =
	"insert into temp.span select 'run', 0, null, node_id, min(start_ns), max(end_ns), 1 "
	"from process where rank is not null and node_id is not null group by node_id";

static const char waited_sql[] =
	"insert into metric(run_id, \"window\", model, name, subject, value, unit) "
	"select 1, \"window\", 'counters', 'core_waited', 'rank:' || rank, "
	"max(0.0, sum(till - since)), 'ns' from (select \"window\", rank, " AT("waited",
		"span.process_id", "span.node_id",
		"span.end_ns") " as till, " AT("waited", "span.process_id", "span.node_id",
		"span.start_ns") " as since "
				 "from temp.span where rank is not null) group by \"window\", rank having count(till) > 0";

static const char stolen_sql[] =
	"insert into metric(run_id, \"window\", model, name, subject, value, unit) "
	"select 1, \"window\", 'counters', 'stolen', 'node:' || hostname, "
	"sum(s1 - s0) / sum(b1 - b0 + s1 - s0), '1' from (select \"window\", n.hostname, " AT(
		"steal", "0", "span.node_id", "span.end_ns") " as s1, " AT("steal", "0",
		"span.node_id", "span.start_ns") " as s0, " AT("busy", "0", "span.node_id",
		"span.end_ns") " as b1, " AT("busy", "0", "span.node_id",
		"span.start_ns") " as b0 "
				 "from temp.span join node n on n.id = span.node_id where is_first) "
				 "group by \"window\", hostname having sum(s1 - s0) > 0";

/* Each GPU's against its own highest. */
static const char clocks_sql[] =
	"insert into metric(run_id, \"window\", model, name, subject, value, unit) "
	"select 1, \"window\", 'counters', 'gpu_clock', 'node:' || hostname, avg(value / most), '1' "
	"from (select distinct s.\"window\", n.hostname, c.name, c.t_ns, c.value, (select max(m.value) "
	"from sample m where m.run_id = 1 and m.node_id = c.node_id and m.name = c.name || '_max') "
	"as most from temp.span s join node n on n.id = s.node_id join sample c on c.run_id = 1 and "
	"c.node_id = s.node_id and c.process_id is null and c.name glob 'gpu.[0-9]*.sm_clock' and "
	"c.t_ns between s.start_ns and s.end_ns where s.is_first) where most > 0 "
	"group by \"window\", hostname";

void metric_disturbance_write(struct engine *engine)
{
	const char *const all[] = { readings_sql, index_sql, spans_sql, runs_sql, waited_sql,
		stolen_sql, clocks_sql, "drop table temp.reading", "drop table temp.span" };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		db_put(&engine->tables.db, all[i], "");
}
