-- rank 1 validates for 24 s and rank 0 for 12: half of the time of the phase would do, and 6 s of it are for rank 1, of which
-- the one may well be a part of the other
-- expect validation_share 12 validate takes
-- expect load_imbalance 6 load imbalance in validate: rank 1
-- shares load_imbalance validation_share 6
insert into phase select 10 * n + id, 1, id, 'validate', n, n * 20000000000, n * 20000000000 + 12000000000, 0 from process, n where n in (1, 2);
insert into host_time values (1, 1, 'phase:validate', 'useful', 12000000000), (1, 1, 'phase:validate', 'mpi', 12000000000), (1, 2, 'phase:validate', 'useful', 24000000000);
