-- What tacho doctor measured on each node before, and the run's rates as shares of it: by counters,
-- or where these did not grow, as of a short run whose writes the page cache took, by calls.
with kind(ord, name, label, roof) as (values
	(1, 'storage_read', 'storage read', 'storage_read'),
	(2, 'storage_write', 'storage write', 'storage_write'),
	(3, 'network_sent', 'network sent', 'network'),
	(4, 'network_received', 'network received', 'network')
), rate as (
	select d.hostname as node, k.ord, k.label, cast(e.value as real) as roof,
		(select cast(x.value as real) from environment x where x.run_id = :run
			and x.scope = e.scope and x.key = 'expected.' || k.roof || '_gbps')
			as expected,
		(select m.value / 1e9 from metric m where m.run_id = :run and m."window" = 'run'
			and m.subject = e.scope and m.name = k.name
			and m.model in ('calls', 'counters')
			order by m.value > 0 desc, m.model desc limit 1) as mean,
		(select m.value / 1e9 from metric m where m.run_id = :run and m."window" = 'run'
			and m.subject = e.scope and m.name = k.name || '_peak'
			and m.model in ('calls', 'counters')
			order by m.value > 0 desc, m.model desc limit 1) as peak
	from node d join environment e on e.run_id = :run and e.scope = 'node:' || d.hostname
		join kind k on e.key = 'roof.' || k.roof || '_gbps'
	where d.run_id = :run
)
select node as "Node", label as "What", roof as "Roof|number|Gb/s, by tacho doctor",
	roof / expected as "Roof of expected|percent|of what the site expects of the machine",
	'nothing was expected: tacho doctor --expect' as "|why",
	
	mean as "Mean|number|Gb/s over the run", mean / roof as "of the roof|percent",
	peak as "Peak|number|Gb/s, highest second",
	peak / roof as "of the roof |percent|above 100 %: the page cache, several disks or links"
from rate where mean > 0 order by node, ord;
