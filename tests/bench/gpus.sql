-- gpus.sql - gives each rank of a run without GPUs one, whose states are those of its main thread by other names, for
-- `tests/bench/run report`: as many rows as a training on GPUs has.
pragma foreign_keys = off;
pragma journal_mode = off;
pragma synchronous = off;
begin;
insert into device (id, run_id, node_id, uuid, name, kind, pci)
	select id, run_id, node_id, 'GPU-' || id, 'GPU', 'stand-in', null from process where rank is not null;
insert into process_device (process_id, device_id, ordinal) select id, id, 0 from process where rank is not null;
insert into device_time (run_id, device_id, window, state, ns)
	select run_id, process_id, "window", case state when 'useful' then 'compute' when 'mpi' then 'nccl_wait'
	when 'io' then 'memcpy' when 'wait' then 'idle:wait' else state end, ns from host_time;
insert into device_time (run_id, device_id, window, state, ns)
	select run_id, process_id, "window", case state when 'useful' then 'idle:host_compute' else 'nccl_transfer' end, ns / 10
	from host_time where state in ('useful', 'mpi');
insert into timeline (run_id, location_id, device_id, state, bin_ns, shares)
	select t.run_id, null, l.process_id, case t.state when 'useful' then 'compute' when 'mpi' then 'nccl_wait'
	when 'io' then 'memcpy' else 'idle:wait' end, t.bin_ns, t.shares from timeline t join location l on l.id = t.location_id;
commit;
