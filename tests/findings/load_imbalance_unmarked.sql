-- nothing is marked: the run is one part, of which rank 0 works 90 s and rank 1 works 40
-- expect load_imbalance 25 load imbalance: rank 0 has 38 % more work than the average of 2 ranks
delete from step;
delete from phase;
delete from host_time;
insert into host_time values (1, 1, 'run', 'useful', 90000000000), (1, 1, 'run', 'mpi', 10000000000),
	(1, 2, 'run', 'useful', 40000000000), (1, 2, 'run', 'mpi', 60000000000);
