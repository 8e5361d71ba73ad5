-- steps of 10 s, and a clock that may be off by 0.6 s; 0.4 s would do
-- expect quality 0 the clock of n2 may be off by 600 ms
update node set clock_residual_ns = 400000000;
insert into node (id, run_id, hostname, clock_residual_ns) values (2, 1, 'n2', 600000000);
