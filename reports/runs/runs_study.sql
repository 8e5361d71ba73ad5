-- For the page of several runs, executed before its queries: the temporary table `study`, a row per
-- run. Runs are of one configuration when their labels differ in a number at the end only
-- (resnet50-2, resnet50-n4); where that gives two runs of one size, each is its own. But runs of
-- one label, command and size are repetitions: the whole one of median time stands for its size
-- (`counts`) and for all of them (`nruns`). Runs on emulated GPUs carry that in their name wherever
-- it is shown. GPUs are those that did something, as a process may see more than it uses. Before
-- it `study_samples`: the samples that the steps of each phase reported (name NULL: outside of
-- all), the phase with most samples first.
create temp table study_samples as
with each as (
	select s.run_id, s.phase_id, s.samples, s.n, null as process_id, 0 as rest from step s
	union all
	select run_id, phase_id, samples, null, process_id, steps from step_rest
), rest as (
	select e.run_id, f.name, sum(e.rest) as steps from each e
		left join phase f on f.id = e.phase_id where e.rest > 0
	group by e.run_id, f.name, e.process_id
)
select e.run_id, f.name, sum(e.samples) as samples,
	count(distinct e.n) + coalesce((select max(steps) from rest r
			where r.run_id = e.run_id and r.name is f.name), 0) as steps,
	row_number() over (partition by e.run_id order by sum(e.samples) desc) as nth
from each e left join phase f on f.id = e.phase_id group by e.run_id, f.name
having sum(e.samples) > 0;
-- What tacho sweep fills in: its sentences, and what repetitions of a point differ by.
create temp table sweep_said(line, level, sentence);
create temp table sweep_point(run_id integer primary key, runs, least_ns, median_ns, most_ns,
	least_rate, most_rate);
create temp table study as
with spent as (
	select run_id, name, ns from phase_all
), numbered as (
	select *, rtrim(rtrim(label, ')'), '0123456789') as bare from run
), named as (	-- runs of one label are numbered when they come together: big-n2, big-n2 (5)
	select *, case when label like '%)' and bare like '% ('
			then substr(bare, 1, length(bare) - 2) else label end as name
	from numbered
), sized as (
	select r.id, r.label, r.name, coalesce(r.command, r.id) as command,
		r.nranks, r.duration_ns, r.cut,
		r.cut <> 0 or coalesce(r.exit_status, 0) <> 0 as ended_early,
		rtrim(r.name, '0123456789') as stem,
		(select count(*) from device d where d.run_id = r.id) as nvisible,
		(select count(distinct t.device_id) from device_time t
				where t.run_id = r.id and t."window" = 'run'
			and t.state not like 'idle:%' and t.state <> 'absent') as nused,
		(select count(*) from device d where d.run_id = r.id
				and d.kind = 'stand-in') as nstandins,
		(select count(*) from node n where n.run_id = r.id) as nnodes,
		c.samples * 1e9 / nullif(coalesce(t.ns,
					(select max(end_ns) - min(start_ns) from process p
			where p.run_id = r.id and p.rank is not null), r.duration_ns)
			- coalesce(l.ns, 0), 0) as rate
	from named r left join study_samples c on c.run_id = r.id and c.nth = 1
		left join spent t on t.run_id = r.id and t.name = c.name
		left join lost_time l on l.run_id = r.id
			and l."window" = coalesce('phase:' || c.name, 'run')
), counted as (
	select *, case when nused > 0 then nused else nvisible end as ngpus from sized
), based as (
	select *, case when ngpus > 0 then ngpus else nranks end as units,
		case when stem = '' or stem = name then name
		when length(stem) > 2 and substr(stem, -2) in ('-n', '_n', ' n', '-r', '_r')
			then substr(stem, 1, length(stem) - 2)
		else coalesce(nullif(rtrim(stem, '-_ '), ''), name) end as base
	from counted
)
select id as run_id, label || case when nstandins > 0 then ' (emulated)' else '' end as label,
	nranks, duration_ns, cut, ngpus, nvisible, nstandins, nnodes, rate, units,
	case when max(differ) over (partition by base) then label else base end as configuration,
	nth = (max(1, nwhole) + 1) / 2 as counts, max(1, nwhole) as nruns
from (select *, min(name) over size <> max(name) over size
			or min(command) over size <> max(command) over size as differ,
		row_number() over (again order by ended_early, duration_ns, id) as nth,
		sum(not ended_early) over again as nwhole
	from based window size as (partition by base, units),
		again as (partition by base, units, name, command));
