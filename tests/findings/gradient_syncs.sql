-- four micro-batches for each step of the optimizer, all of which exchange gradients
-- expect gradient_syncs 9 gradients are exchanged 4.0 times per step of the optimizer, 150 ms each, mostly in train.py:16
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'torch:DDP.finalize_backward', 'gloo', 80, 12e9, 0, 1e9 from process where rank is not null;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'torch:optimizer', 'user', 20, 1e9, 0, 1e9 from process where rank is not null;
insert into python_frame (id, run_id, function, file, line) values (1, 1, '<module>', 'train.py', 16), (2, 1, '<module>', 'train.py', 30);
insert into python_sample (run_id, process_id, location_id, frame_id, state, call, samples, ns) values (1, 1, null, 1, 'communication', 'torch:DDP.finalize_backward', 500, 10e9),
	(1, 1, null, 2, 'communication', 'torch:DDP.finalize_backward', 100, 2e9), (1, 1, null, 2, 'communication', 'gloo:barrier', 900, 18e9);
