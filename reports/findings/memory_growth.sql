-- A rank's memory (RSS) grows until its steps end: in each of the last four eighths of them by at
-- least half of what it grows in these on average, and not much slower than before, as caches do
-- that fill at the beginning. After its last sample in the steps it may have freed some. Nothing is
-- saved by it, but a longer run may end for want of memory: when all that is left on the node is
-- used, if its ranks go on growing so.
with recursive edge(i) as (
	select 0 union all select i + 1 from edge where i < 8
), steps as (
	select p.id, p.rank, p.node_id, min(s.start_ns) as begins, max(s.end_ns) as ends
	from process p join step s on s.run_id = p.run_id and s.process_id = p.id
	where p.run_id = :run and p.rank is not null group by p.id
), rss as (
	select b.id as process_id, s.t_ns, s.value, lead(s.t_ns, 1, s.t_ns + 1) over w as next_ns,
		lead(s.value, 1, s.value) over w as next_value, s.t_ns >= b.begins as in_steps
	from sample s join steps b on b.id = s.process_id and b.node_id = s.node_id
	where s.run_id = :run and s.name = 'proc.rss' and s.t_ns <= b.ends
	window w as (partition by s.process_id order by s.t_ns)
), span as (
	select b.id, b.rank, b.node_id, b.begins, max(r.t_ns) as ends, max(r.t_ns) - b.begins as ns
	from steps b join rss r on r.process_id = b.id
	group by b.id having max(r.t_ns) > b.begins and sum(r.in_steps) >= :leak_samples
), at as (
	select b.id, e.i, r.value + (r.next_value - r.value) * (b.begins + e.i * b.ns / 8.0
			- r.t_ns) / (r.next_ns - r.t_ns) as bytes
	from span b join edge e join rss r on r.process_id = b.id
		and r.t_ns <= b.begins + e.i * b.ns / 8.0
		and r.next_ns > b.begins + e.i * b.ns / 8.0
), grown as (
	select id, i, bytes, bytes - lag(bytes) over (partition by id order by i) as more from at
), steady as (
	select b.rank, b.node_id, max(case g.i when 4 then g.bytes end) as half,
		max(case g.i when 8 then g.bytes end) as bytes,
		sum(case when g.i > 4 then g.more end) as last
	from grown g join span b on b.id = g.id group by b.id
	having count(*) = 9 and min(case when g.i > 4 then g.more end) >= :most * last / 4
		and last >= :most * sum(case when g.i between 1 and 4 then g.more end)
		and last >= :leak_bytes and last >= :leak_part * max(g.bytes)
), held as (
	select n.id, n.hostname, sum(s.last) as more, (select value from sample m
			where m.run_id = :run and m.node_id = n.id and m.name = 'mem.available'
			order by m.t_ns desc limit 1) as free
	from steady s join node n on n.id = s.node_id group by n.id
)
select 0.0 as seconds, s.rank, 2e-6 * s.last / t.n as mb, s.half / 1e6 as half,
	s.bytes / 1e6 as bytes, n.hostname, n.free / 1e9 as gb,
	cast(n.free / n.more * t.n / 2 as integer) as steps,
	nullif((select count(*) from steady) - 1, 0) as others
from steady s join held n on n.id = s.node_id join finding_steps t
where t.n > 0 order by s.last desc limit 1;
