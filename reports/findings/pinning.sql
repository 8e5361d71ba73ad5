-- Ranks of a node may only run on fewer cores than there are ranks, though the
-- node has more: they take turns. With k ranks on m cores their own time could be m/k of it; and
-- in MPI they wait for those who have the core, which polling ranks keep.
with worst as (
	select *, 1 - 1.0 * cpus / min(ranks, cores) as share from finding_node
	where cpus < min(ranks, cores)
	order by share desc limit 1
), own as (
	select longest as ns, outside from finding_part
)
select (select sum(ns - outside * (1 - w.share)) / 1e9 from own) as seconds, w.ranks, w.hostname,
	w.cpus, w.cores
from worst w, finding_run r;
