-- four micro-batches for each step of the optimizer, all of which exchange gradients
-- expect gradient_syncs 9 gradients are exchanged 4.0 times per step of the optimizer, 150 ms each
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'torch:DDP.finalize_backward', 'gloo', 80, 12e9, 0, 1e9 from process where rank is not null;
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns)
	select 1, id, 'torch:optimizer', 'user', 20, 1e9, 0, 1e9 from process where rank is not null;
