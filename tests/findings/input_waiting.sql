-- readers that wait for a server wake the main threads: of 40 s of waiting 32 of rank 0 and 36 of rank 1
-- expect input_waiting 32 the ranks wait 32 % of the run
delete from host_time where "window" like 'step:%';
insert into host_time select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 5), ('wait', 4), ('mpi', 1)) s;
insert into metric values (1, 'phase:train', 'host', 'wait_for_readers', 'rank:0', 0.8, '1', null),
	(1, 'phase:train', 'host', 'wait_for_readers', 'rank:1', 0.9, '1', null);
