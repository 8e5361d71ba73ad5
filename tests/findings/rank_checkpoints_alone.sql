-- rank 0 also computes 20 s more than the other, which the checkpoints are no part of: the wait of its I/O is theirs
-- expect step_compute 20 rank 0 on n1 computes longer than the other ranks in
-- expect checkpoint/rank 4.5 rank 0 writes 3 checkpoint files, 0.3 GB, and the other waits 4.5 s for it, 3 times
-- shares checkpoint/rank step_compute/compute 4.5
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
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values
	(1, 1, 'compute', '0', 1, null, 4, 1, 9, 20e9, 70e9, 20e9), (1, 2, 'io', '0', 1, 'save() at train.py:12', 3, 1, 7, 4e9, 66e9, 4e9);
