-- no phases; rank 0 makes ten steps, rank 1 five, and is in MPI for the other 50 s
-- expect uneven_steps 25 uneven steps: rank 0 makes 10, the other as few as 5: then it waits for it in communication, for 50 s
delete from phase; update step set phase_id = null;
delete from host_time where "window" like 'phase:%';
delete from step where process_id = 2 and n >= 5;
update host_time set ns = case state when 'mpi' then 60e9 else 40e9 end where process_id = 2 and "window" = 'run';
