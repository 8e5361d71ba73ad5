-- What is to be known before the figures are believed: a sentence a row, the worst first.
with named as (
	select p.side, p.run_id, s.label, s.nranks, s.ngpus, s.nstandins, s.cut, r.exit_status
	from pair p join study s on s.run_id = p.run_id join run r on r.id = p.run_id
), sized as (
	select min(case side when 1 then nranks end) as ranks,
		min(case side when 2 then nranks end) as new_ranks,
		min(case side when 1 then ngpus end) as gpus,
		min(case side when 2 then ngpus end) as new_gpus from named
), batches as (
	select min(case side when 1 then batch end) as batch,
		min(case side when 2 then batch end) as new_batch from side_size
), timed as (
	select side, avg(ns) as mean, median(ns) as median from side_time group by side
), turned as (
	select min(case side when 2 then mean end) / min(case side when 1 then mean end)
		- 1 as mean,
		min(case side when 2 then median end) / min(case side when 1 then median end)
			- 1 as median from timed
), times as (	-- phases, from the first rank in to the last out
	select p.side, p.run_id, f.name, sum(f.ns) as ns from pair p join (
		select f.run_id, f.name, max(f.end_ns) - min(f.start_ns) as ns
		from phase f join process o on o.id = f.process_id where o.rank is not null
		group by f.run_id, f.name, f.instance) f on f.run_id = p.run_id
	group by p.side, f.name
), elsewhere as (	-- what the runs took besides the phase of the compared steps
	select d.phase, min(case t.side when 1 then s.duration_ns - t.ns end) as base,
		min(case t.side when 2 then s.duration_ns - t.ns end) as new,
		min(case t.side when 1 then s.duration_ns end) as whole
	from side d join times t on t.side = d.side and t.name = d.phase
		join study s on s.run_id = t.run_id
	group by d.phase having count(*) = 2
), other as (
	select name, sum(case side when 2 then ns else -ns end) as more from times group by name
)
select kind, note from (
	select 1 as ord, 'size' as kind, 'these runs have ' || ranks || ' and ' || new_ranks
		|| ' ranks: for a study over sizes see tacho scaling' as note
	from sized where ranks <> new_ranks
	union all
	select 1, 'size', 'these runs have ' || gpus || ' and ' || new_gpus
		|| ' GPUs: for a study over sizes see tacho scaling'
	from sized where gpus <> new_gpus and ranks = new_ranks
	union all
	select 2, 'phase', 'no phase with steps is in both: '
		|| group_concat(case phase when '' then 'steps outside of phases' else phase end,
			' is compared with ')
	from (select * from side order by side) having count(distinct phase) > 1
	union all
	select 3, 'batch', 'steps have ' || printf('%g', batch) || ' and '
		|| printf('%g', new_batch) || ' samples: times are those of a sample'
	from batches where batch > 0 and new_batch > 0 and batch <> new_batch
	union all
	select 3, 'elsewhere', printf('outside of %s the run takes %.3g s %s, '
				|| '%.3g instead of %.3g s', e.phase, abs(e.new - e.base) / 1e9,
			case when e.new > e.base then 'more' else 'less' end, e.new / 1e9,
			e.base / 1e9)
		|| coalesce((select printf(', most of it in %s (%+.3g s)', name, more / 1e9)
			from other where name <> e.phase and more * 1.0 / (e.new - e.base) > 0.5
			order by abs(more) desc limit 1), '')
	from elsewhere e where abs(e.new - e.base) > 0.05 * e.whole
	union all
	select 4, 'cut', label || ' was truncated: a process was interrupted' from named
	where cut <> 0
	union all
	select 4, 'status', label || ' ended with status ' || exit_status from named
	where exit_status <> 0
	union all
	select 5, 'lost', label || printf(' lost %,d events', sum(l.count)) from named n
		join loss l on l.run_id = n.run_id where l.count > 0 group by n.side
	union all
	select 6, 'steps', label || ' marks no steps: those compared are derived from ' || how
	from named n join found f using (side) where not exists (select 1 from unlike)
	union all
	select 6, 'steps', case when (select count(distinct how) from found) > 1
		then (select 'steps that are not marked are derived from '
			|| group_concat(how, ' and from ') || '. The runs' from found)
		else printf('steps that are not marked are derived from the period of the '
				|| 'collectives, which differs between these runs: %,d and %,d kB '
				|| 'are sent in a step. The runs', round(base / 1e3),
			round(new / 1e3)) end
		|| ' are compared as a whole; mark the steps (tacho.h, tacho.py)' from unlike
	union all
	select 6, 'steps', label || ' has no steps' from named
	where side not in (select side from side_size) and not exists (select 1 from unlike)
	union all
	select 6, 'mean', printf('the mean time of a ' || unit
			|| ' changed otherwise than the median (%+.0f %% and %+.0f %%): a '
			|| 'few long ones outweigh the others',
		100 * mean, 100 * median)
	from turned cross join unit where unit <> 'run'
		and (abs((1 + mean) / (1 + median) - 1) > 0.05 or mean * median < 0
			and min(abs(mean), abs(median)) > 0.02)
	union all
	select 7, 'core', label
		|| printf(': CPU oversubscription, its ranks waited for a core '
			|| '(run-queue wait) for %.0f %% of their time',
			100 * avg(m.value))
	from named n join metric m on m.run_id = n.run_id
	where m."window" = 'run' and m.model = 'counters' and m.name = 'without_core'
		and m.subject like 'node:%' group by n.side having avg(m.value) >= 0.1
	union all
	select 7, 'stand-in', label || ' ran on emulated GPUs, not on real ones' from named
	where nstandins > 0
	union all
	select 8, 'captured', label || printf(': %.3g %% of it was captured', 100 * m.value)
	from named n join metric m on m.run_id = n.run_id
	where m."window" = 'run' and m.model = 'quality' and m.name = 'captured' and m.subject = ''
		and m.value < 1
	union all
	select 8, 'detail', n.label || printf(
			': %.3g %% of it is in detail (--max-size): the parts of '
			|| 'its time are estimated from these, and its serialisation and transfer '
			|| 'are of other steps than those of the other run',
		100 * (1 - avg(m.value) / r.duration_ns))
	from named n join metric m on m.run_id = n.run_id join run r on r.id = n.run_id
	where m."window" = 'run' and m.model = 'quality' and m.name = 'not_in_detail'
		and m.subject glob 'rank:*' group by n.side having sum(m.value) > 0
) order by ord;
