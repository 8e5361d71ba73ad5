-- rank 0 has 9 s of work a step and rank 1 has 4: evenly, 25 s less in ten steps
-- expect load_imbalance 25 load imbalance in train: rank 0 has 38 % more work than the average of 2 ranks
update host_time set ns = 4000000000 where process_id = 2 and state = 'useful' and "window" like 'step:%';
update host_time set ns = 6000000000 where process_id = 2 and state = 'mpi' and "window" like 'step:%';
