-- two workers a rank in each of five epochs, the new ones 1 s before the old ones end, 90 % busy, computing,
-- on more cores than they need; children that do not read the data set are none
-- expect data_loading/preparing 20 2 data-loader workers per rank, busy 90 %, of that 89 % computing
-- step by step 9 s of rank 0 (5 useful, 4 waiting) and 9 s of rank 1 (7 and 2)
delete from host_time where "window" like 'step:%';
insert into host_time (run_id, process_id, window, state, ns) select 1, s.column1, 'step:' || n, s.column2, s.column3 * 1e9 from n,
	(values (1, 'useful', 5), (1, 'wait', 4), (1, 'mpi', 1), (2, 'useful', 7), (2, 'wait', 2), (2, 'mpi', 1)) s;
update environment set value = '8' where key = 'cores';
insert into process (id, run_id, node_id, parent_id, name, end, start_ns, end_ns)
	select 10 * p.id + n, 1, 1, p.id, 'worker', 'finished', n / 2 * 20e9 - (n > 1) * 1e9, n / 2 * 20e9 + 20e9 from process p, n;
insert into process (id, run_id, node_id, parent_id, name, end, start_ns, end_ns)
	select 100 + id, 1, 1, id, 'tracker', 'finished', 0, 1e11 from process where rank is not null;
insert into location (id, run_id, process_id, ref, name, kind, is_main, nevents, bytes_read)
	select 10 + id, 1, id, 10 + id, 'main', 'cpu_thread', 1, 10, 1000000 from process where rank is null;
insert into location_time (run_id, location_id, state, ns) select 1, l.id, s.column1, s.column2 * 2e9 from location l,
	(values ('io', 1), ('useful', 8), ('wait', 1)) s where process_id between 10 and 100;
insert into location_time (run_id, location_id, state, ns) select 1, id, 'wait', 1e11 from location where process_id > 100;
insert into io_file (run_id, process_id, path, class, opens, reads, writes, bytes_read, bytes_written, ns, read_ns, write_ns, meta_ns, sequential, min_access, max_access, saves)
	select 1, id, '/data/' || id, case name when 'worker' then 'dataset' else 'other' end, 1, 1, 0, 1000000, 0,
	1000, 1000, 0, 0, null, 1000000, 1000000, 1 from process where rank is null;
