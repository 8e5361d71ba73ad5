-- All nodes read the same bytes from storage that they share: what one has read the others read
-- again.
with nodes as (
	select count(*) as n from node where run_id = :run
), file as (
	select f.path, count(distinct p.node_id) as nodes, sum(f.bytes_read) as bytes,
		sum(f.ns) as ns
	from nodes cross join io_file f join process p on p.id = f.process_id
	where nodes.n > 1	-- one node's files, of which there are many, are not looked at
		and f.run_id = :run and f.class = 'dataset' and f.bytes_read > 0 group by f.path
), same as (
	select count(*) as files, sum(bytes) as bytes, sum(ns) as ns from file
	where nodes = (select n from nodes)
), exposed as (
	select case when exists (select 1 from finding_reader)
		then (select sum(starved) from finding_input)
			* (select 1.0 * sum(io) / sum(io + useful) from finding_reader)
		else (select sum(io) from finding_input) end / 1e9 as seconds
)
select e.seconds * s.ns / a.ns * (1 - 1.0 / n.n) as seconds, n.n as nodes, s.files,
	s.bytes / 1e9 as gb
from same s, nodes n, finding_data a, exposed e, finding_run r where n.n > 1;
