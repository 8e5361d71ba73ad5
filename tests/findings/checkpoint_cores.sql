-- the same checkpoint where each core has a rank: in the background it would take from one, unwritten it is 8 s less
-- expect checkpoint/all 8 every core has a rank
update environment set value = '2' where key = 'cores';
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select 10 * n + id, 1, id, 'checkpoint', n, n * 10000000000, n * 10000000000 + 2000000000, 0 from process, n
	where n between 1 and 4;
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'phase:checkpoint', 'io', 8000000000), (1, 2, 'phase:checkpoint', 'mpi', 8000000000);
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	values (1, 1, '/scratch/state', 'checkpoint', 4, 0, 400, 0, 2000000000, 7, 0, 7, 0, null, null, null, 1);
