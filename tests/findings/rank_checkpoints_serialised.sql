-- as rank_checkpoints, of a run without steps, and calls that write are 7 % of the waits: files are open for all of them
-- expect checkpoint/rank 4.5 rank 0 writes 3 checkpoint files, 0.3 GB, and the other waits 4.5 s for it, 3 times
delete from phase; delete from step;
delete from host_time where "window" <> 'run';
create temp table k as with recursive c(i) as (values (0) union all select i + 1 from c where i < 39) select i from c;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank)
	select 1, 'mpi', 0, i, 'allreduce', 1000000, (i + 1) * 2.4e9, (i + 1) * 2.4e9 + case when i % 10 = 9 and i < 39 then 1.5e9 else 0.01e9 end,
	(i + 1) * 2.4e9 + case when i % 10 = 9 and i < 39 then 1.5e9 else 0.01e9 end + 1000, case when i % 10 = 9 or i % 3 = 0 then 0 else 1 end from k;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, 1, '/out/ck' || column1 || '.h5', 'checkpoint', 2, 0, 30, 0, 100000000, 100000000, 0, 90000000, 10000000, 1, 10000000, 10000000, 1
	from (values (1), (2), (3));
insert into io_save (run_id, process_id, path, start_ns, end_ns, bytes, is_main)
	select 1, 1, '/out/ck.h5', (i + 1) * 2.4e9 - 0.1e9, (i + 1) * 2.4e9 + 1.5e9, 100000000, 1 from k where i in (9, 19, 29);
