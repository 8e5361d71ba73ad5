-- rank 0 writes three times, 1 s of waits of 1.5, and works alone as often for 2 s: none of these waits is for a checkpoint; 0.3 s of the writing at 60 s is in one of them
-- expect checkpoint/rank 4.8 rank 0 writes 3 checkpoint files, 0.3 GB, and the other waits 4.8 s for it, 4 times
delete from phase; update step set phase_id = null;
delete from host_time where "window" like 'phase:%';
create temp table k as with recursive c(i) as (values (0) union all select i + 1 from c where i < 39) select i from c;
create temp table w as select i, case when i in (9, 19, 29) then 1.5 when i in (4, 14, 24) then 2 else 0.01 end as s, case when i % 5 = 4 or i % 3 = 0 then 0 else 1 end as last from k;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank)
	select 1, 'mpi', 0, i, 'allreduce', 1000000, (i + 1) * 2.4e9, (i + 1) * 2.4e9 + s * 1e9, (i + 1) * 2.4e9 + s * 1e9 + 1000, last from w;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, 1, '/out/model.pt', 'checkpoint', 6, 0, 30, 0, 300000000, 1000000000, 0, 900000000, 100000000, 1, 10000000, 10000000, 3;
insert into step (run_id, process_id, n, start_ns, end_ns) select 1, p.id, i, i * 10000000000, (i + 1) * 10000000000 from k, process p where i >= 10;
insert into io_save (run_id, process_id, path, start_ns, end_ns, bytes, is_main)
	select 1, 1, '/out/model.pt', (i + 1) * 2.4e9 + 0.1e9, (i + 1) * 2.4e9 + 1.1e9, 100000000, 1 from k where i in (9, 19, 29);
insert into io_save (run_id, process_id, path, start_ns, end_ns, bytes, is_main) values (1, 1, '/out/model.pt', 61e9, 61.3e9, 1000, 1);
