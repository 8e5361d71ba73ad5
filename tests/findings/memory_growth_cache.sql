-- a cache that fills in the first half, one that slows down, and, of the other rank, a jump now and then
-- expect nothing
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, p.id, 'proc.rss', t.column1 * 1e9, 1e6 * (200 + case p.rank when 1 then 400 - 400 / (1 + t.column1 / 5) else 200 * (t.column1 > 30) + 100 * (t.column1 > 80) end)
	from process p, (values (0), (15), (25), (35), (45), (55), (65), (75), (85), (95), (99.9), (101)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	values (1, 1, null, 'mem.available', 0, 20e9), (1, 1, null, 'mem.available', 1e11, 16e9);
