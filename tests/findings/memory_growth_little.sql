-- 10 MB in half of the steps is the allocator's
-- expect nothing
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, 'proc.rss', t.column1 * 1e9, 1e6 * (200 + 0.2 * t.column1)
	from process p, (values (0), (15), (25), (35), (45), (55), (65), (75), (85), (95), (99.9), (101)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	values (1, 1, null, 'mem.available', 0, 20e9), (1, 1, null, 'mem.available', 1e11, 16e9);
