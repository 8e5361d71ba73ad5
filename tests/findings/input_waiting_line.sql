-- as input_waiting, and workers were in the program's lines below PyTorch's fetch() for 50 s, 30 of which in
-- one; where rank 1 forked its worker, at train.py:90, that idled for longer
-- expect input_waiting 32 or each other, mostly in Files.__getitem__() at data.py:88
delete from host_time where "window" like 'step:%';
insert into host_time select 1, p.id, 'step:' || n, s.column1, s.column2 * 1e9 from n, process p,
	(values ('useful', 5), ('wait', 4), ('mpi', 1)) s;
insert into metric values (1, 'phase:train', 'host', 'wait_for_readers', 'rank:0', 0.8, '1', null),
	(1, 'phase:train', 'host', 'wait_for_readers', 'rank:1', 0.9, '1', null);
insert into process (id, run_id, node_id, pid, parent_id, name, end, start_ns, end_ns)
	select id + 10, 1, 1, id + 10, id, 'rank ' || rank || ' child', 'finished', 0, 100e9 from process;
create temp table frame(id, caller, own, function, file, line);
insert into frame values (1, null, 1, '<module>', '/home/me/train.py', 90), (2, 1, 1, '_worker_loop', '/usr/lib/torch/utils/data/_utils/worker.py', 302),
	(3, 2, 1, '_MapDatasetFetcher.fetch', '/usr/lib/torch/utils/data/_utils/fetch.py', 58), (4, 3, 4, 'Files.__getitem__', '/home/me/data.py', 88),
	(5, 4, 4, 'urlopen', '/usr/lib/python3.11/urllib/request.py', 216), (6, 3, 6, 'collate', '/home/me/data.py', 95);
insert into python_frame select id, 1, caller, own, function, file, line from frame;
create temp table spent(process, frame, state, s);
insert into spent values (12, 2, 'wait', 90), (11, 4, 'loading', 10), (12, 5, 'loading', 20), (11, 6, 'loading', 20), (1, 1, 'wait', 100);
insert into python_sample select 1, process, null, frame, state, null, null, s * 50, s * 1000000000 from spent;
