-- The main threads wait for readers that are in I/O: storage is the limit. Small reads wait for its
-- latency, and more of them at a time wait no longer; large ones share its bandwidth, however many
-- they are.
with gpus as (
	select case when exists (select 1 from finding_gpu) then 'GPUs' else 'ranks' end as what
), lost as (
	select sum(starved) / 1e9 as seconds from finding_input
), slow as (	-- writing a checkpoint is no input
	select c.name from call c where c.run_id = :run and c.class = 'io'
		and c.name not like '%write%' and c.name not like '%sync%'
	group by c.name order by sum(c.total_ns) desc limit 1
)
select l.seconds, printf('input starves the ' || g.what
		|| ': they wait %.0f %% of the run for storage; %.3g %s a rank, '
		|| 'busy %.0f %%, of that %.0f %% in I/O%s', 100 * l.seconds / r.seconds_all,
		d.per_rank,
		case d.per_rank when 1 then 'reader' else 'readers' end,
		100.0 * (d.io + d.useful) / d.life, 100.0 * d.io / (d.io + d.useful),
		coalesce((select ', most in ' || name from slow), '')) as message,
	printf('select p.name as process, l.name as thread, t.state, t.ns / 1e9 '
			|| 'as s from location_time t join location l on l.id = '
			|| 't.location_id '
		|| 'join process p on p.id = l.process_id where t.run_id = '
			|| '%d and l.bytes_read > 0 and not (l.is_main and p.rank '
			|| 'is not null)', r.run_id) as evidence,
	case when f.bytes >= 262144 * f.accesses
			then 'read from faster storage: stage the data set to a local disk or '
			|| 'memory; the reads are large, so more readers would share the '
			|| 'same bandwidth'
		else 'more readers a rank, to have more reads in flight; or '
			|| 'stage the data set to a local disk or memory' end as advice,
	c.sure as confidence
from finding_readers d, lost l, gpus g, finding_data f, finding_input_sure c, finding_run r
where d.io >= d.useful;
