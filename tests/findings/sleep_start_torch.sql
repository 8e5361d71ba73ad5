-- as sleep_start.sql, of ranks in torch.distributed: they poll its store
-- expect sleep 11 torch.distributed's store
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null),
	(1, 'run', 'host', 'slept_until', 'rank:0:usleep', 14e9, 'ns', null), (1, 'run', 'host', 'slept_until', 'rank:1:usleep', 12e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':usleep', s.column2, '1', null from process, (values ('sleeps', 100), ('slept_in', 11e9)) s;
insert into environment values (1, 'rank:0', 'python', '3.11.2');
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'gloo:allreduce', 'gloo', 100, 1e9, 1, 1 from process;
delete from step where start_ns < 30e9;
