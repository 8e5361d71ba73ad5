-- All ranks sleep, for a time that the program gives. Of one that alone does others tell (slow_rank, load_imbalance), and
-- host_starves where GPUs wait for it: beside a GPU that computes it costs nothing.
with slept as (
	select min(value) as ns, count(*) as n from metric where run_id = (select run_id from finding_run)
		and "window" = 'run' and model = 'host' and name = 'slept'
), used as (
	select c.name, sum(c.calls) as calls from call c join process p on p.id = c.process_id
	where c.run_id = (select run_id from finding_run) and p.rank is not null and c.name in ('nanosleep', 'clock_nanosleep', 'usleep', 'sleep')
	group by c.name order by sum(c.total_ns) desc limit 1
)
select s.ns / 1e9, printf('all ranks sleep %.0f %% of the run, in %s (%,d calls)', s.ns / 1e7 / r.seconds_all, c.name, c.calls) as message,
	printf('select subject, value / 1e9 as s from metric where run_id = %d and model = ''host'' and name = ''slept''', r.run_id) as evidence,
	'find out who sleeps (a pause between attempts, a limit on the rate, time.sleep): wait for what is meant instead' as advice,
	'high: what main threads slept, the least of the ranks' as confidence
from slept s, used c, finding_run r where s.n = r.nranks and s.ns >= 0.1e9 * r.seconds_all and not exists (select 1 from finding_gpu);
