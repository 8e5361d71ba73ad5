-- a balanced run has no finding
insert into location_time (run_id, location_id, state, ns) select * from main_time;
