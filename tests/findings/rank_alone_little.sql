-- as rank_alone_epochs, but not as long each time: 1.8 s of 100 may be accidents
-- expect nothing
delete from phase; update step set phase_id = null;
delete from host_time where "window" like 'phase:%';
insert into metric values (1, 'run', 'counters', 'without_core', 'node:n1', 0.46, '1', null);
create temp table k as with recursive c(i) as (values (0) union all select i + 1 from c where i < 39) select i from c;
insert into step (run_id, process_id, n, start_ns, end_ns) select 1, p.id, i, i * 10000000000, (i + 1) * 10000000000 from k, process p where i >= 10;
create temp table w as select i, case when i in (9, 19, 29) then 0.7 - 0.3 * (i = 19) else 0.01 end as s, case when i in (9, 19, 29) or i % 3 = 0 then 0 else 1 end as last from k;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank)
	select 1, 'mpi', 0, i, 'allreduce', 1000000, (i + 1) * 2.4e9, ((i + 1) * 2.4 + s) * 1e9, ((i + 1) * 2.4 + s) * 1e9 + 1000, last from w;
