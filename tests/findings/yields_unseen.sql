-- as unseen_communication.sql, and the ladder has what rank 1 computes longer: that is told once
-- expect step_compute 20 rank 1 on n1 computes longer than the other ranks in
-- expect unseen_communication 20 40 % of the ranks' time is waiting
delete from host_time;
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 4), (1, 'wait', 6), (2, 'useful', 7), (2, 'io', 1), (2, 'wait', 2)) s;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, process_id, w.column1, state, sum(ns) from host_time, (values ('run'), ('phase:train')) w group by 2, 3, 4;
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values (1, 1, 'compute', '1', 1, null, 10, 0, 9, 40e9, 80e9, 20e9);
