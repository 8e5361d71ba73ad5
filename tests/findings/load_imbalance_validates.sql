-- rank 1 validates for 12 s and rank 0 for 4, and rank 0 waits for it 2 s each time
-- expect load_imbalance 4 load imbalance in validate: rank 1 has 50 % more work than the average of 2 ranks
insert into phase select 10 * id + n, 1, id, 'validate', n, n * 10000000000, n * 10000000000 + 4000000000, 0 from process, n where n < 4;
insert into host_time values (1, 1, 'phase:validate', 'useful', 4000000000), (1, 2, 'phase:validate', 'useful', 12000000000);
insert into collective select 1, 'mpi', 0, n, 'allreduce', 8, n * 10000000000 + 1000000000, n * 10000000000 + 3000000000,
	n * 10000000000 + 3500000000, 1, null, null, null, null from n where n < 4;
