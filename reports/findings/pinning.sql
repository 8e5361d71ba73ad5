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
select (select sum(ns - outside * (1 - w.share)) / 1e9 from own),
	printf('%d ranks on node %s share %d of its %d cores', w.ranks, w.hostname, w.cpus,
			w.cores) as message,
	printf('select n.hostname, p.rank, p.affinity from process p join node '
			|| 'n on n.id = p.node_id where p.run_id = %d and p.rank is not null',
			r.run_id) as evidence,
	'bind each rank to cores of its own: mpirun --map-by core '
		|| '--bind-to core (or numa), srun --cpu-bind=cores' as advice,
	'medium: an upper bound, as if MPI moved data in no time' as confidence
from worst w, finding_run r;
