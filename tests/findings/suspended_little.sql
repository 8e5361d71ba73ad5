-- 0.9 s of 100
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, 2, 'proc.stopped', 2.2e10, 9e8;
