-- ranks.sql - makes the database of a run one of 16 times as many ranks, for `tests/bench/run report`: every copy is
-- a node of its own, on which steps take up to 5 % more or less.
pragma foreign_keys = off;
pragma journal_mode = off;
pragma synchronous = off;
begin;
create temp table copies as with recursive k(k) as (select 1 union all select k + 1 from k where k < 15) select k from k;
create temp table size as select
	(select max(id) from process) as processes, (select count(*) from process where rank is not null) as ranks,
	(select max(id) from node) as nodes, (select max(id) from location) as locations, (select max(id) from phase) as phases;
insert into node (id, run_id, hostname, clock_residual_ns) select id + k * nodes, run_id, hostname || k, clock_residual_ns from copies, size, node;
insert into process (id, run_id, node_id, rank, pid, parent_id, name, affinity, end, start_ns, end_ns) select id + k * processes, run_id, node_id + k * nodes, rank + k * ranks, pid, parent_id + k * processes,
	'rank ' || (rank + k * ranks), affinity, end, start_ns, end_ns from copies, size, process;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns, inside, inside_since_ns, damaged, bytes_read)
	select id + k * locations, run_id, process_id + k * processes, ref + k * locations, name, kind, is_main, nevents,
	start_ns, end_ns, inside, inside_since_ns, damaged, bytes_read from copies, size, location;
insert into phase (id, run_id, process_id, name, instance, start_ns, end_ns, cut)
	select id + k * phases, run_id, process_id + k * processes, name, instance, start_ns, end_ns, cut from copies, size, phase;
insert into step (run_id, process_id, n, phase_id, start_ns, end_ns, samples, confidence, cut, waited_ns, excess_ns,
	caused_ns, waited_io_ns, stands_for) select run_id, process_id + k * processes, n, phase_id + k * phases, start_ns,
	start_ns + cast((end_ns - start_ns) * (1 + ((n * 7919 + process_id * 104729 + k * 1299709) % 1009 - 504) / 10090.0) as integer), samples, confidence, cut,
	cast(waited_ns * (1 - (n * 7919 + process_id * 104729 + k * 1299709) % 997 / 1994.0) as integer), excess_ns, caused_ns, waited_io_ns, stands_for
	from copies, size, step;
insert into host_time (run_id, process_id, window, state, ns)
	select run_id, process_id + k * processes, window, state, ns from copies, size, host_time;
insert into location_time (run_id, location_id, state, ns) select run_id, location_id + k * locations, state, ns from copies, size, location_time;
insert into timeline (run_id, location_id, device_id, state, bin_ns, shares)
	select run_id, location_id + k * locations, device_id, state, bin_ns, shares from copies, size, timeline;
insert into timeline_step (run_id, step, location_id, start_ns, end_ns, state, name, intervals, path, bytes, file_offset)
	select run_id, step, location_id + k * locations, start_ns, end_ns, state, name, intervals, path, bytes, file_offset from copies, size, timeline_step;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select run_id, process_id + k * processes, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received
	from copies, size, call;
insert into collective_rank (run_id, kind, comm_id, rank, op, calls, wait_ns, transfer_ns)
	select run_id, kind, comm_id, rank + k * ranks, op, calls, wait_ns, transfer_ns from copies, size, collective_rank;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select run_id, process_id + k * processes, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns,
	meta_ns, sequential, min_access, max_access, saves from copies, size, io_file;
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select run_id, node_id + k * nodes, process_id + k * processes, name, t_ns, value from copies, size, sample;
insert into throughput_second (run_id, node_id, second, kind, source, bytes)
	select run_id, node_id + k * nodes, second, kind, source, bytes from copies, size, throughput_second;
insert into environment (run_id, scope, key, value)
	select run_id, 'rank:' || (substr(scope, 6) + k * ranks), key, value from copies, size, environment where scope glob 'rank:*';
insert into environment (run_id, scope, key, value) select run_id, scope || k, key, value from copies, size, environment where scope glob 'node:*';
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select run_id, window, model, name, 'rank:' || (substr(subject, 6) + k * ranks), value, unit, flag from copies, size, metric
	where subject glob 'rank:*';
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select run_id, window, model, name, subject || k, value, unit, flag from copies, size, metric where subject glob 'node:*';
update run set nranks = nranks * 16, nlocations = nlocations * 16, nevents = nevents * 16, label = label || ' on 16 nodes';
update communicator set size = size * 16;
commit;
