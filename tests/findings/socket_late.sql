-- no steps: rank 0 waits 30 s until rank 1 sends, which sleeps 28 s and waits for rank 0 for 2 s
-- expect socket_late 28 through sockets rank 0 waits 30 s until rank 1 sends, which sleeps for 28 s longer than the other
delete from step;
delete from phase;
delete from host_time;
insert into host_time (run_id, process_id, window, state, ns)
	values (1, 1, 'run', 'useful', 70e9), (1, 1, 'run', 'wait', 30e9), (1, 2, 'run', 'useful', 70e9), (1, 2, 'run', 'wait', 30e9);
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'host', 'slept', 'rank:1', 28e9, 'ns', null);
insert into socket_wait (run_id, process_id, peer_id, waits, late_ns, transfer_ns) values (1, 1, 2, 10, 30e9, 1e9), (1, 2, 1, 10, 2e9, 1e9);
