-- Two phases of 50 s: rank 0 works 45 and 25 s in them, rank 1 25 and 45. Even, each takes 10 s less.
-- expect ideal_network/serialisation 20 ranks wait for each other for 20 % of the run
delete from step;
delete from phase;
delete from host_time;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select id, 1, id, 'one', 0, 0, 50000000000, 0 from process union all select id + 2, 1, id, 'other', 0, 50000000000, 100000000000, 0 from process;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, column2, 'phase:' || column1, column3, column4 * 1e9 from (values ('one', 1, 'useful', 45), ('one', 1, 'mpi', 5), ('one', 2, 'useful', 25),
	('one', 2, 'mpi', 25), ('other', 1, 'useful', 25), ('other', 1, 'mpi', 25), ('other', 2, 'useful', 45), ('other', 2, 'mpi', 5));
insert into host_time (run_id, process_id, window, state, ns) select 1, process_id, 'run', state, sum(ns) from host_time group by 2, 4;
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'mpi', 'ideal_network_runtime', '', 90e9, 'ns', null);
