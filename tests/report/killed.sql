-- Turns the run of train.sql into one that was truncated: rank 1 killed in a
-- collective, rank 2 still running while a helper of it waits, events lost, a check failed, figures undefined.
update run set cut = 1, exit_status = 137;
update process set end = 'killed', end_ns = 12345678901 where rank = 1;
update process set end = 'running', end_ns = 12500000000 where rank = 2;
update location set inside = 'MPI_Allreduce', inside_since_ns = 10245678901 where process_id = 2;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns, inside, inside_since_ns, damaged, bytes_read)
	values (1000, 1, 3, 1000, 'helper', 'cpu_thread', 0, 1, 0, 12500000000, 'poll', 245678901, null, 0);
update step set cut = 1 where n = (select max(n) from step);
insert into not_recorded (run_id, subject, reason, count, message) values (1, 'rank:3', 'disk_full', 1234, 'no space left where the spool lies');
insert into checks (run_id, window, name, ok, message) values (1, 'phase:train', 'products_telescope', 0, 'off by 3 %');
insert into unmatched (run_id, n, message)
	values (1, 0, 'send 1 -> 2 comm MPI_COMM_WORLD tag 7 bytes 4096: rank 2 had not received it when it ended');
update metric set value = null, flag = 'the replay needs every rank''s end, and rank 1 was killed'
where model = 'mpi' and name in ('transfer_efficiency', 'serialisation_efficiency') and "window" = 'run';
update node set clock_residual_ns = null where id = 2;
insert or replace into environment (run_id, scope, key, value) values (1, '', 'TACHO::VERSION', '0.1.0');
