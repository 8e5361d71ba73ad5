-- the same, but readers are busy computing: the rule of these tells, and nothing is promised twice
-- 40 s, of which readers ended 32 and 36: rank 0 is through after 58
-- expect data_loading/preparing 32 1 data-loader worker per rank, busy 90 %
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 5), ('wait', 4), ('mpi', 1)) s;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	values (1, 'phase:train', 'host', 'wait_for_readers', 'rank:0', 0.8, '1', null),
	(1, 'phase:train', 'host', 'wait_for_readers', 'rank:1', 0.9, '1', null);
insert into location (id, run_id, process_id, ref, name, kind, nevents, bytes_read)
	select 10 + id, 1, id, 10 + id, 'reader', 'cpu_thread', 10, 1000000 from process;
insert into location_time (run_id, location_id, state, ns) select 1, l.id, s.column1, s.column2 * 1e10 from location l,
	(values ('io', 1), ('useful', 8), ('wait', 1)) s where not l.is_main;
