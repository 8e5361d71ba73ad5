-- rank 0 has 9 s of own time a step, of which 4 in I/O, and rank 1 has 4: load_imbalance would promise 25 s, of which 20 are
-- the same I/O
-- expect step_wait 40 rank 0 waits
update host_time set ns = 4000000000 where process_id = 2 and state = 'useful' and "window" like 'step:%';
update host_time set ns = 6000000000 where process_id = 2 and state = 'mpi' and "window" like 'step:%';
update host_time set ns = 40000000000 where process_id = 2 and state = 'useful' and "window" in ('run', 'phase:train');
update host_time set ns = 60000000000 where process_id = 2 and state = 'mpi' and "window" in ('run', 'phase:train');
update host_time set ns = ns / 9 * 5 where process_id = 1 and state = 'useful';
insert into host_time select 1, 1, "window", 'io', ns / 5 * 4 from host_time where process_id = 1 and state = 'useful';
insert into cause values (1, 1, 'io', '0', 1, 'fetch() at train.py:7', 10, 0, 9, 40e9, 60e9, 40e9);
