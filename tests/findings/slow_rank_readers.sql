-- readers of both ranks wait for the same slow storage: whose samples came last in most steps says nothing of its disk
-- expect input_storage 20 for storage
delete from host_time where "window" like 'step:%';
insert into host_time select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 5), (1, 'wait', 4), (1, 'mpi', 1), (2, 'useful', 7), (2, 'wait', 2), (2, 'mpi', 1)) s;
insert into location (id, run_id, process_id, ref, name, kind, nevents, bytes_read)
	select 10 * id + n, 1, id, 10 * id + n, 'reader', 'cpu_thread', 10, 1000000 from process, n where n < 2;
insert into location_time select 1, l.id, s.column1, s.column2 * 1e9 from location l,
	(values ('io', 80), ('useful', 10), ('wait', 10)) s where not l.is_main;
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 0, 9, 1, 1000000000, 0.5, 7000000000, 'io', 1, 0.9);
