-- as input_waiting.sql, and rank 1 waited 17 s of that at once, as for the end of a child
-- expect nothing
delete from host_time where "window" like 'step:%';
insert into host_time select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 5), ('wait', 4), ('mpi', 1)) s;
insert into metric values (1, 'phase:train', 'host', 'wait_for_readers', 'rank:0', 0.8, '1', null),
	(1, 'phase:train', 'host', 'wait_for_readers', 'rank:1', 0.9, '1', null), (1, 'run', 'host', 'longest_wait_for_readers', 'rank:1', 17e9, 'ns', null);
