-- The processes of the run, where each ran and how it ended.
select p.name as "Process", d.hostname as "Node", cast(p.pid as text) as "PID",
	p.affinity as "CPUs", p.start_ns as "Start|ns", p.end_ns as "End|ns",
	coalesce(p.end, '') as "How it ended", (select count(*) from location l
			where l.run_id = p.run_id and l.process_id = p.id) as "Locations|count",
	(select sum(nevents) from location l where l.run_id = p.run_id and l.process_id = p.id)
		as "Events|count",
	(select l.inside from location l where l.run_id = p.run_id and l.process_id = p.id
			and l.inside is not null order by l.is_main desc limit 1)
		as "Inside at its end|path"
from process p left join node d on d.id = p.node_id
where p.run_id = :run order by p.rank is null, p.rank, p.id limit 2000;
