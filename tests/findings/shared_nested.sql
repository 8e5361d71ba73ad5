-- rank 1 has 8 s more to do in the part of each epoch that is called loss, which is more to do in the epoch as well, 8 of 12 s
-- expect load_imbalance 6 load imbalance in epoch: rank 1
-- expect load_imbalance 4 load imbalance in loss: rank 1
-- shares load_imbalance load_imbalance 4
delete from step;
delete from host_time where "window" <> 'run';
delete from phase;
insert into phase select 10 * n + id, 1, id, 'epoch', n, n * 20000000000, n * 20000000000 + 10000000000, 0 from process, n where n < 2;
insert into phase select 100 + 10 * n + id, 1, id, 'loss', n, n * 20000000000 + 1000000000, n * 20000000000 + 7000000000, 0 from process, n where n < 2;
insert into host_time values (1, 1, 'phase:epoch', 'useful', 8000000000), (1, 1, 'phase:epoch', 'mpi', 12000000000), (1, 2, 'phase:epoch', 'useful', 20000000000),
	(1, 1, 'phase:loss', 'useful', 4000000000), (1, 1, 'phase:loss', 'mpi', 8000000000), (1, 2, 'phase:loss', 'useful', 12000000000);
