-- The program itself computes while the device has nothing to do: not launching, not reading.
-- Where kernels are so short that launching them is the trouble, only waiting and sleeping count.
with input as (
	select coalesce(sum(starved), 0) as ns from finding_fed
), waiting as (
	select case when short then 0 else host end as host, wait, syncs, steps, most
	from finding_launch
), idle as (
	select host, wait, syncs, steps, min(host + wait, coalesce(most, host + wait)) as ns
	from waiting
)
select (l.ns - i.ns) / 1e9 as seconds, u.used, u.gpus,
	(l.ns - i.ns) / 1e7 / r.seconds_all as percent,
	100 * l.host / (l.host + l.wait) as computing
from idle l, input i, finding_gpus u, finding_run r
where l.syncs < :syncs * max(l.steps, 1);
