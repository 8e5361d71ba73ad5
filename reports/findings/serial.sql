-- Phases in which one rank of several does nearly all that is done outside of MPI, each other next
-- to nothing. Of a phase that only one rank is in, the time in which others waited for it counts,
-- in a collective or as above. A host may be alone for the little time in which it launches
-- what its device does: the longer of both counts. Where communication is not seen others wait for
-- the rank in state wait.
create temp table finding_serial as
with slow_io as (	-- for a quarter of their steps: I/O elsewhere is no sign of more to do
	select rank from straggler where run_id = :run and cause = 'io' group by rank
	having sum(until_step - since_step + 1) >= :part * (select n from finding_steps)
), own as (
	select substr(h."window", 7) as phase, p.rank,
		sum(case when h.state in ('mpi', 'gloo', u.waits) then 0 else h.ns end) as ns,
		sum(case when h.state in ('mpi', 'gloo', u.waits) or h.state = 'io'
					and p.rank in slow_io then 0 else h.ns end) as work
	from host_time h join process p on p.id = h.process_id
		join (select case when exists (select 1 from finding_unseen) then 'wait'
					else 'mpi' end as waits) u
	where h.run_id = :run and h."window" between 'phase:' and 'phase;'
		and p.rank is not null and h.state <> 'absent'
	group by h."window", p.id
), ordered as (
	select phase, rank, ns, work, sum(work) over (partition by phase) as total,
		count(*) over (partition by phase) as present,
		row_number() over (partition by phase order by work desc) as nth,
		coalesce(lead(work) over (partition by phase order by work desc), 0) as second
	from own
), alone as (
	select phase, rank, ns from ordered where nth = 1 and present > 1
		and work >= :almost_all * total and second <= :little * work
), launched as materialized (
	select l.phase, q.rank, sum(l.ns) as ns
	from finding_launched l join device_owner q on q.device_id = l.device_id group by 1, 2
)
select phase, rank, max(ns) as ns from (
select phase, rank, ns from alone
union all
select phase, rank, ns from finding_awaited
union all
select phase, rank, ns from finding_unseen_alone
union all
-- hosts that wait for their devices look alike: one device of several computes
select phase, rank, max(busy, ns) from (
	select phase, rank, busy, ns, sum(ns) over (partition by phase) as total,
		count(*) over (partition by phase) as devices from (
		select substr(t."window", 7) as phase, p.rank,
			sum(case when t.state in ('nccl_wait', 'nccl', 'absent') then 0
					else t.ns end) as busy,
			coalesce(max(h.ns), sum(case when t.state = 'compute' then t.ns else 0 end))
				as ns
		from device_time t join device_owner p on p.run_id = t.run_id
			and p.device_id = t.device_id
			left join launched h on h.phase = substr(t."window", 7)
				and h.rank = p.rank
		where t.run_id = :run and t."window" between 'phase:' and 'phase;'
			and p.rank is not null
		group by t."window", p.rank))
where devices > 1 and total > 0 and ns >= :device_alone * total and phase not in ('setup', 'init')
) group by phase;
