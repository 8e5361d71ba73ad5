-- The main threads wait for readers that are in I/O: storage is the limit. Small reads wait for its
-- latency, and more of them at a time wait no longer; large ones share its bandwidth, however many
-- they are.
with gpus as (
	select case when exists (select 1 from finding_gpu) then 'GPUs' else 'ranks' end as what
), lost as (
	select max(0, sum(starved) - (select readers from finding_late)) / 1e9 as seconds
	from finding_input
), slow as (	-- writing a checkpoint is no input
	select c.name from call c where c.run_id = :run and c.class = 'io'
		and c.name not like '%write%' and c.name not like '%sync%'
	group by c.name order by sum(c.total_ns) desc limit 1
)
select l.seconds, g.what, 100 * l.seconds / r.seconds_all as percent, d.per_rank,
	100.0 * (d.io + d.useful) / d.life as busy, 100.0 * d.io / (d.io + d.useful) as io,
	(select name from slow) as call,
	(select f.text from finding_fetching f, noise_constant z
		where f.ns >= z.most * f.fetched_ns) as line,
	case when f.bytes >= :large_read * f.accesses then 'large' else 'small' end as advice,
	c.sure as confidence
from finding_readers d, lost l, gpus g, finding_data f, finding_input_sure c, finding_run r
where d.io >= d.useful;
