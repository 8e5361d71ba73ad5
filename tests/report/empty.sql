-- A run in which nothing was recorded.
insert into run (id, label, path, command, start_ns, duration_ns, nranks, nlocations, nevents, exit_status, cut, tacho_version, analyzed_ns)
	values (1, 'nothing', 'nothing/trace/traces.otf2', null, null, 0, 0, 0, 0, null, 0, '0.1.0', 1767225700000000000);
