-- as rank_checkpoints, but another thread writes, for 6 s each time: rank 0 does something else while it is waited for
delete from phase; update step set phase_id = null;
delete from host_time where "window" like 'phase:%';
create temp table k as with recursive c(i) as (values (0) union all select i + 1 from c where i < 39) select i from c;
create temp table w as select i, case when i in (9, 19, 29) then 1.5 else 0.01 end as s, case when i in (9, 19, 29) or i % 3 = 0 then 0 else 1 end as last from k;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank)
	select 1, 'mpi', 0, i, 'allreduce', 1000000, (i + 1) * 2.4e9, (i + 1) * 2.4e9 + s * 1e9, (i + 1) * 2.4e9 + s * 1e9 + 1000, last from w;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, 1, '/out/model.pt', 'checkpoint', 6, 0, 30, 0, 300000000, 1000000000, 0, 900000000, 100000000, 1, 10000000, 10000000, 3;
insert into step (run_id, process_id, n, start_ns, end_ns) select 1, p.id, i, i * 10000000000, (i + 1) * 10000000000 from k, process p where i >= 10;
insert into io_save (run_id, process_id, path, start_ns, end_ns, bytes, is_main)
	select 1, 1, '/out/model.pt', (i + 1) * 2.4e9 - 1e9, (i + 1) * 2.4e9 + 5e9, 100000000, 0 from k where i in (9, 19, 29);
