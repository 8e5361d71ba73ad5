-- What others took from the ranks while the compared steps ran, where it differs between the runs:
-- by how much longer a step of the new run is for it, `explains`, when a step is through with the
-- rank that lost most, and at most: twice of that. `beyond`: one lost so much that nothing can be
-- said, not even where both lost alike. Of phases where both runs have figures of them, else of the
-- run. Runs whose kernels or nodes do not say have no row.
with constant(amplified, least, most) as (values (
	2.0,	-- times: of two ranks that lose a share each in turns, a step loses both
	0.005,	-- of a step: less is not told apart by samples, one per second
	0.2	-- of a rank's time: beyond, ranks that poll in MPI take cores that others wait for
)), known as (
	select s.side, s.run_id, s."window", exists (select 1 from metric m
		where m.run_id = s.run_id
		and m."window" = s."window" and m.model = 'counters' and m.name in ('core_waited',
			'stolen', 'gpu_clock')) as here
	from share s
), place as (
	select side, run_id, case when (select min(here) from known) then "window" else 'run' end
		as "window"
	from known
), life as (
	select p.side, o.rank, sum(h.ns) as ns
	from place p join host_time h on h.run_id = p.run_id and h."window" = p."window"
		join process o on o.id = h.process_id and o.rank is not null
	where h.state <> 'absent' group by p.side, o.rank
), value(kind, side, value) as (
	select 'core', p.side, max(min(0.95, m.value / l.ns))
	from place p join metric m on m.run_id = p.run_id and m."window" = p."window"
		and m.model = 'counters' and m.name = 'core_waited'
		join life l on l.side = p.side and m.subject = 'rank:' || l.rank
	where l.ns > 0 group by p.side
	union all
	-- of nodes that report their CPUs: without steal there is no row
	select 'steal', p.side, coalesce((select max(min(0.95, m.value)) from metric m
			where m.run_id = p.run_id and m."window" = p."window"
			and m.model = 'counters' and m.name = 'stolen'), 0)
	from place p where exists (select 1 from metric m
		where m.run_id in (select run_id from pair)
		and m.model = 'counters' and m.name = 'stolen')
	union all
	select 'gpu', p.side, min(m.value)
	from place p join metric m on m.run_id = p.run_id and m."window" = p."window"
		and m.model = 'counters' and m.name = 'gpu_clock' group by p.side
	union all
	select 'frequency', p.side, m.value
	from place p join metric m on m.run_id = p.run_id and m."window" = 'run'
		and m.model = 'host'
		and m.name = 'useful_frequency' and m.subject = '' and m.value is not null
), joined as (
	select kind, max(case side when 1 then value end) as base,
		max(case side when 2 then value end) as new
	from value group by kind having count(*) = 2
), explained as (
	select kind, base, new, case when kind in ('core', 'steal') then (1 - base) / (1 - new)
			else base / nullif(new, 0) end - 1 as explains
	from joined
)
select kind, base, new, explains, amplified,
	kind in ('core', 'steal') and max(base, new) >= most as beyond, case kind
	when 'core' then printf('a rank had no core (run-queue wait) for %.1f %% of its time in '
		|| 'one run and %.1f %% in the other', 100 * base, 100 * new)
	when 'steal' then printf('the hypervisor took %.1f %% of the CPU time in one run and '
		|| '%.1f %% in the other', 100 * base, 100 * new)
	when 'gpu' then printf('GPUs ran at %.0f %% of their clock in one run and %.0f %% in the '
		|| 'other',
		100 * base, 100 * new)
	else printf('CPUs ran at %.2f GHz in one run and %.2f in the other', base / 1e9,
		new / 1e9) end
		as words
from explained cross join constant
where abs(explains) >= least or kind in ('core', 'steal') and max(base, new) >= most
		and base <> new	-- a run next to itself is neither slower nor faster
order by beyond desc, abs(explains) desc;
