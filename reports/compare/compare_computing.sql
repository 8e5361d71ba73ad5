-- What contention cannot touch: own time in the shortest fiftieth of a rank's steps, in which it
-- had its core all the time (docs/noise.md). Of the rank with most of it: how long that is in
-- either run, the shortest steps of the base (`step`), and whether the new run is `sure` to be
-- longer by what it has more. For that such steps agree with the shortest one and with as many
-- others, in both runs, which steps that wait for a core do not; nor are they longer than all steps
-- without the share of time in which the rank had no core. As many bytes are sent in a step; and
-- what the base did besides (I/O, waiting) is not less by more than half of that. Of devices the
-- host says little.
with stepped as (
	select d.side, s.process_id, s.end_ns - s.start_ns as length,
		s.end_ns - s.start_ns - s.waited_ns as own
	from unit join side d join step s on s.run_id = d.run_id
		join process p on p.id = s.process_id and p.rank is not null
		left join phase f on f.id = s.phase_id
	where unit.unit = 'step' and s.cut = 0 and s.waited_ns is not null
		and coalesce(f.name, '') = d.phase
		and not exists (select 1 from device where run_id in (select run_id from pair))
), ordered as (
	select *, row_number() over (partition by side, process_id order by own) as nth,
		row_number() over (partition by side, process_id order by length) as nth_length,
		count(*) over (partition by side, process_id) as n
	from stepped
), shortest as (
	select side, process_id, min(n) as n, avg(own) as mean, min(own) as least,
		max(case when nth <= shortest * n then own end) as own,
		max(case when nth <= 2 * shortest * n then own end) as more,
		max(case when nth_length <= shortest * n then length end) as length
	from ordered cross join noise_constant group by side, process_id
), spent as (
	select s.side, h.process_id, s.units, sum(case when h.state in ('io', 'wait', 'cuda',
			'omp_idle') then h.ns else 0 end) as besides,
		1.0 * m.value / sum(case when h.state <> 'wait' then h.ns end) as without
	from share s join host_time h on h.run_id = s.run_id and h."window" = s."window"
		and h.state <> 'absent'
		join process p on p.id = h.process_id and p.rank is not null
		left join metric m on m.run_id = s.run_id and m."window" = s."window"
		and m.model = 'counters' and m.name = 'core_waited'
		and m.subject = 'rank:' || p.rank
	group by s.side, h.process_id
), most as (
	select m.side, m.own, m.step, m.n * shortest >= 2 and m.more <= (1 + alike) * m.own
			and m.own <= (1 + alike) * m.least
			and m.own <= (1 + alike) * (1 - t.without) * m.mean as is_free
	from (select *, row_number() over (partition by side order by own desc) as place,
			min(length) over (partition by side) as step from shortest) m
		join spent t on t.side = m.side and t.process_id = m.process_id
		cross join noise_constant
	where m.place = 1
), long as (	-- the shorter run: all of it may be a moment in which cores are slower
	select min(s) as s from (select sum(step_ns) / 1e9 as s from side_time group by side)
), besides as (
	select t.side, sum(t.besides) * 1.0 / count(*) / t.units as ns,
		(select total(c.bytes_sent) from pair p join call c on c.run_id = p.run_id
				and c.class in ('mpi', 'gloo', 'nccl') where p.side = t.side)
			/ t.units as bytes
	from spent t group by t.side
)
select b.own as base, n.own as new, b.step as step, b.is_free and n.is_free
		and abs(e.bytes - o.bytes) <= 0.01 * max(e.bytes, o.bytes)
		and o.ns - e.ns < (n.own - b.own) / 2 as sure,
	(1 + alike) * (1 + least_share) * (1 + drift * max(0, 1 - l.s / drift_s)) - 1 as envelope
from most b join most n on b.side = 1 and n.side = 2 join besides o on o.side = 1
	join besides e on e.side = 2 cross join noise_constant cross join long l
where b.own > 0;
