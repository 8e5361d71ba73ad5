-- steps of two phases in turns: in the six of train rank 0 has 9 s of work and rank 1 has 4, in those of warm both have 9
-- expect load_imbalance 15 load imbalance in train: rank 0 has 38 % more work than the average of 2 ranks
insert into phase select id + 2, 1, id, 'warm', 0, 0, 100000000000, 0 from process;
update step set phase_id = process_id + 2 where n in (0, 1, 5, 9);
insert into host_time select 1, id, 'phase:warm', column1, column2 from process, (values ('useful', 36000000000), ('mpi', 4000000000),
	('absent', 60000000000));
update host_time set ns = 4000000000 where process_id = 2 and state = 'useful' and "window" like 'step:%'
	and "window" not in ('step:0', 'step:1', 'step:5', 'step:9');
update host_time set ns = 6000000000 where process_id = 2 and state = 'mpi' and "window" like 'step:%'
	and "window" not in ('step:0', 'step:1', 'step:5', 'step:9');
