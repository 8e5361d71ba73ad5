-- both ranks validate, and the storage of rank 1 is slow, as it is in the steps: it has no more to do, nor does it alone
-- expect step_wait 30 rank 1 waits in 10 of 10 steps, 3 s each, in I/O, in read() at data.py:7
-- expect exposed_io/reads 18 no prefetching: the main threads read between
update host_time set ns = 4000000000 where "window" like 'step:%' and state = 'useful';
insert into host_time (run_id, process_id, window, state, ns) select 1, 2, 'step:' || n, 'io', 3000000000 from n;
update host_time set ns = 6000000000 where "window" like 'step:%' and state = 'mpi' and process_id = 1;
update host_time set ns = 3000000000 where "window" like 'step:%' and state = 'mpi' and process_id = 2;
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence, io_ns)
	values (1, 1, 0, 9, 1, 3000000000, 0.5, 30000000000, 'io', 1, 0.9, 30000000000);
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut) select 2 + id, 1, id, 'validate', 0, 0, 20000000000, 0 from process;
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'phase:validate', 'useful', 900000000), (1, 1, 'phase:validate', 'mpi', 19100000000),
	(1, 2, 'phase:validate', 'useful', 1900000000), (1, 2, 'phase:validate', 'io', 18100000000);
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/data/' || id, 'dataset', 1, 10, 0, 100000000, 0, id * 24000000000, 1, 0, 1, null, 10000000, 10000000, 1 from process;
insert into location_time (run_id, location_id, state, ns) select * from main_time;
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'io', '1', 1, 'read() at data.py:7', 10, 0, 9, 30e9, 40e9, 30e9);
