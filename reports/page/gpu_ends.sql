-- How long an average GPU had no work yet, and none any more: from the first process's start to its
-- first activity and from its last to the end; where both are a twentieth of the run or more. Of
-- streams whose names say no device nothing.
with stream as (
	select u.device_id, l.start_ns, l.end_ns from location l
		join process_device u on u.process_id = l.process_id
		and u.ordinal = cast(substr(l.name, 6) as integer)
	where l.run_id = :run and l.kind = 'accelerator_stream' and l.name like 'CUDA[%'
		and l.start_ns is not null
), used as (
	select device_id, min(start_ns) as first, max(end_ns) as last from stream group by device_id
), span as (	-- counters may be read before
	select coalesce(min(p.start_ns), 0) as begin, max(r.duration_ns) as whole
	from run r left join process p on p.run_id = r.id where r.id = :run
), ends as (
	select avg(max(0, u.first - s.begin)) as before,
		avg(max(0, s.begin + s.whole - u.last)) as after, max(s.whole) as whole
	from used u join span s
)
select before as "Before|ns|of an average GPU: from the run's start to its first activity",
	before / whole as "Share|percent|of the run",
	after as "After|ns|from its last activity to the run's end",
	after / whole as "Share after|percent|of the run"
from ends where before + after >= 0.05 * whole;
