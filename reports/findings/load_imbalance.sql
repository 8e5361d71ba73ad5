-- One rank has more to do than the average in a phase as a whole (of GPUs gpu_imbalance tells), and
-- no rank that is slow for a time explains it. It has more in most steps; in a phase without steps
-- the others wait for it so long in half of its times (the lower median): noise goes both ways.
-- Where ranks lack cores it must be more, and in phases that came once or twice more than a rank
-- may be without a core by bad luck. A rank that is slow in I/O has no more of it to do.
with typical as (
	select phase, ns * many as ns, many from (
		select phase, ns, row_number() over (partition by phase order by ns) as nth,
			count(*) over (partition by phase) as many
		from finding_instance where ns is not null)
	where nth = (many + 1) / 2
), io as (
	select substr(h."window", 7) as phase, p.rank, sum(h.ns) as ns from host_time h
		join process p on p.id = h.process_id
	where h.run_id = :run and h."window" between 'phase:' and 'phase;' and h.state = 'io'
		and p.rank in finding_slow_io group by 1, 2
)
select min(b.most - b.mean, coalesce(t.ns, b.most - b.mean)) / 1e9 as seconds, b.rank, b.ranks,
	100.0 * (b.most - b.mean) / b.mean as percent, nullif(b.phase, '') as phase,
	case b.phase when '' then 'run' else 'phase:' || b.phase end as "window",
	k.text as line
from finding_uneven b join finding_run r join finding_core c join noise_constant z
	left join finding_line k on k.rank = b.rank and k.thread = 'main'
		and k.ns >= z.most * (b.most - b.mean)
	left join typical t on t.phase = b.phase
where (coalesce(t.many, :instances) >= :instances or min(b.most - b.mean, t.ns) >= :unlucky_s * 1e9
		* c.without)
	and not exists (select 1 from finding_gpu)
	and b.phase not in (select phase from finding_serial)
	and not exists (select 1 from io where io.phase = b.phase and io.rank = b.rank
			and io.ns >= :most * (b.most - b.mean))
	and not exists (select 1 from straggler g join process p on p.run_id = g.run_id
			and p.rank = g.rank
		join step s on s.run_id = g.run_id and s.process_id = p.id and s.n = g.since_step
		left join phase f on f.id = s.phase_id
		where g.run_id = r.run_id and coalesce(f.name, '') = b.phase);
