-- All ranks sleep, for a time that the program gives. Of one that alone does others tell
-- (slow_rank, load_imbalance), and host_starves where GPUs wait for it: next to a GPU that computes
-- it costs nothing. Where one does not in the last fifth of the run, nor after its first step, it
-- is how ranks wait for each other to start. The call is the one that all of them sleep in most, of
-- main threads.
with first as (
	select min((select s.end_ns from step s where s.run_id = :run and s.process_id = p.id
			order by s.n limit 1)) as end_ns
	from process p where p.run_id = :run and p.rank is not null
), slept as (
	select min(case name when 'slept' then value end) as ns, sum(name = 'slept') as n,
		max(case when name = 'slept_until'
				and value < :nearly_all * 1e9 * (select seconds_all
				from finding_run) and value <= coalesce((select end_ns
				from first), value) then value end) as until
	from metric where run_id = :run and "window" = 'run' and model = 'host'
		and name in ('slept', 'slept_until')
), used as (
	select substr(i.subject, length('rank:' || p.rank || ':') + 1) as name,
		sum(c.value) as calls, sum(i.value) as ns, count(*) as ranks
	from process p join metric i on i.run_id = p.run_id and i."window" = 'run'
		and i.model = 'host' and i.name = 'slept_in'
		and i.subject glob 'rank:' || p.rank || ':*'
	join metric c on c.run_id = i.run_id and c."window" = i."window" and c.model = i.model
		and c.name = 'sleeps' and c.subject = i.subject
	where p.run_id = :run and p.rank is not null
	group by 1 order by (ranks >= (select nranks from finding_run)) * min(i.value) desc,
		ns desc limit 1
), program as (	-- what it is written in, and whether it uses torch.distributed
	select case when not exists (select 1 from environment where run_id = :run
				and (key = 'python' or key = 'exe' and value like '%/python%'))
		then 'other' when exists (select 1 from call where run_id = :run
				and class = 'gloo') then 'torch' else 'python' end as kind
), line as (	-- where each of them waits for most of that time
	select text from (
		select text, rank, sum(ns) as ns from finding_python
		where thread = 'main' and state = 'wait' group by 1, 2
	) p, slept, noise_constant
	where p.ns >= most * slept.ns group by text
	having count(*) = (select nranks from finding_run)
	order by sum(p.ns) desc limit 1
)
select s.ns / 1e9 as seconds, s.ns / 1e7 / r.seconds_all as percent, c.name as call, c.calls,
	case when s.begins then s.until / 1e9 end as begins,
	case when s.begins and g.kind = 'torch' then 'begins'
		when s.begins then 'begins_other' when g.kind = 'other' then 'other' end as advice,
	(select text from line) as line
from (select *, until is not null as begins from slept) s, used c, program g, finding_run r
where s.n = r.nranks and s.ns >= :some * 1e9 * r.seconds_all
	and not exists (select 1 from finding_gpu);
