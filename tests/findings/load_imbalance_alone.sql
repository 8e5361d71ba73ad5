-- of a run without steps: rank 0 works 6 s more than the other, as much as this waits three times for it: samples are of equal cost
-- expect rank_alone 3 the other waits 3 times for rank 0, 6 s in all
delete from phase; update step set phase_id = null;
delete from host_time where "window" like 'phase:%';
delete from step; delete from host_time;
insert into host_time select 1, p.id, 'run', s.column1, (s.column2 + s.column3 * (p.rank = 0)) * 1e9 from process p,
	(values ('useful', 4, 6), ('mpi', 96, -6)) s;
create temp table k as with recursive c(i) as (values (0) union all select i + 1 from c where i < 39) select i from c;
create temp table w as select i, case when i in (9, 19, 29) then 2 else 0.01 end as s, case when i in (9, 19, 29) or i % 3 = 0 then 0 else 1 end as last from k;
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank)
	select 1, 'mpi', 0, i, 'allreduce', 1000000, (i + 1) * 2.4e9, ((i + 1) * 2.4 + s) * 1e9, ((i + 1) * 2.4 + s) * 1e9 + 1000, last from w;
