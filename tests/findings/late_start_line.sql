-- as late_start, and rank 1 was 9 s longer in a line
-- expect late_start 6 for it, most of that in one barrier, mostly in extra() at data.py:88
delete from step where n < 2;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank) values
	(1, 'mpi', 0, 0, 'barrier', 0, 1000000000, 13000000000, 13000000000, 1), (1, 'mpi', 0, 1, 'bcast', 8, 14000000000, 14500000000, 14500000000, 0),
	(1, 'mpi', 0, 2, 'allreduce', 8, 25000000000, 28000000000, 28000000000, 1);
insert into collective_rank values (1, 'mpi', 0, 0, 'barrier', 1, 12000000000, 0), (1, 'mpi', 0, 1, 'barrier', 1, 0, 0),
	(1, 'mpi', 0, 0, 'allreduce', 1, 3000000000, 0), (1, 'mpi', 0, 1, 'bcast', 1, 500000000, 0);
update step set waited_ns = case when process_id = 1 and n = 3 then 3000000000 else 0 end;
insert into python_frame values (1, 1, null, 1, '<module>', '/home/me/train.py', 90), (2, 1, 1, 2, 'extra', '/home/me/data.py', 88);
create temp table spent(process, frame, state, s);
insert into spent values (1, 1, 'communication', 15), (2, 2, 'computing', 9);
insert into python_sample select 1, process, process, frame, state, null, null, s * 50, s * 1000000000 from spent;
