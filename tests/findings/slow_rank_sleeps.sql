-- rank 1 sleeps 1 s longer in eight steps; of its threads only one of MPI's is there, which does nothing
-- expect slow_rank 7 rank 1 on n1 is 20 % slower since step 2, in waiting: the other waited 7 s for it
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'wait', 1, 0.9);
insert or replace into host_time select 1, id, 'run', 'useful', 90000000000 - 8000000000 * (rank = 1) from process;
insert or replace into host_time select 1, id, 'run', 'wait', 1000000000 + 8000000000 * (rank = 1) from process;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents) values (3, 1, 2, 2, 'mpi', 'cpu_thread', 0, 50);
insert into location_time values (1, 3, 'wait', 99000000000), (1, 3, 'useful', 1000000000);
