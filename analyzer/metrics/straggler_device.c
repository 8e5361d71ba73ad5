/*
 * straggler_device.c - slow ranks of runs with devices; see straggler.h. There
 * a host waits for its device and so for other ranks, which no state of the
 * host tells: the time of the rank's devices takes its place.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "base/log.h"
#include "metrics/straggler.h"

/* Of the devices that a process sees those that it uses: often all ranks see all of their node. */
#define HAS_EVENTS(use)                                                                            \
	"select 1 from location l where l.run_id = 1 and l.process_id = " use ".process_id and "   \
	"l.kind = 'accelerator_stream' and l.nevents > 0 and l.name like 'CUDA[' || " use          \
	".ordinal || ':%'"

/* All of them have rows in each step: `many` of a process. */
static const char use_sql[] =
	"create temp table device_use as select process_id, device_id, "
	"count(*) over (partition by process_id) as many "
	"from process_device u where exists (" HAS_EVENTS(
		"u") ") or not exists (select 1 from process_device v where v.device_id = "
		     "u.device_id and exists (" HAS_EVENTS(
			     "v") "));"
				  "create index temp.device_use_process on device_use(process_id);"
				  "create index temp.device_use_device on device_use(device_id);";

/* In this order: SQLite would look through all device_time for each step. */
#define STEP_DEVICES                                                                               \
	"from step s cross join temp.device_use d on d.process_id = s.process_id "                 \
	"cross join device_time t on t.run_id = 1 and t.device_id = d.device_id and t.window = 'step:' || s.n "

/*
 * Own time of a device: all but waiting for other ranks in NCCL or MPI. Of several devices of a
 * rank the mean.
 */
static const char own_sql[] =
	"select n, process_id, own, waited from (select s.n as n, s.process_id as process_id, "
	"sum(case when t.state in ('nccl_wait', 'idle:mpi_wait', 'absent') then 0 else t.ns end) "
	"/ d.many as own, "
	"sum(case when t.state in ('nccl_wait', 'idle:mpi_wait') then t.ns else 0 end) "
	"/ d.many as waited " STEP_DEVICES
	"where s.run_id = 1 and s.waited_ns is not null group by s.process_id, s.n) "
	"order by n, own, process_id";

/*
 * One step, its ranks in order of their own time: what each has above the (lower) median of the
 * others. What these waited is laid to the rank with most own time.
 */
static void step_write(struct engine *engine, int64_t n, const struct own *ranks, size_t nranks)
{
	int64_t waited = 0;

	for (size_t i = 0; i + 1 < nranks; i++)
		waited += ranks[i].waited;
	for (size_t i = 0; i < nranks; i++)
		db_put(&engine->tables.db,
			"update step set waited_ns = ?, waited_io_ns = 0, "
			"excess_ns = ?, caused_ns = ? "
			"where run_id = 1 and process_id = ? and n = ?",
			"innii", ranks[i].waited,
			nranks > 1 ? own_excess_of(ranks, nranks, i) : DB_NULL,
			nranks == 1		  ? DB_NULL
				: i + 1 == nranks ? waited
						  : INT64_C(0),
			ranks[i].process, n);
}

int64_t own_excess_of(const struct own *ranks, size_t nranks, size_t i)
{
	size_t middle = nranks > 1 ? (nranks - 2) / 2 : 0;

	return nranks > 1 ? ranks[i].own - ranks[middle + (middle >= i)].own : 0;
}

void own_walk(struct engine *engine, sqlite3_stmt *select, own_taker *take)
{
	ARRAY_OF(struct own) ranks = { 0 };
	int64_t n = 0;

	while (sqlite3_step(select) == SQLITE_ROW && !engine->tables.failed) {
		struct own *rank;

		if (ranks.n && sqlite3_column_int64(select, 0) != n) {
			take(engine, n, ranks.at, ranks.n);
			ranks.n = 0;
		}
		n = sqlite3_column_int64(select, 0);
		rank = ARRAY_ADD(&ranks);
		if (rank)
			*rank = (struct own){ sqlite3_column_int64(select, 1),
				sqlite3_column_int64(select, 2), sqlite3_column_int64(select, 3) };
		engine->tables.failed |= !rank;
	}
	if (ranks.n)
		take(engine, n, ranks.at, ranks.n);
	free(ranks.at);
}

void straggler_device_steps(struct engine *engine)
{
	sqlite3 *handle = engine->tables.db.handle;
	sqlite3_stmt *select = NULL;

	if (!engine->tables.model.devices.n || engine->tables.summary)
		return;
	if (sqlite3_exec(handle, use_sql, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(handle, own_sql, -1, &select, NULL) == SQLITE_OK)
		own_walk(engine, select, step_write);
	else
		log_error("cannot compare the steps of devices: %s", sqlite3_errmsg(handle));
	sqlite3_finalize(select);
}

static const char more_sql[] =
	"with work as (select o.process_id, sum(k.calls * coalesce(k.median_ns, k.min_ns)) as typical, "
	"sum(k.calls * k.min_ns) as least from kernel k "
	"join device_owner o on o.run_id = k.run_id and o.device_id = k.device_id "
	"where k.run_id = 1 and k.class not in ('nccl', 'memory') group by o.process_id) "
	"select min(min(1.0 * a.typical / b.typical, 1.0 * a.least / b.least)) - 1 "
	"from work a join work b on b.process_id <> a.process_id where a.process_id = ?";

double straggler_device_more(struct engine *engine, uint32_t process)
{
	sqlite3_stmt *select = NULL;
	double more = NAN;

	if (sqlite3_prepare_v2(engine->tables.db.handle, more_sql, -1, &select, NULL) !=
		SQLITE_OK) {
		log_error("cannot compare the kernels of devices: %s",
			sqlite3_errmsg(engine->tables.db.handle));
		engine->tables.failed = true;
		return NAN;
	}
	sqlite3_bind_int64(select, 1, engine->tables.model.processes.at[process].id);
	if (sqlite3_step(select) == SQLITE_ROW && sqlite3_column_type(select, 0) != SQLITE_NULL)
		more = sqlite3_column_double(select, 0);
	sqlite3_finalize(select);
	return more;
}
