-- Devices with activity. A host may run many steps ahead: queued work and the gaps in it then run
-- after their part, partly after all parts. Time in these states therefore covers the whole run
-- except its setup. A gap that the host causes ends at its launch, in its own part: time in these
-- states is the sum over all parts.
create temp table finding_used as
select distinct device_id from device_time where run_id = :run and "window" = 'run' and ns > 0
	and state in ('compute', 'nccl_wait', 'nccl_transfer', 'nccl', 'memcpy');

-- Per device and part: `own` excludes absence and waits for other devices; `starved` is idle time
-- without input.
create temp table finding_busy("window" text, device_id integer, compute integer, own integer,
	starved integer, primary key ("window", device_id)) without rowid;
insert into finding_busy
select t.* from (
	select "window", device_id, total(ns) filter (where state = 'compute'), total(ns) filter
			(where state not in ('nccl_wait', 'nccl', 'idle:mpi_wait', 'absent')),
		total(ns) filter (where state in ('idle:io_wait', 'idle:host_compute', 'idle:wait'))
	from device_time where run_id = :run group by run_id, "window", device_id) t
	cross join finding_unit u on u."window" = t."window"
where u.phase not in ('setup', 'init') and t.device_id in (select device_id from finding_used);

-- Per device and phase: its computing, the mean computing of all devices, and the part of that
-- mean in which this device computed more.
create temp table finding_device as
select u.phase, b.device_id, sum(b.compute) as compute, sum(m.mean) as mean,
	sum((b.compute > m.mean) * m.mean) as above
from finding_busy b join finding_unit u on u."window" = b."window"
	join (select "window", avg(compute) as mean from finding_busy group by "window") m
	on m."window" = b."window"
group by u.phase, b.device_id;

-- Mean over devices of the ns in each state.
create temp table finding_gpu as
with queued(state) as (values ('compute'), ('nccl_wait'), ('nccl_transfer'), ('memcpy'),
	('idle:launch_latency'), ('idle:queued_other')
), spent as (
	select t.state, t.device_id, iif(t."window" = 'run', ns, -ns) as ns
	from (values ('run'), ('phase:setup'), ('phase:init')) w
		cross join device_time t on t.run_id = :run and t."window" = w.column1
	where t.state in queued
	union all
	select t.state, t.device_id, ns
	from finding_unit u
		cross join device_time t on t.run_id = :run and t."window" = u."window"
	where u.phase not in ('setup', 'init') and t.state not in queued
)
select state, 1.0 * sum(ns) / n.n as ns
from spent join (select count(distinct device_id) as n from finding_device) n
where n.n > 0 and device_id in (select device_id from finding_used) group by state;
