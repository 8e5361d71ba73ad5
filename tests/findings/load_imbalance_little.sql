-- 9 s and 7 s of work a step is not uneven enough
update host_time set ns = 7000000000 where process_id = 2 and state = 'useful' and "window" like 'step:%';
update host_time set ns = 3000000000 where process_id = 2 and state = 'mpi' and "window" like 'step:%';
