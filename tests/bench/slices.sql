-- slices.sql - fills the step that the report shows of a made run, for `tests/bench/pages`: every rank and a stream of
-- each have 900 intervals of different lengths, as many as a step of a large network has, and a launch each.
pragma foreign_keys = off;
pragma synchronous = off;
begin;
delete from timeline_step;
create temp table slice as with recursive c(i) as (select 0 union all select i + 1 from c where i < 899)
	select i, i * 110000 + i * 7919 % 9973 as at, 60000 + i * 104729 % 49999 as ns from c;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns, inside, inside_since_ns, damaged, bytes_read)
	select l.id + 1000000, l.run_id, l.process_id, l.ref + 1000000, 'CUDA[0:7]', 'accelerator_stream', 0, 900, null, null,
	null, null, null, 0 from location l where l.is_main;
insert into timeline_step (run_id, step, location_id, start_ns, end_ns, state, name, intervals, path, bytes, file_offset)
	select 1, w.step, l.id, w.start_ns + s.at + l.id * 31 % 997, w.start_ns + s.at + s.ns + l.id * 31 % 997,
	case s.i % 5 when 0 then 'mpi' when 1 then 'io' when 2 then 'cuda' else 'useful' end, 'call ' || (s.i * 7 % 61), 1, case s.i % 5 when 1 then '/data/shard-' || (s.i % 40) end, case s.i % 5 when 1 then 65536 end, null
	from location l, slice s, timeline_window w where l.is_main;
insert into timeline_step (run_id, step, location_id, start_ns, end_ns, state, name, intervals, path, bytes, file_offset)
	select 1, w.step, l.id, w.start_ns + s.at + l.id * 17 % 997, w.start_ns + s.at + s.ns + l.id * 17 % 997,
	case s.i % 7 when 0 then 'nccl' when 1 then 'memcpy' else 'compute' end, 'kernel ' || (s.i * 11 % 53), 1, null, null, null
	from location l, slice s, timeline_window w where l.kind = 'accelerator_stream';
insert into timeline_launch (run_id, step, location_id, to_location_id, start_ns, end_ns)
	select 1, w.step, l.id, l.id + 1000000, w.start_ns + s.at, w.start_ns + s.at + 20000
	from location l, slice s, timeline_window w where l.is_main and s.i % 5 = 2;
-- and the whole run in 512 bins
update timeline set bin_ns = (select duration_ns / 512 + 1 from run), shares = (select json_group_array((value * 13 + key * 7919) % 333)
	from json_each((select '[' || group_concat(i * 31 % 997) || ']' from slice where i < 512)));
commit;
