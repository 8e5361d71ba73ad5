-- what makes findings unsure stands after them, and saves nothing
-- expect pinning/cores 55 share 1 of its 4 cores
-- expect quality 0 1 check of the analysis failed: regions nest
-- expect quality 0 250 events were lost, 20.0 % of all
-- expect quality 0 the clock of n2 is not synchronised with the others
-- expect quality 0 the run was truncated
update run set cut = 1;
update process set end = 'killed' where id = 2;
update process set affinity = '3';
insert into not_recorded (run_id, subject, reason, count, message) values (1, 'rank:0', 'no_space', 250, null);
insert into checks (run_id, window, name, ok, message) values (1, 'run', 'regions_nest', 0, null), (1, 'run', 'good', 1, null);
update node set clock_residual_ns = 100;
insert into node (id, run_id, hostname, clock_residual_ns) values (2, 1, 'n2', null);
