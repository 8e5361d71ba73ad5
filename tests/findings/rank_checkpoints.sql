-- no phase; 40 steps of which the ends meet within 10 ms; three times rank 1 waits 1.5 s for rank 0, which writes 300 MB, and opens the file each time to sync it
-- expect checkpoint/rank 4.5 rank 0 writes 3 checkpoint files, 0.3 GB, and the other waits 4.5 s for it, 3 times
delete from phase; update step set phase_id = null;
delete from host_time where "window" like 'phase:%';
create temp table k as with recursive c(i) as (values (0) union all select i + 1 from c where i < 39) select i from c;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank)
	select 1, 'mpi', 0, i, 'allreduce', 1000000, (i + 1) * 2.4e9, (i + 1) * 2.4e9 + case when i % 10 = 9 and i < 39 then 1.5e9 else 0.01e9 end,
	(i + 1) * 2.4e9 + case when i % 10 = 9 and i < 39 then 1.5e9 else 0.01e9 end + 1000, case when i % 10 = 9 or i % 3 = 0 then 0 else 1 end from k;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, 1, '/out/model.pt', 'checkpoint', 6, 0, 30, 0, 300000000, 1000000000, 0, 900000000, 100000000, 1, 10000000, 10000000, 3;
insert into io_save (run_id, process_id, path, start_ns, end_ns, bytes, is_main)
	select 1, 1, '/out/model.pt', (i + 1) * 2.4e9 + 0.1e9, (i + 1) * 2.4e9 + 1.4e9, 100000000, 1 from k where i in (9, 19, 29);
