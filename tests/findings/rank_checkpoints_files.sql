-- as rank_checkpoints, and rank 0 writes two files each time; it is waited for longer than usual in other places, too, 0.2 s
-- expect checkpoint/rank 4.5 rank 0 writes 6 checkpoint files, 0.6 GB, and the other waits 4.5 s for it, 3 times
delete from phase; update step set phase_id = null;
delete from host_time where "window" like 'phase:%';
create temp table k as with recursive c(i) as (values (0) union all select i + 1 from c where i < 39) select i from c;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank)
	select 1, 'mpi', 0, i, 'allreduce', 1000000, (i + 1) * 2.4e9, (i + 1) * 2.4e9 + case when i % 10 = 9 and i < 39 then 1.5e9 when i % 10 = 5 then 0.2e9 else 0.01e9 end,
	(i + 1) * 2.4e9 + case when i % 10 = 9 and i < 39 then 1.5e9 when i % 10 = 5 then 0.2e9 else 0.01e9 end + 1000, case when i % 10 in (5, 9) or i % 3 = 0 then 0 else 1 end from k;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, 1, column1, 'checkpoint', 3, 0, 30, 0, 300000000, 500000000, 0, 450000000, 50000000, 1, 10000000, 10000000, 3
	from (values ('/out/model.pt'), ('/out/optimizer.pt'));
insert into io_save (run_id, process_id, path, start_ns, end_ns, bytes, is_main)
	select 1, 1, column1, (i + 1) * 2.4e9 + column2, (i + 1) * 2.4e9 + column2 + 0.5e9, 100000000, 1
	from k, (values ('/out/model.pt', 0.2e9), ('/out/optimizer.pt', 0.8e9)) where i in (9, 19, 29);
