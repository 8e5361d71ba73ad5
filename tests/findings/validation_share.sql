-- validating twice takes 30 % of the run; half of it would do
-- expect validation_share 15 validate takes 30 % of the run, 2 times
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select 10 * n + id, 1, id, 'validate', n, n * 20000000000, n * 20000000000 + 15000000000, 0 from process, n where n in (1, 2);
insert into host_time (run_id, process_id, window, state, ns) select 1, id, 'phase:validate', 'useful', 30000000000 from process;
