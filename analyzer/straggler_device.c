/*
 * straggler_device.c - slow ranks of runs with devices; see straggler.h. There
 * a host waits for its device and so for other ranks, which no state of the
 * host tells: the time of the rank's devices takes its place.
 */
#include "config.h"

#include "analysis.h"
#include "log.h"
#include "straggler.h"

/* Of the devices that a process sees those that it uses: often all ranks see all of their node. */
#define HAS_EVENTS(use)									\
	"select 1 from location l where l.run_id = 1 and l.process_id = " use ".process_id and "	\
	"l.kind = 'accelerator_stream' and l.nevents > 0 and l.name like 'CUDA[' || " use ".ordinal || ':%'"

static const char use_sql[] =
	"create temp table device_use as select u.process_id, u.device_id from process_device u where exists ("
	HAS_EVENTS("u") ") or not exists (select 1 from process_device v where v.device_id = u.device_id and exists ("
	HAS_EVENTS("v") "));"
	"create index temp.device_use_process on device_use(process_id);";

/* In this order: SQLite would look through all device_time for each step. */
#define STEP_DEVICES									\
	"from step s cross join temp.device_use d on d.process_id = s.process_id "	\
	"cross join device_time t on t.run_id = 1 and t.device_id = d.device_id and t.window = 'step:' || s.n "

/*
 * Own time of a device: all but waiting for other ranks in NCCL or MPI. Of
 * several devices of a rank the mean. What the others waited in a step is
 * laid to the rank with most own time.
 */
static const char own_sql[] =
	"create temp table device_own(n integer, place integer, many integer, process_id integer, own integer, "
	"waited integer, primary key (n, place)) without rowid;"
	"insert into temp.device_own select n, row_number() over (partition by n order by own, process_id) - 1, "
	"count(*) over (partition by n), process_id, own, waited from "
	"(select s.n as n, s.process_id as process_id, "
	"sum(case when t.state in ('nccl_wait', 'idle:mpi_wait', 'absent') then 0 else t.ns end) / count(distinct t.device_id) as own, "
	"sum(case when t.state in ('nccl_wait', 'idle:mpi_wait') then t.ns else 0 end) / count(distinct t.device_id) as waited "
	STEP_DEVICES "where s.run_id = 1 group by s.process_id, s.n);"
	"create unique index temp.device_own_process on device_own(n, process_id);"
	"update step set waited_ns = o.waited, excess_ns = (select o.own - x.own from temp.device_own x where x.n = o.n "
	"and x.place = (o.many - 2) / 2 + ((o.many - 2) / 2 >= o.place)), caused_ns = case when o.place = o.many - 1 then "
	"(select sum(waited) from temp.device_own x where x.n = o.n and x.place <> o.place) else 0 end "
	"from temp.device_own o where step.run_id = 1 and step.process_id = o.process_id and step.n = o.n;"
	"drop table temp.device_own;";

void straggler_device_steps(struct analysis *analysis)
{
	char *wrong = NULL;

	if (!analysis->model.devices.n || analysis->options->summary)
		return;
	if (sqlite3_exec(analysis->db.handle, use_sql, NULL, NULL, &wrong) != SQLITE_OK ||
		sqlite3_exec(analysis->db.handle, own_sql, NULL, NULL, &wrong) != SQLITE_OK)
		log_error("cannot compare the steps of devices: %s", wrong ? wrong : "out of memory");
	sqlite3_free(wrong);
}

static const char parts_sql[] =
	"select s.process_id, count(distinct s.n) * count(distinct t.device_id), "
	"sum(case when t.state = 'compute' then t.ns else 0 end), "
	"sum(case when t.state glob 'idle:*' and t.state not in ('idle:mpi_wait', 'idle:io_wait', 'idle:checkpoint') "
	"then t.ns else 0 end), "
	"sum(case when t.state in ('idle:io_wait', 'idle:checkpoint') then t.ns else 0 end), "
	"sum(case when t.state in ('nccl_transfer', 'memcpy') then t.ns else 0 end) "
	STEP_DEVICES "where s.run_id = 1 and s.n between ?1 and ?2 group by s.process_id";

bool straggler_device_parts(struct analysis *analysis, int64_t first, int64_t last, struct parts *parts)
{
	sqlite3_stmt *select = NULL;

	if (!analysis->model.devices.n)
		return true;
	if (sqlite3_prepare_v2(analysis->db.handle, parts_sql, -1, &select, NULL) != SQLITE_OK) {
		log_error("cannot read the steps of devices: %s", sqlite3_errmsg(analysis->db.handle));
		return false;
	}
	sqlite3_bind_int64(select, 1, first);
	sqlite3_bind_int64(select, 2, last);
	while (sqlite3_step(select) == SQLITE_ROW)
		for (int part = 0; part < PART_COUNT; part++)
			parts[sqlite3_column_int64(select, 0) - 1].ns[part] =
				sqlite3_column_double(select, 2 + part) / sqlite3_column_double(select, 1);
	sqlite3_finalize(select);
	return true;
}
