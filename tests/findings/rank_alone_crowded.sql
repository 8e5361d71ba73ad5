-- twice 1.5 s of 100, in which ranks lack cores for 75 %, and other waits, for rank 1, as long: but rank 0 was in a function then in which rank 1 never is
-- expect rank_alone 1.45 the other waits 2 times for rank 0, 2.9 s in all, while it does what the other does not, mostly in validate() at data.py:88
delete from phase; update step set phase_id = null;
delete from host_time where "window" like 'phase:%';
create temp table k as with recursive c(i) as (values (0) union all select i + 1 from c where i < 39) select i from c;
insert into metric values (1, 'run', 'counters', 'without_core', 'node:n1', 0.75, '1', null);
insert into step (run_id, process_id, n, start_ns, end_ns) select 1, p.id, i, i * 10000000000, (i + 1) * 10000000000 from k, process p where i >= 10;
create temp table w as select i, case when i in (9, 19, 34, 36) then 1.5 else 0.01 end as s, case when i in (9, 19) or i % 3 = 0 then 0 else 1 end as last from k;
update w set last = 1 where i in (34, 36);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank)
	select 1, 'mpi', 0, i, 'allreduce', 1000000, (i + 1) * 2.4e9, (i + 1) * 2.4e9 + s * 1e9, (i + 1) * 2.4e9 + s * 1e9 + 1000, last from w;
insert into python_frame values (1, 1, null, 1, '<module>', '/home/me/train.py', 90), (2, 1, 1, 2, 'validate', '/home/me/data.py', 88);
create temp table spent(process, frame, state, s);
insert into spent values (1, 1, 'computing', 60), (2, 1, 'computing', 62), (1, 2, 'computing', 2.9);
insert into python_sample select 1, process, process, frame, state, null, null, s * 50, s * 1000000000 from spent;
