-- How ranks of DistributedDataParallel exchanged gradients over gloo: all buckets, then each by its
-- place in the backward pass. A bucket is hidden while the pass still computes, exposed once it has
-- ended.
with passed as (
	select g.*, p.rank from gradient_pass g join process p on p.id = g.process_id
	where g.run_id = :run and p.rank is not null
), sized as (
	select b.process_id, b.n, b.bytes, b.exchanges, b.ns, b.exposed_ns
	from gradient_bucket b join passed p on p.process_id = b.process_id where b.run_id = :run
), kept as ( -- those of most passes, not of the first ones, before DDP sorted them anew
	select s.* from sized s join passed p on p.process_id = s.process_id
	where 2 * s.exchanges >= p.passes
), line as (
	select -1 as ord, 'all' as bucket, (select 1.0 * sum(k.bytes) / count(distinct
			k.process_id) from kept k) as bytes,
		(select count(*) * 1.0 / count(distinct k.process_id) from kept k) as buckets,
		sum(passes) as exchanges, sum(ns) as ns, sum(exposed_ns) as exposed_ns,
		min(1 - 1.0 * exposed_ns / ns) as least, count(*) as ranks
	from passed where ns > 0
	union all
	select coalesce(n, 1 << 31), coalesce(n + 1, 'others'), bytes, 1, sum(exchanges), sum(ns),
		sum(exposed_ns), min(1 - 1.0 * exposed_ns / nullif(ns, 0)), count(*)
	from sized group by n, bytes
)
select bucket as "Bucket|text|in the order in which the backward pass has it",
	buckets as "Buckets|number", bytes as "Gradients|bytes|of a pass",
	exchanges * 1.0 / ranks as "Exchanges|count|of a rank",
	1.0 * ns / exchanges as "Time|ns|from the post to the end, mean",
	1.0 * exposed_ns / exchanges as "Exposed|ns|of it after the backward pass, mean",
	1 - 1.0 * exposed_ns / ns as "Hidden|percent|of the time beside the backward pass",
	least as "Least|percent|hidden, of a rank"
from line where exchanges > 0 order by ord, exchanges desc limit 200;
