-- a fifth of the run less a second is a fair share
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select 10 * n + id, 1, id, 'validate', n, n * 20000000000, n * 20000000000 + 9500000000, 0 from process, n where n in (1, 2);
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:validate', 'useful', 19000000000 from process;
