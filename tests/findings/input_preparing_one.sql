-- readers of two ranks compute all the time; 1 s of each step all wait for them, rank 1 waits 3 s longer: no second is promised twice
-- expect step_wait 30 rank 1 waits in 10 of 10 steps, 3 s each, for data-loader workers, in decode() at data.py:7
-- expect data_loading/preparing 10 for samples to be prepared; 2 data-loader workers per rank
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 5), (1, 'wait', 1), (1, 'mpi', 4), (2, 'useful', 5), (2, 'wait', 4), (2, 'mpi', 1)) s;
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'readers', '1', 1, 'decode() at data.py:7', 10, 0, 9, 30e9, 60e9, 30e9);
insert into location (id, run_id, process_id, ref, name, kind, nevents, bytes_read)
	select 10 * id + n, 1, id, 10 * id + n, 'reader', 'cpu_thread', 10, 1000000 from process, n where n < 2;
insert into location_time (run_id, location_id, state, ns) select 1, l.id, s.column1, s.column2 * 1e9 from location l,
	(values ('io', 10), ('useful', 80), ('wait', 10)) s where not l.is_main;
