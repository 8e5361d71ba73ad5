-- For the queries of tacho compare, executed before them. In the database are two runs, and in the
-- temporary table `pair` (side, run_id) which of them is the base (1) and which is new (2).
--
-- `side`: per side the phase whose steps are compared: of those that both have the one with most
-- samples, else with most steps; '' are steps outside of phases. A side without steps has no row.
create temp table side as
with counted as (
	select p.side, p.run_id, coalesce(f.name, '') as phase, sum(s.samples) as samples,
		sum(s.steps) as steps
	from pair p join step_all s on s.run_id = p.run_id left join phase f on f.id = s.phase_id
	where s.cut = 0 group by p.side, coalesce(f.name, '')
), both as (
	select phase, count(*) as sides, sum(samples) as samples, sum(steps) as steps from counted
	group by phase
)
select side, run_id, phase from (
	select c.side, c.run_id, phase, row_number() over (partition by c.side
		order by b.sides desc, b.samples is null, b.samples desc, b.steps desc,
			phase) as nth
	from counted c join both b using (phase))
where nth = 1;

-- `found`: by what the steps of a run were found that marks none.
create temp table found as
select f.side, case when f.optimizer >= 5 then 'PyTorch''s optimizers'
	when f.backward >= 5 then 'PyTorch''s backward passes'
	else 'the period of its collectives' end as how
from (
	select d.side, max(case c.name when 'torch:optimizer' then c.calls - c.helper_calls end)
			as optimizer,
		max(case c.name when 'torch:backward' then c.calls - c.helper_calls end) as backward
	from side d left join process p on p.run_id = d.run_id and p.rank is not null
		left join call c on c.process_id = p.id and c.class = 'user'
	where (select min(confidence) from step s where s.run_id = d.run_id) < 1 group by d.side
) f;

-- `unlike`: bytes that a run sends in MPI and NCCL per step, where steps that were found, not
-- marked, are not the same part of the program in both: the period of collectives is another one
-- once these are fused, and where all have one size it is a single one. More than 2.5 times as many
-- bytes are no other precision. Nor are steps the same that were found by other means. Such steps
-- are not compared: `side` has none.
create temp table unlike as
with sent as (
	select d.side, (select sum(c.bytes_sent) * 1.0 from call c
			where c.run_id = d.run_id and c.class in ('mpi', 'gloo', 'nccl'))
		/ max(s.steps) as bytes
	from side d join (select run_id, sum(steps) as steps from step_all
			group by run_id, process_id) s on s.run_id = d.run_id group by d.side
)
select min(case side when 1 then bytes end) as base, min(case side when 2 then bytes end) as new
from sent
where exists (select 1 from side d join step s on s.run_id = d.run_id where s.confidence < 1)
having (count(bytes) = 2 and max(bytes) > 2.5 * min(bytes))
	or (select count(distinct how) from found) > 1;
delete from side where exists (select 1 from unlike);

-- `side_step`: a row per step, counted from 0. It takes from its begin to the begin of the rank's
-- next step in the same phase, as time between two steps is lost too; the last one, and those whose
-- next has no row, to its own end.
-- Mean over the ranks: where one begins a step earlier than the others, that is not time of the
-- step. `side_each`: also those that some ranks lack, as their events were lost.
create temp table side_each as
with next as (
	select run_id, process_id, n, phase_id, start_ns, samples, cut, case
		when lead(phase_id) over w is phase_id and lead(n) over w = n + 1
			then lead(start_ns) over w
		else end_ns end as until_ns
	from step where run_id in (select run_id from side)
	window w as (partition by run_id, process_id order by n)
), each as (
	select d.side, s.n, avg(s.until_ns - s.start_ns) as ns, sum(s.samples) as samples,
		count(*) as many,
		exists (select 1 from lost_time l where l.run_id = d.run_id) as lossy
	from side d join next s on s.run_id = d.run_id left join phase f on f.id = s.phase_id
	where s.cut = 0 and coalesce(f.name, '') = d.phase group by d.side, s.n
)
select *, max(many) over (partition by side) as most from each;
create temp table side_step as
select side, row_number() over (partition by side order by n) - 1 as i, ns, samples
from side_each where many = most or not lossy;

-- `side_rest`: those of each rank that have no row.
create temp table side_rest as
select d.side, sum(r.steps) as steps, sum(r.samples) as samples
from side d join step_rest r on r.run_id = d.run_id left join phase f on f.id = r.phase_id
where coalesce(f.name, '') = d.phase group by d.side, r.process_id;

-- `side_size`: how many steps there are and how many samples each has; the first tenth (1 to 50
-- steps), in which programs warm up, is left out, and the others are cut into blocks: 20, or of at
-- least 5 steps each, or 5.
create temp table side_size as
select side, steps, warm, batch, max(min(steps - warm, 5), min(20, (steps - warm) / 5)) as blocks
from (select side, count(*) as steps,
		case when count(*) < 3 then 0 else max(1, min(50, count(*) / 10)) end as warm,
	median(samples) as batch from side_step group by side);

-- `unit`: what the runs are compared by: a step; a sample where steps have different numbers of
-- them; else the run. Shares of time are those of the phase where both runs have them, else of the
-- whole runs.
create temp table unit as
select case when count(*) < 2 then 'run' when min(z.batch) > 0 and min(z.batch) <> max(z.batch)
		and count(z.batch) = 2 then 'sample'
		else 'step' end as unit,
	count(*) = 2 and min(d.phase <> '')
		and min(exists (select 1 from host_time h where h.run_id = d.run_id
		and h."window" = 'phase:' || d.phase)) as phased
from side d join side_size z using (side);

-- `side_time`: the compared units in their blocks, and the steps' own length.
create temp table side_time as
select s.side, (s.i - z.warm) * z.blocks / (z.steps - z.warm) as block,
	case unit when 'sample' then s.ns / nullif(s.samples, 0) else s.ns end as ns,
	s.ns as step_ns
from unit cross join side_step s join side_size z using (side)
where unit <> 'run' and s.i >= z.warm;

-- `share`: the window that is looked into, how many units are in it, and how long it is, without
-- the time whose events, and so units, were lost.
create temp table share as
with sized as (
	select p.side, p.run_id, unit, case when phased then 'phase:' || d.phase else 'run' end
		as "window", case unit when 'run' then 1
		when 'step' then (select sum(case when lossy then 1.0 * many / most
				else 1 end) from side_each s where s.side = p.side)
			+ coalesce((select max(steps) from side_rest r where r.side = p.side), 0)
		else (select sum(samples) from side_each s where s.side = p.side)
			+ (select total(samples) from side_rest r where r.side = p.side) end
		as units
	from pair p cross join unit left join side d using (side)
)
select s.*, (select sum(ns) * 1.0 / count(distinct process_id) from host_time h
		join process p on p.id = h.process_id
	where h.run_id = s.run_id and h."window" = s."window" and p.rank is not null)
	- coalesce((select l.ns from lost_time l
		where l.run_id = s.run_id and l."window" = s."window"), 0) as ns
from sized s;
