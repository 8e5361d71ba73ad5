/*
 * step_device.c - waits and excess, in the table step, for ranks with devices. There a host waits
 * for its device and so for other ranks, which no state of the host shows. The time of the rank's
 * devices replaces it.
 */
#include "config.h"

#include "engine/engine.h"
#include "base/log.h"
#include "metrics/metric.h"

/* The devices that a process uses: often each rank sees all devices of its node. */
#define HAS_EVENTS(use)                                                                            \
	"select 1 from location l where l.run_id = 1 and l.process_id = " use ".process_id and "   \
	"l.kind = 'accelerator_stream' and l.nevents > 0 and l.name like 'CUDA[' || " use          \
	".ordinal || ':%'"

/* clang-format off */
/* Time of a device's step in some states; of several devices of a rank the mean. */
#define IN(states) "sum(case when t.state in (" states ") then t.ns else 0 end) / d.many"
#define WAITS	   "'nccl_wait', 'idle:mpi_wait'"
#define KNOWN                                                                                      \
	"'compute', 'idle:host_compute', 'idle:host_in_cuda_api', 'idle:launch_latency', "         \
	"'idle:wait', 'idle:io_wait', 'idle:checkpoint', 'nccl_transfer', 'nccl', 'memcpy', "      \
	"'absent', " WAITS

/*
 * All devices of a rank have rows in each step. Local time is everything but waits for other ranks
 * in NCCL or MPI; excess is local time minus the (lower) median of the others. Their waits are
 * charged to the rank with the most local time. If the device idles while its host sleeps or waits
 * for readers longer than the others' hosts, that part counts as sleep or readers. `cross join`:
 * else SQLite would scan device_time for each step.
 */
static const char steps_sql[] =
	"create temp table device_use as select process_id, device_id, "
	"count(*) over (partition by process_id) as many from process_device u where exists ("
	HAS_EVENTS("u") ") or not exists (select 1 from process_device v where "
	"v.device_id = u.device_id and exists (" HAS_EVENTS("v") "));"
	"create index temp.device_use_process on device_use(process_id);"
	"create index temp.device_use_device on device_use(device_id);"
	"create temp table device_step as select *, row_number() over w - 1 as nth, "
	"count(*) over (partition by n) as many, sum(waited) over (partition by n) as all_waited "
	"from (select *, compute + host + queue + cuda + wait + io + link + copies as own from ("
	"select s.n as n, s.process_id as process_id, " IN(WAITS) " as waited, "
	IN("'compute'") " as compute, " IN("'idle:host_compute'") " as host, "
	"sum(case when t.state in (" KNOWN ") then 0 else t.ns end) / d.many as queue, "
	IN("'idle:host_in_cuda_api', 'idle:launch_latency'") " as cuda, "
	IN("'idle:wait'") " as wait, " IN("'idle:io_wait', 'idle:checkpoint'") " as io, "
	IN("'nccl_transfer', 'nccl'") " as link, " IN("'memcpy'") " as copies, "
	"coalesce(s.slept_ns, 0) as slept, coalesce(s.readers_ns, 0) as readers "
	"from step s cross join temp.device_use d on d.process_id = s.process_id "
	"cross join device_time t on t.run_id = 1 and t.device_id = d.device_id "
	"and t.window = 'step:' || s.n where s.run_id = 1 and s.waited_ns is not null "
	"group by s.process_id, s.n)) window w as (partition by n order by own, process_id);"
	"create index temp.device_step_nth on device_step(n, nth);"
	"create index temp.device_step_process on device_step(process_id, n);"
	"update step set waited_ns = l.waited, waited_io_ns = 0, excess_ns = l.excess, "
	"caused_ns = l.caused, late_compute_ns = l.compute, late_host_ns = l.host, "
	"late_queue_ns = l.queue, late_cuda_ns = l.cuda, late_omp_idle_ns = l.excess * 0, "
	"late_wait_ns = l.wait - l.slept - max(0, min(l.readers, l.wait - l.slept)), "
	"late_io_ns = l.io, late_link_ns = l.link, late_copies_ns = l.copies, "
	"late_sleep_ns = l.slept, late_readers_ns = max(0, min(l.readers, l.wait - l.slept)) from ("
	"select d.process_id, d.n, d.waited, d.own - o.own as excess, case when d.many > 1 then "
	"iif(d.nth + 1 = d.many, d.all_waited - d.waited, 0) end as caused, "
	"d.compute - o.compute as compute, d.host - o.host as host, d.queue - o.queue as queue, "
	"d.cuda - o.cuda as cuda, d.wait - o.wait as wait, d.io - o.io as io, "
	"d.link - o.link as link, d.copies - o.copies as copies, d.readers - o.readers as readers, "
	"max(0, min(d.slept - o.slept, d.wait - o.wait)) as slept from temp.device_step d "
	"left join temp.device_step o on o.n = d.n and d.many > 1 and o.nth = (d.many - 2) / 2 "
	"+ ((d.many - 2) / 2 >= d.nth)) l "
	"where step.run_id = 1 and step.process_id = l.process_id and step.n = l.n;";
/* clang-format on */

void step_devices_write(struct engine *engine)
{
	if (!engine->tables.model.devices.n || engine->tables.summary ||
		sqlite3_exec(engine->tables.db.handle, steps_sql, NULL, NULL, NULL) == SQLITE_OK)
		return;
	log_error("cannot compare the steps of devices: %s",
		sqlite3_errmsg(engine->tables.db.handle));
	engine->tables.failed = true;
}
