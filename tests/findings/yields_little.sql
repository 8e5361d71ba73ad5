-- as yields_imbalance.sql, and of the ladder's I/O there is too little: load_imbalance stays, and shares it
-- expect load_imbalance 25 load imbalance in train: rank 0
-- expect step_wait 10 rank 0 waits
-- shares step_wait load_imbalance 10
update host_time set ns = 4000000000 where process_id = 2 and state = 'useful' and "window" like 'step:%';
update host_time set ns = 6000000000 where process_id = 2 and state = 'mpi' and "window" like 'step:%';
update host_time set ns = 40000000000 where process_id = 2 and state = 'useful' and "window" in ('run', 'phase:train');
update host_time set ns = 60000000000 where process_id = 2 and state = 'mpi' and "window" in ('run', 'phase:train');
update host_time set ns = ns / 9 * 5 where process_id = 1 and state = 'useful';
insert into host_time select 1, 1, "window", 'io', ns / 5 * 4 from host_time where process_id = 1 and state = 'useful';
insert into cause values (1, 1, 'io', '0', 1, 'fetch() at train.py:7', 10, 0, 9, 10e9, 90e9, 10e9);
