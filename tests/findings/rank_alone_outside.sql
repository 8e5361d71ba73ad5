-- as rank_alone.sql; both ranks slept before the first step for longer, which is other time
-- expect outside_sleep 3 ranks 0,1 sleep
-- expect rank_alone 2.5 the other waits 2 times for rank 0, 5 s in all
delete from phase; update step set phase_id = null;
delete from host_time where "window" like 'phase:%';
insert into step (run_id, process_id, n, start_ns, end_ns) select 1, p.id, 10 + n.n, (10 + n.n) * 10000000000, (11 + n.n) * 10000000000 from n, process p;
create temp table k as with recursive c(i) as (values (0) union all select i + 1 from c where i < 39) select i from c;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank)
	select 1, 'mpi', 0, i, 'allreduce', 1000000, (i + 1) * 2.4e9, (i + 1) * 2.4e9 + case when i in (9, 19) then 2.5e9 else 0.01e9 end,
	(i + 1) * 2.4e9 + case when i in (9, 19) then 2.5e9 else 0.01e9 end + 1000, case when i in (9, 19) or i % 3 = 0 then 0 else 1 end from k;
insert into cause values (1, 1, 'sleep_outside', '0,1', 2, 'nanosleep', 0, -1, -1, 4e9, 10e9, 3e9);
