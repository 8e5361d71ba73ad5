-- a run that goes on, in which rank 0 has waited for 11 s
-- expect hang 11 rank 0 waits in MPI_Allreduce #9 of MPI_COMM_WORLD for rank 1
insert into environment (run_id, scope, key, value)
	values (1, '', 'TACHO::SNAPSHOT', '1'), (1, '', 'TACHO::HANG', 'Here rank 0 waits in MPI_Allreduce #9 of MPI_COMM_WORLD for rank 1.'), (1, '', 'TACHO::HANG_NS', '11000000000');
