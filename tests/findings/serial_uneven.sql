-- rank 1 has ten times as much to test as rank 0, which has some: that is uneven, not serial
-- expect load_imbalance 9 load imbalance in test: rank 1 has 82 % more work than the average of 2 ranks
insert into phase select 2 + id, 1, id, 'test', 0, 0, 20000000000, 0 from process;
insert into host_time values (1, 1, 'phase:test', 'useful', 2000000000), (1, 1, 'phase:test', 'mpi', 18000000000),
	(1, 2, 'phase:test', 'useful', 20000000000);
