-- needs: unseen_tables
-- For tacho history and the baselines of tacho compare, executed before their queries. The
-- temporary table `history_wanted` (label, branch, last) says which runs: NULL is any. `history`:
-- a row per run, in the order in which they began. The phase that counts is the one with most
-- samples, else with most steps; '' are steps outside of phases, NULL is a run without steps.
create temp table history as
with told as (
	select r.*, (select value from environment e where e.run_id = r.id and e.scope = ''
			and e.key = 'TACHO::COMMIT') as commit_hash,
		(select value from environment e where e.run_id = r.id and e.scope = ''
			and e.key = 'TACHO::BRANCH') as branch
	from run r
), wanted as (
	select t.*, row_number() over (order by coalesce(start_ns, analyzed_ns) desc, t.id desc)
		as back
	from told t cross join history_wanted w
	where (w.label is null or t.label = w.label)
		and (w.branch is null or t.branch = w.branch)
), counted as (
	select s.run_id, coalesce(f.name, '') as phase, sum(s.samples) as samples,
		sum(s.steps) as steps
	from step_all s left join phase f on f.id = s.phase_id where s.cut = 0
	group by s.run_id, coalesce(f.name, '')
), main as (
	select run_id, phase, row_number() over (partition by run_id
		order by samples is null, samples desc, steps desc, phase) as nth
	from counted
)
select t.id as run_id, row_number() over (order by back desc) as nth, t.label, t.commit_hash,
	t.branch, t.path, t.start_ns,
	datetime(coalesce(t.start_ns, t.analyzed_ns) / 1000000000, 'unixepoch') as began,
	t.nranks, (select count(*) from device d where d.run_id = t.id) as ngpus,
	t.cut or coalesce(t.exit_status, 0) <> 0 as failed, t.duration_ns, m.phase,
	case when m.phase <> '' and exists (select 1 from host_time h
		where h.run_id = t.id and h."window" = 'phase:' || m.phase)
		then 'phase:' || m.phase else 'run' end as "window"
from wanted t cross join history_wanted w left join main m on m.run_id = t.id and m.nth = 1
where back <= coalesce(w.last, back);
create unique index temp.history_run on history(run_id);

-- `history_step`: of each run the median time from the begin of a step to that of the next one,
-- mean over the ranks, without the first tenth (1 to 50 steps), in which programs warm up; as
-- tacho compare has it. Without steps it is the time of the run, and `unit` says so. own_ns: half
-- of what the medians of the four quarters of the run differ by.
create temp table history_step as
with next as (
	select s.run_id, s.n, s.phase_id, s.cut, s.start_ns, case
		when lead(phase_id) over w is phase_id and lead(n) over w = n + 1
			then lead(start_ns) over w
		else end_ns end as until_ns
	from step s where s.run_id in (select run_id from history)
	window w as (partition by s.run_id, s.process_id order by s.n)
), each as (
	select h.run_id, s.n, avg(s.until_ns - s.start_ns) as ns,
		row_number() over (partition by h.run_id order by s.n) as i,
		count(*) over (partition by h.run_id) as steps
	from history h join next s on s.run_id = h.run_id left join phase f on f.id = s.phase_id
	where s.cut = 0 and coalesce(f.name, '') = h.phase group by h.run_id, s.n
), warm as (
	select run_id, ns, ntile(4) over (partition by run_id order by i) as quarter from each
	where i > case when steps < 3 then 0 else max(1, min(50, steps / 10)) end
), timed as (
	select run_id, median(ns) as ns from warm group by run_id
), quarter as (
	select run_id, median(ns) as ns from warm group by run_id, quarter
), own as (
	select run_id, (max(ns) - min(ns)) / 2 as ns from quarter group by run_id
)
select h.run_id, coalesce(t.ns, h.duration_ns) as ns, coalesce(o.ns, 0) as own_ns,
	case when t.ns is null then 'run' else 'step' end as unit
from history h left join timed t on t.run_id = h.run_id left join own o on o.run_id = h.run_id;

-- `history_figure`: what is followed; better: which way is better; times `factor` it is
-- `said_unit`; a change of the last runs by less than `least` is none.
create temp table history_figure as
with followed(ord, figure, title, unit, better, factor, said_unit, least) as (values
	(1, 'step_ns', 'time of a step', 'ns', 'less', 1e-6, 'ms', 0),
	(2, 'samples_per_s', 'samples per second', 'number', 'more', 1, '1/s', 0),
	(3, 'parallel_efficiency', 'parallel efficiency', 'efficiency', 'more', 1, '', 0.02),
	(4, 'load_balance', 'load balance', 'efficiency', 'more', 1, '', 0.02),
	(5, 'communication_efficiency', 'communication efficiency', 'efficiency', 'more', 1, '',
		0.02),
	(6, 'idle', 'idle', 'percent', 'less', 100, '%', 0.02),
	(7, 'storage_read_gbps', 'storage read', 'number', '', 1, 'Gb/s', 0.02),
	(8, 'storage_write_gbps', 'storage written', 'number', '', 1, 'Gb/s', 0.02),
	(9, 'network_sent_gbps', 'network sent', 'number', '', 1, 'Gb/s', 0.02))
select * from followed
union all
select 10, 'time_to_target', 'time to ' || min(e.value), 'ns', 'less', 1e-6, 'ms', 0
from history h join environment e on e.run_id = h.run_id and e.scope = ''
	and e.key = 'TACHO::TARGET' having count(distinct e.value) = 1
union all
select 11, 'best ' || t.name, 'best ' || t.name, 'number',
	case when t.falls then 'less' else 'more' end, 1, '', 0
from history h join training t on t.run_id = h.run_id group by t.name;

-- `history_value`: a row per figure and run that has it. Efficiencies are the device's where there
-- is one; rates are of all nodes, by the kernel's counters where there are any, else by calls.
-- Where some runs have steps, the time of one without is none of a step. `own`: what a value
-- may be off by itself.
create temp table history_value as
with sampled as (
	select h.run_id, (select sum(s.samples) from step_all s left join phase f on f.id =
		s.phase_id
			where s.run_id = h.run_id and s.cut = 0 and coalesce(f.name, '') = h.phase)
		* 1e9 / nullif(case h.phase when '' then h.duration_ns else (select a.ns
			from phase_all a where a.run_id = h.run_id and a.name = h.phase) end, 0)
		as value
	from history h
), efficiency as (
	select h.run_id, case m.model || '.' || m.name
		when 'device.device_parallel_efficiency' then 'parallel_efficiency'
		else m.name end as figure, m.value
	from history h join metric m on m.run_id = h.run_id and m."window" = h."window"
		and m.subject = ''
	where m.model = case when h.ngpus > 0 then 'device' else 'mpi' end
		and m.name in ('parallel_efficiency', 'device_parallel_efficiency', 'load_balance',
			'communication_efficiency')
		and (h.ngpus > 0 or h.run_id not in (select run_id from unseen))
), idle as (
	select h.run_id, sum(t.ns) filter (where t.state like 'idle:%') * 1.0
		/ nullif(sum(t.ns) filter (where t.state <> 'absent'), 0) as value
	from history h join device_time t on t.run_id = h.run_id and t."window" = h."window"
	where h.ngpus > 0 group by h.run_id
	union all
	select h.run_id, sum(t.ns) filter (where t.state <> 'useful') * 1.0 / nullif(sum(t.ns), 0)
	from history h join host_time t on t.run_id = h.run_id and t."window" = h."window"
		join process p on p.id = t.process_id and p.rank is not null
	where h.ngpus = 0 and t.state <> 'absent' group by h.run_id
), rate as (
	select h.run_id, m.name || '_gbps' as figure, m.model, sum(m.value) / 1e9 as value
	from history h join metric m on m.run_id = h.run_id and m."window" = 'run'
		and m.subject like 'node:%' and m.model in ('counters', 'calls')
		and m.name in ('storage_read', 'storage_write', 'network_sent')
	group by h.run_id, m.name, m.model
), reached as (
	select h.run_id, m.value from history h join metric m on m.run_id = h.run_id
		and m.model = 'training' and m.name = 'time_to_target'
), value as (
	select run_id, 'time_to_target' as figure, value, 0 as own from reached
	union all
	select h.run_id, 'best ' || t.name, t.best, 0
	from history h join training t on t.run_id = h.run_id
	union all
	select run_id, 'step_ns' as figure, ns as value, own_ns as own from history_step
	where unit = (select max(unit) from history_step)
	union all
	select run_id, 'samples_per_s', value, value * own_ns / ns
	from sampled join history_step using (run_id)
	union all
	select run_id, figure, value, 0 from efficiency
	union all
	select run_id, 'idle', coalesce(value, 0), 0 from idle
	union all
	select run_id, figure, coalesce(max(case model when 'counters' then value end), max(value)),
		0
	from rate group by run_id, figure
)
select v.run_id, h.nth, f.ord, f.figure, f.title, f.unit, f.better, v.value,
	max(f.least, v.own) as own
from value v join history_figure f using (figure) join history h on h.run_id = v.run_id
where v.value is not null;
