-- as serialisation.sql, of a program whose MPI_Init and MPI_Finalize another tool has left out: 95 - 80
-- expect ideal_network/serialisation 15 serialisation: ranks wait for each other for 15 % of the run
update host_time set ns = 80000000000 where "window" = 'run' and state = 'useful';
update host_time set ns = 20000000000 where "window" = 'run' and state = 'mpi';
insert into metric (run_id, window, model, name, subject, value, unit, flag) values (1, 'run', 'mpi', 'ideal_network_runtime', '', 95e9, 'ns', null);
