-- All ranks sleep in a call, for a time that the program gives. Of one that alone does others tell
-- (slow_rank, load_imbalance), and host_starves where GPUs wait for it: next to a GPU that computes
-- it costs nothing. Where one does not in the last fifth of the run, nor after its first step, it
-- is how ranks wait for each other to start. Of main threads.
with first as (
	select min((select s.end_ns from step s where s.run_id = :run and s.process_id = p.id
			order by s.n limit 1)) as end_ns
	from process p where p.run_id = :run and p.rank is not null
), slept as (
	select substr(m.subject, length('rank:' || p.rank || ':') + 1) as name, p.rank, m.value
			as ns,
		(select c.value from metric c where c.run_id = m.run_id and c."window" = 'run'
			and c.model = 'host' and c.name = 'sleeps' and c.subject = m.subject)
			as calls,
		(select u.value from metric u where u.run_id = m.run_id and u."window" = 'run'
			and u.model = 'host' and u.name = 'slept_until'
			and u.subject = m.subject) as until
	from process p join metric m on m.run_id = p.run_id and m."window" = 'run'
		and m.model = 'host' and m.name = 'slept_in'
		and m.subject glob 'rank:' || p.rank || ':*'
	where p.run_id = :run and p.rank is not null
), used as (
	select name, min(ns) as ns, sum(calls) as calls, count(*) as ranks, max(case
			when until < :nearly_all * 1e9 * (select whole from finding_run)
				and until <= coalesce((select end_ns from first), until)
			then until end) as until
	from slept group by name
), program as (	-- what it is written in, and whether it uses torch.distributed
	select case when not exists (select 1 from environment where run_id = :run
				and (key = 'python' or key = 'exe' and value like '%/python%'))
		then 'other' when exists (select 1 from call where run_id = :run
				and class = 'gloo') then 'torch' else 'python' end as kind
), seen as (
	select s.call, p.rank, coalesce(f.own_id, f.id) as place, sum(s.ns) as ns
	from python_sample s join process p on p.id = s.process_id
		join location l on l.id = s.location_id join python_frame f on f.id = s.frame_id
	where s.run_id = :run and p.rank is not null and l.is_main and s.state = 'wait'
	group by 1, 2, 3
), place as (	-- where each of them was for most of that time
	select u.name, l.text, sum(s.ns) as ns
	from used u join noise_constant z
		join seen s on (s.call = u.name or u.name glob s.call || ' (*')
		join python_frame f on f.id = s.place
		join (select distinct file, function, line, text from finding_python) l
			on l.file = f.file and l.function = f.function and l.line is f.line
	group by 1, 2, s.rank, z.most, u.ns having sum(s.ns) >= z.most * u.ns
), line as (
	select name, text, sum(ns) as ns from place group by 1, 2
	having count(*) = (select nranks from finding_run)
)
select u.ns / 1e9 as seconds, u.ns / 1e7 / r.seconds_all as percent, u.name as call, u.calls,
	u.until / 1e9 as begins,
	case when u.until is not null and g.kind = 'torch' then 'begins'
		when u.until is not null then 'begins_other'
		when g.kind = 'other' then 'other' end as advice,
	(select text from line where line.name = u.name order by ns desc limit 1) as line
from used u, program g, finding_run r
where u.ranks = r.nranks and u.ns >= :some * 1e9 * r.seconds_all
	and not exists (select 1 from finding_gpu);
