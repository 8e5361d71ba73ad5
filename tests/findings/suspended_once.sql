-- one rank alone, as a debugger does; less than 1 % of the run would not be reported
-- expect suspended 2 suspended: rank 1 was stopped from 20.0 to 22.0 s by a signal (SIGSTOP)
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, 2, 'proc.stopped', 2.2e10, 2e9;
