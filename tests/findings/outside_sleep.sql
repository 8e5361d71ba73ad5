-- a rank that sleeps after its last step, and all that sleep in a run without
-- expect outside_more/sleep 20 rank 1 sleeps 21 s after the last step, mostly in wait() at train.py:7: without this, the time outside of steps would be 5 s instead of 25
insert into cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step, own_ns, takes_ns, saves_ns)
	values (1, 1, 'sleep_outside', '1', 1, 'wait() at train.py:7', 0, -1, -1, 21e9, 5e9, 20e9);
