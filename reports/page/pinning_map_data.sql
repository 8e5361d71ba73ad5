-- What the map of ranks and CPUs is drawn from.
select p.rank as "Rank|count", d.hostname as "Node", p.affinity as "CPUs",
	(select group_concat(substr(e.key, 6) || ': ' || e.value, '; ') from environment e
			where e.run_id = :run and e.scope = 'node:' || d.hostname
		and e.key glob 'numa.[0-9]*') as "NUMA nodes of the node"
from process p left join node d on d.id = p.node_id where p.run_id = :run and p.rank is not null
order by p.rank;
