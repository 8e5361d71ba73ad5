-- as memory_growth.sql, but rank 1 frees nearly all of it before the first sample after the steps
-- expect memory_growth 0 the memory of rank 1 grows steadily to the last step, by about
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, p.id, 'proc.rss', t.column1 * 1e9, 1e6 * (200 + case p.rank when 1 then 4 * t.column1 * (t.column1 < 100) else 0 end)
	from process p, (values (0), (15), (25), (35), (45), (55), (65), (75), (85), (95), (98), (105)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	values (1, 1, null, 'mem.available', 0, 20e9), (1, 1, null, 'mem.available', 1e11, 16e9);
