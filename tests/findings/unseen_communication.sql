-- nobody sees how the ranks communicate: rank 1 works 8 s of each step, rank 0 4 s, and waits for it
-- expect unseen_communication 20 40 % of the ranks' time is waiting for something that is not recorded (gloo, sockets)
-- expect unseen_communication 20 load imbalance in train: rank 1 works 80 s, the other works 40 s and waits 60 s
delete from host_time;
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 4), (1, 'wait', 6), (2, 'useful', 7), (2, 'io', 1), (2, 'wait', 2)) s;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, process_id, w.column1, state, sum(ns) from host_time, (values ('run'), ('phase:train')) w group by 2, 3, 4;
