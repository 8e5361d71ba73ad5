-- two ranks that share two cores have enough of them, and so have two on a node of one core
update process set affinity = '0-1';
insert into node (id, run_id, hostname, clock_residual_ns) values (2, 1, 'n2', 100);
update node set clock_residual_ns = 100;
insert into environment (run_id, scope, key, value) values (1, 'node:n2', 'cores', '1');
insert into process (id, run_id, node_id, rank, pid, parent_id, name, affinity, end, start_ns, end_ns) select id + 2, 1, 2, rank + 2, 12, null, 'rank', '0', 'finished', 0, 100000000000 from process;
