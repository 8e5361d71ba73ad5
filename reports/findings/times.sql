-- The findings in their order, and of what time their seconds are: a phase, a kind; who: others
-- wait for it; during: in or outside of steps. NULL: of any.
create temp table finding_ranked as
select row_number() over (order by rule = 'hang' desc, f.seconds desc, rule, message) as n, rule,
	variant, min(f.seconds, iif(account = 'ladder', r.of_steps, r.seconds_all)) as seconds,
	message, brief, evidence, advice, confidence, term, is_bound, certainty, rank, phase, line,
	first_step, last_step, of, from_ns, till_ns, account,
	(select f.rank from rule_key k where k.rule = f.rule and k.key = 'waited') as who,
	(select k.value from rule_key k where k.rule = f.rule and k.key = 'during'
		and (value <> 'steps' or exists (select 1 from step where run_id = :run)))
		as during
from temp.found f, finding_run r where f.seconds >= r.least or rule in ('hang',
	'memory_growth', 'quality');

create temp table finding_weight(n integer, phase text, kind text, w real);

-- A rank with more to do: what it has more of than the others, by its states, of computing the part
-- in which it had no core.
insert into finding_weight
with late as (
	select n, who, phase, coalesce('phase:' || phase, 'run') as "window" from finding_ranked
	where rule in ('serial_phase', 'unseen_communication', 'outside_more')
		and who is not null and till_ns is null and not exists (select 1 from finding_gpu)
), spent as (
	select h."window", p.rank, h.state, h.ns, case h.state when 'useful'
		then h.ns * coalesce(w.part, 0) else 0 end as lacked
	from host_time h join process p on p.id = h.process_id
		left join finding_without w on w.process_id = p.id
	where h.run_id = :run and p.rank is not null and h.state not in ('mpi', 'gloo', 'absent')
		and h."window" in (select "window" from late)
), part as (
	select "window", rank, 'own/' || case state when 'useful' then 'compute' else state end
		as kind, ns - lacked as ns from spent
	union all select "window", rank, 'own/contention', lacked from spent where lacked > 0
)
select l.n, l.phase, t.kind, max(0, sum(case when t.rank = l.who then t.ns
		else -1.0 * t.ns / (r.nranks - 1) end))
from late l join part t on t."window" = l."window" join finding_run r
where r.nranks > 1 group by l.n, t.kind;

-- Ranks without a core: in computing and in I/O.
insert into finding_weight
select f.n, null, case h.state when 'io' then 'own/io' else 'own/contention' end, 1.0 * sum(h.ns)
from finding_ranked f join host_time h on h.run_id = :run and h."window" = 'run'
		and h.state in ('useful', 'io')
	join process p on p.id = h.process_id and p.rank is not null
where f.rule = 'without_core' group by f.n, h.state;

-- One that comes late: until its first step, or from when the others are at the end.
insert into finding_weight
select n, case from_ns when 0 then '(start)' else '(end)' end, 'own', 1
from finding_ranked where till_ns is not null;
