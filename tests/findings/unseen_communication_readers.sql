-- the same waiting, but all of it for readers, which are not busy themselves: 20 s at least
-- expect nothing
delete from host_time;
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 4), (1, 'wait', 6), (2, 'useful', 7), (2, 'io', 1), (2, 'wait', 2)) s;
insert into host_time (run_id, process_id, window, state, ns)
	select 1, process_id, w.column1, state, sum(ns) from host_time, (values ('run'), ('phase:train')) w group by 2, 3, 4;
insert into metric (run_id, window, model, name, subject, value, unit, flag)
	select 1, w.column1, 'host', 'wait_for_readers', 'rank:' || rank, 1, '1', null from process, (values ('run'), ('phase:train')) w;
