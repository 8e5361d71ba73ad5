-- rank 0 waits 5 s a step for its reader, rank 1 not at all: neither has more to do
delete from host_time where "window" like 'step:%';
insert into host_time select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 4), (1, 'wait', 5), (1, 'mpi', 1), (2, 'useful', 4), (2, 'mpi', 6)) s;
