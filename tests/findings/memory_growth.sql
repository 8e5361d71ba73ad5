-- ten steps of 10 s: rank 1 grows by 40 MB in each, rank 0 by nothing: 16 GB are left for 400 steps
-- expect memory_growth 0 the memory of rank 1 grows steadily to the last step, by about 40 MB a step (from 400 to 600 MB in the second half of the steps): after about 400 more steps the 16 GB left on node n1
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, p.id, 'proc.rss', t.column1 * 1e9, 1e6 * (200 + case p.rank when 1 then 4 * t.column1 else 0 end)
	from process p, (values (0), (15), (25), (35), (45), (55), (65), (75), (85), (95), (99.9), (101)) t;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	values (1, 1, null, 'mem.available', 0, 20e9), (1, 1, null, 'mem.available', 1e11, 16e9);
