-- All ranks sleep, for a time that the program gives. Of one that alone does others tell
-- (slow_rank, load_imbalance), and host_starves where GPUs wait for it: beside a GPU that computes
-- it costs nothing. Where none does in the last fifth of the run it is how ranks wait for each
-- other to start.
with slept as (
	select min(case name when 'slept' then value end) as ns, sum(name = 'slept') as n,
		max(case name when 'slept_until' then value end) as until
	from metric where run_id = :run and "window" = 'run' and model = 'host'
		and name in ('slept', 'slept_until')
), used as (
	select c.name, sum(c.calls) as calls from call c join process p on p.id = c.process_id
	where c.run_id = :run and p.rank is not null
		and c.name in ('nanosleep', 'clock_nanosleep', 'usleep', 'sleep')
	group by c.name order by sum(c.total_ns) desc limit 1
)
select s.ns / 1e9, printf('all ranks sleep %.0f %% of the run%s, in %s (%,d calls)',
		s.ns / 1e7 / r.seconds_all,
		case when s.begins then printf(', in its first %.3g s', s.until / 1e9) else '' end,
		c.name, c.calls) as message,
	printf('select subject, value / 1e9 as s from metric where run_id = %d '
			|| 'and model = ''host'' and name = ''slept''', r.run_id) as evidence,
	case when s.begins then 'ranks that ask again and again whether all are there '
			|| '(torch.distributed''s store) sleep until the last has come: '
			|| 'start ranks '
			|| 'together, and look at what the last does '
				|| 'before; or find out who else sleeps (time.sleep)'
		else 'find out who sleeps (a pause between attempts, a limit '
			|| 'on the rate, time.sleep): wait for what is meant instead' end as advice,
	'high: what main threads slept, the least of the ranks' as confidence
from (select *, coalesce(until < 8e8 * (select seconds_all from finding_run), 0) as begins
		from slept) s, used c, finding_run r where s.n = r.nranks
	and s.ns >= 0.1e9 * r.seconds_all and not exists (select 1 from finding_gpu);
