-- as step_sleep_straggler.sql, where the ladder has 8 s for its sleep, which slow_rank takes over; both ranks wait for a
-- program, and rank 1 sleeps before the first step, which the straggler's finding does not tell
-- expect slow_rank 8 rank 1 on n1 is 20 % slower since step 2, in sleeping: the other waited 7 s for it
-- expect step_wait 6.5 ranks 0,1 wait in system in 8 of 10 steps
-- expect outside_sleep 3 rank 1 sleeps 4 s before the first step, mostly in nanosleep
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'sleep', 1, 0.9);
insert or replace into host_time select 1, id, 'run', 'useful', 90000000000 - 8000000000 * (rank = 1) from process;
insert or replace into host_time select 1, id, 'run', 'wait', 1000000000 + 8000000000 * (rank = 1) from process;
insert into metric(run_id, "window", model, name, subject, value) values (1, 'run', 'host', 'slept', 'rank:0', 5e8),
	(1, 'run', 'host', 'slept', 'rank:1', 8e9);
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents) values (3, 1, 2, 2, 'reader', 'cpu_thread', 0, 50);
insert into location_time values (1, 3, 'useful', 90000000000), (1, 3, 'wait', 10000000000);
insert into cause values (1, 1, 'sleep', '1', 1, null, 8, 2, 9, 8e9, 92e9, 8e9);
insert into cause values (1, 2, 'wait', '0,1', 2, 'system', 8, 2, 9, 6.5e9, 85.5e9, 6.5e9);
insert into cause values (1, 3, 'sleep_outside', '1', 1, 'nanosleep', 0, -2, -2, 4e9, 10e9, 3e9);
update straggler set sleep_ns = excess_ns;
