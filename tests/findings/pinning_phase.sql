-- the same in a phase without steps: the time between MPI_Init and MPI_Finalize does not count once more
-- expect pinning/cores 55 2 ranks on node n1 share 1 of its 4 cores
update process set affinity = '3';
delete from step;
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, process_id, 'active', state, ns from host_time where "window" = 'run';
