-- Ranks of a node may only run on fewer cores than there are ranks, though the
-- node has more: they take turns. With k ranks on m cores their own time could be m/k of it; and
-- in MPI they wait for those who have the core, which polling ranks keep.
with recursive split(process_id, part, rest) as (
	select id, '', affinity || ',' from process
	where run_id = (select run_id from finding_run) and rank is not null and affinity <> ''
	union all
	select process_id, substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1) from split where rest <> ''
), cpu(process_id, n, last) as (
	select process_id, cast(part as integer), cast(substr(part, instr(part, '-') + 1) as integer) from split where part <> ''
	union all
	select process_id, n + 1, last from cpu where n < last
), node_cpus as (
	select d.id, d.hostname, count(distinct c.process_id) as ranks, count(distinct c.n) as cpus,
		(select cast(value as integer) from environment e where e.run_id = d.run_id and e.scope = 'node:' || d.hostname and e.key = 'cores') as cores
	from cpu c join process p on p.id = c.process_id join node d on d.id = p.node_id group by d.id
), worst as (
	select *, 1 - 1.0 * cpus / min(ranks, cores) as share from node_cpus where cpus < min(ranks, cores)
	order by share desc limit 1
), own as (
	select longest as ns, outside from finding_unit
)
select (select sum(ns - outside * (1 - w.share)) / 1e9 from own),
	printf('%d ranks on node %s share %d of its %d cores', w.ranks, w.hostname, w.cpus, w.cores) as message,
	printf('select n.hostname, p.rank, p.affinity from process p join node n on n.id = p.node_id where p.run_id = %d and p.rank is not null', r.run_id) as evidence,
	'bind each rank to cores of its own: mpirun --map-by core --bind-to core (or numa), srun --cpu-bind=cores' as advice,
	'medium: an upper bound, as if MPI moved data in no time' as confidence
from worst w, finding_run r;
