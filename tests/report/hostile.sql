-- Names that try to leave their place: HTML, SQL, gnuplot, shell, printf,
-- CSV, terminals. Follows train.sql.
create temp table evil(i integer primary key, s text);
insert into evil(s) values ('</svg><script>alert(1)</script>'), ('''; drop table run; --'), ('`touch pwned`'),
	('back\slash\n\' || char(10) || 'newline'), ('"><img src=x onerror=alert(2)>'), ('%s%n%1000000d%'),
	('ünïcödé 数据 🚂'), (cast(x'6e756c006279746500' as text)), (cast(x'fffe80c0af' as text)),
	(char(27) || '[31mred' || char(7) || char(8238) || 'gpj'), ('{/Symbol a}_b^c@d&~e{f}'), ('x", system("touch pwned"), "'),
	('=cmd|''/c calc''!A1,"q"'), ('--><!--'), ('$(touch pwned)'), (char(9) || 'tab' || char(13));
update run set label = '</title><script>alert(3)</script>`touch pwned`', command = (select group_concat(s, ' ') from evil);
update node set hostname = (select s from evil where i = 3) where id = 1;
update node set hostname = (select s from evil where i = 1) where id = 2;
update process set name = (select s from evil where i = process.id % 16 + 1);
update process set end = 'killed' where id = 1;
update location set inside = (select s from evil where i = 10) where process_id = 1;
update phase set name = (select s from evil where i = 7) where name = 'train';
update phase set name = (select s from evil where i = 1) where name = 'validate';
update phase set name = (select s from evil where i = 12) where name = 'test';
update host_time set "window" = 'phase:' || (select s from evil where i = 1) where "window" = 'phase:validate';
update host_time set "window" = 'phase:' || (select s from evil where i = 7) where "window" = 'phase:train';
update metric set "window" = 'phase:' || (select s from evil where i = 1) where "window" = 'phase:validate';
update metric set flag = (select s from evil where i = 5) where value is null;
update location set name = (select s from evil where i = location.id % 16 + 1);
update timeline_step set name = (select s from evil where i = timeline_step.rowid % 16 + 1);
update timeline_window set phase = (select s from evil where i = 1);
-- a child whose thread is shown by name
insert into process (id, run_id, node_id, rank, pid, parent_id, name, affinity, end, start_ns, end_ns) select 1000 + i, 1, 1, null, null, 1, s, null, null, 0, 1 from evil;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, start_ns, end_ns, inside, inside_since_ns, damaged, bytes_read)
	select 1000 + i, 1, 1000 + i, 1000 + i, s, 'cpu_thread', 1, 1, 0, 1, null, null, null, 0 from evil;
update timeline_step set path = (select s from evil where i = timeline_step.rowid % 16 + 1) where path is not null;
insert into timeline_step (run_id, step, location_id, start_ns, end_ns, state, name, intervals, path, bytes, file_offset)
	select 1, step, 1000 + i, start_ns, end_ns, 'useful', s, 1, null, null, null from evil, timeline_window;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, 1, s, 'other', 1, 1, 1, 100, 100, 999000000000 + i, 1, 1, 1, null, null, null, 1 from evil;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, 1, s, 'user', 1, 999000000000 + i, 1, 2, null, null, null, null from evil;
insert into environment (run_id, scope, key, value) select 1, s, s, s from evil;
insert into environment (run_id, scope, key, value) select 1, 'rank:0', s, s from evil;
insert into not_recorded (run_id, subject, reason, count, message) select 1, s, s, 1, s from evil;
insert into unmatched (run_id, n, message) select 1, i, s from evil;
update collective set op = (select s from evil where i = 1) where op = 'bcast';
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, 'run', 'calls', 'storage_read', 'node:' || s, 1e9, 'bit/s', s from evil;
insert into finding (run_id, rule, variant, n, seconds, message, brief, evidence, advice, confidence, term, certainty, is_bound, culprit_rank, phase, place, first_step, last_step)
	select 1, s, s, i, i, s, s, s, s, s, s, s, i, i, s, s, i, i from evil;
insert into device (id, run_id, node_id, uuid, name, kind, pci) select 1000 + i, 1, 1, s, s, 'gpu', s from evil;
insert into process_device (process_id, device_id, ordinal) select 1, 1000 + i, i from evil;
insert into device_time (run_id, device_id, window, state, ns) select 1, 1000 + i, 'run', 'compute', 5000000000 from evil;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, 1000 + i, s, s, 1, 1, 999000000000 + i, 1, 2, null, null, null from evil;
insert into copy (run_id, device_id, op, memory, copies, bytes, total_ns) select 1, 1000 + i, s, s, 1, 5, 999000000000 from evil;
insert into kernel (run_id, device_id, name, class, tensor_core, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes)
	select 1, 1000 + i, s || '!', 'memory', 1, 1, 999000000000 + i, 1, 2, null, null, 5 from evil;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns, median_ns, stddev_ns, bytes_sent, bytes_received) select 1, 1, 'cudaSynchronize' || s, 'cuda', 1, 999000000000 + i, 1, 2, null, null, null, null from evil;
update collective set algorithm = (select s from evil where i = 12) where seq % 2 = 0;
update collective set algorithm = (select s from evil where i = 7) where seq % 2 = 1;
insert or replace into environment (run_id, scope, key, value)
	select 1, 'node:' || (select hostname from node where id = 1), 'numa.' || s, s from evil;
insert or replace into environment (run_id, scope, key, value)
	values (1, 'node:' || (select hostname from node where id = 1), 'numa.9', '0-99999999999,-5,7-2,x,,3-'),
	(1, 'node:' || (select hostname from node where id = 1), 'gpu_numa.0000:01:00.0', '9'' or 1=1');
update process set affinity = '5-4,0-999999999,' || (select s from evil where i = 2) where id = 2;
update process set affinity = (select s from evil where i = 1) where id = 3;
