-- rank 0 has waited 0.5 s of 100 for rank 1: less than what others need to be a finding, and still the first
-- expect hang 0.5 rank 0 waits in MPI_Allreduce #9 of MPI_COMM_WORLD for rank 1
-- expect outside_more/sleep 11 ranks 0,1 sleep 11 s
-- shares outside_more/sleep hang 0.5
insert into environment (run_id, scope, key, value)
	values (1, '', 'TACHO::HANG', 'Here rank 0 waits in MPI_Allreduce #9 of MPI_COMM_WORLD for rank 1.'), (1, '', 'TACHO::HANG_NS', '500000000');
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns) values
	(1, 1, 'sleep_outside', '0,1', 2, 'usleep', 0, -1, -1, 11e9, 4e9, 11e9);
