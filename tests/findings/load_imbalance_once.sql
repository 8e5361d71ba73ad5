-- a test that comes once: rank 1 has 3 s more, and ranks had no core for a twentieth of the time
-- expect load_imbalance 1.5 load imbalance in test: rank 1 has 50 % more work than the average of 2 ranks
insert into metric values (1, 'run', 'counters', 'without_core', 'node:n1', 0.05, '1', null);
insert into phase select 10 * id, 1, id, 'test', 0, 0, 5000000000, 0 from process;
insert into host_time values (1, 1, 'phase:test', 'useful', 1500000000), (1, 2, 'phase:test', 'useful', 4500000000);
insert into collective values (1, 'mpi', 0, 0, 'allreduce', 8, 1500000000, 4500000000, 4600000000, 1, null, null, null, null);
