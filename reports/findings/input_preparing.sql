-- The main threads wait for readers that compute: too few of them, or too much to do per sample. Where
-- readers take the cores, too, the main threads would have them: what they waited for one, times the part
-- of all that ran on the nodes that the readers were.
with read as (
	select sum(io) as io, sum(useful) as useful, sum(life) as life, 1.0 * count(*) / count(distinct rank) as per_rank
	from finding_reader
), gpus as (
	select case when exists (select 1 from finding_gpu) then 'GPUs' else 'ranks' end as what
), lost as (
	select sum(starved) / 1e9 as seconds from finding_input
), cores as (
	select sum(cast(value as integer)) as n from environment
	where run_id = (select run_id from finding_run) and scope like 'node:%' and key = 'cores'
), ran as (
	select sum(ns) as ns from (select max(value) - min(value) as ns from sample
		where run_id = (select run_id from finding_run) and process_id is null
			and name in ('cpu.user', 'cpu.nice', 'cpu.system') group by node_id, name)
), kept as (
	select avg(m.value) / 1e9 * min(1, d.useful * (1 - c.without) / a.ns) as seconds
	from read d, finding_core c, ran a join metric m on m.run_id = (select run_id from finding_run)
		and m."window" = 'run' and m.model = 'counters' and m.name = 'core_waited'
)
select l.seconds + case when c.n <= r.nranks * (1 + d.per_rank) and l.seconds >= 0.05 * r.seconds_all then coalesce(k.seconds, 0) else 0 end, printf('input starves the ' || g.what || ': they wait %.0f %% of the run for samples to be prepared; '
		|| '%.3g %s a rank, busy %.0f %%, of that %.0f %% computing', 100 * l.seconds / r.seconds_all,
		d.per_rank, case d.per_rank when 1 then 'reader' else 'readers' end,
		100.0 * (d.io + d.useful) / d.life, 100.0 * d.useful / (d.io + d.useful)) as message,
	printf('select l.name, t.state, t.ns / 1e9 as s from location_time t join location l on l.id = t.location_id '
		|| 'where t.run_id = %d and l.bytes_read > 0 and not l.is_main', r.run_id) as evidence,
	case when c.n <= r.nranks * (1 + d.per_rank)
		then printf('prepare samples offline: the %d cores are all taken, so more readers would not help', c.n)
		else 'more readers per rank, or prepare samples offline' end as advice,
	'high: the main threads'' waiting, step by step, while readers were busy' as confidence
from read d, lost l, gpus g, cores c, kept k, finding_run r where d.useful > d.io;
