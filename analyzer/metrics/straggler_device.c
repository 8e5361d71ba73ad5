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

/* clang-format off */
/* Time of a device's step in some states; of several devices of a rank the mean. */
#define IN(states) "sum(case when t.state in (" states ") then t.ns else 0 end) / d.many"
#define WAITS	   "'nccl_wait', 'idle:mpi_wait'"
#define KNOWN                                                                                      \
	"'compute', 'idle:host_compute', 'idle:host_in_cuda_api', 'idle:launch_latency', "         \
	"'idle:wait', 'idle:io_wait', 'idle:checkpoint', 'nccl_transfer', 'nccl', 'memcpy', "      \
	"'absent', " WAITS

/*
 * Its own time is all but waiting for other ranks in NCCL or MPI. Of the columns behind `waited`,
 * in the order of STEP_PARTS, the last two are the host's, and no parts of it.
 */
static const char own_sql[] =
	"select n, process_id, compute + host + queue + cuda + wait + io + link + copies as own, "
	"waited, compute, host, queue, cuda, wait, 0, io, link, copies, slept, readers from ("
	"select s.n as n, s.process_id as process_id, " IN(WAITS) " as waited, "
	IN("'compute'") " as compute, " IN("'idle:host_compute'") " as host, "
	"sum(case when t.state in (" KNOWN ") then 0 else t.ns end) / d.many as queue, "
	IN("'idle:host_in_cuda_api', 'idle:launch_latency'") " as cuda, "
	IN("'idle:wait'") " as wait, " IN("'idle:io_wait', 'idle:checkpoint'") " as io, "
	IN("'nccl_transfer', 'nccl'") " as link, " IN("'memcpy'") " as copies, "
	"coalesce(s.slept_ns, 0) as slept, coalesce(s.readers_ns, 0) as readers " STEP_DEVICES
	"where s.run_id = 1 and s.waited_ns is not null group by s.process_id, s.n) "
	"order by n, own, process_id";
/* clang-format on */

/* Of what a device idles while its host waits, what the host sleeps or waits for readers longer. */
static void wait_divide(int64_t late[PART_COUNT], enum part part, int64_t more)
{
	int64_t ns = more < late[PART_WAIT] ? more : late[PART_WAIT];

	late[part] = ns > 0 ? ns : 0;
	late[PART_WAIT] -= late[part];
}

static void late_set(const struct own *rank, const struct own *other, int64_t late[PART_COUNT])
{
	for (int part = 0; part < PART_COUNT; part++)
		late[part] = rank->parts[part] - other->parts[part];
	wait_divide(late, PART_SLEEP, late[PART_SLEEP]);
	wait_divide(late, PART_READERS, late[PART_READERS]);
}

#define SET_LATE(id, name) ", late_" name "_ns = ?"
#define LATE(id, name)	   , nranks > 1 ? late[PART_##id] : DB_NULL
#define LETTER(id, name)   "n"

static const char update_letters[] = "inn" STEP_PARTS(LETTER) "ii";

/* clang-format off */
static const char update_sql[] =
	"update step set waited_ns = ?, waited_io_ns = 0, excess_ns = ?, caused_ns = ?"
	STEP_PARTS(SET_LATE) " where run_id = 1 and process_id = ? and n = ?";
/* clang-format on */

/*
 * One step, its ranks in order of their own time: what each has above the (lower) median of the
 * others. What these waited is laid to the rank with most own time.
 */
static void step_write(struct engine *engine, int64_t n, const struct own *ranks, size_t nranks)
{
	int64_t waited = 0, late[PART_COUNT];

	for (size_t i = 0; i + 1 < nranks; i++)
		waited += ranks[i].waited;
	for (size_t i = 0; i < nranks; i++) {
		const struct own *other = own_other(ranks, nranks, i);

		late_set(&ranks[i], other, late);
		db_put(&engine->tables.db, update_sql, update_letters, ranks[i].waited,
			nranks > 1 ? ranks[i].own - other->own : DB_NULL,
			nranks == 1		  ? DB_NULL
				: i + 1 == nranks ? waited
						  : INT64_C(0) STEP_PARTS(LATE),
			ranks[i].process, n);
	}
}

const struct own *own_other(const struct own *ranks, size_t nranks, size_t i)
{
	size_t middle = nranks > 1 ? (nranks - 2) / 2 : 0;

	return nranks > 1 ? &ranks[middle + (middle >= i)] : &ranks[i];
}

enum { FIRST_PART = 4 };

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
		engine->tables.failed |= !rank;
		if (!rank)
			break;
		*rank = (struct own){ sqlite3_column_int64(select, 1),
			sqlite3_column_int64(select, 2), sqlite3_column_int64(select, 3), { 0 } };
		for (int i = FIRST_PART; i < sqlite3_column_count(select); i++)
			rank->parts[i - FIRST_PART] = sqlite3_column_int64(select, i);
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
