-- readers of two ranks compute all the time; 1 s of each step all wait for them, rank 1 waits 3 s longer: no second is promised twice
-- expect slow_rank 30 rank 1 on n1 is 50 % slower since step 0, in waiting for its data-loader workers: the other waited 30 s for it
-- expect input_preparing 10 for samples to be prepared; 2 data-loader workers per rank
delete from host_time where "window" like 'step:%';
insert into host_time select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 5), (1, 'wait', 1), (1, 'mpi', 4), (2, 'useful', 5), (2, 'wait', 4), (2, 'mpi', 1)) s;
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence, readers_ns)
	values (1, 1, 0, 9, 1, 3000000000, 0.5, 30000000000, 'readers', 1, 0.9, 30000000000);
insert into location (id, run_id, process_id, ref, name, kind, nevents, bytes_read)
	select 10 * id + n, 1, id, 10 * id + n, 'reader', 'cpu_thread', 10, 1000000 from process, n where n < 2;
insert into location_time select 1, l.id, s.column1, s.column2 * 1e9 from location l,
	(values ('io', 10), ('useful', 80), ('wait', 10)) s where not l.is_main;
