-- a loader of rank 1 had a core no longer than that of the other: where ranks have none for most of their time that is the machine
insert into process (id, run_id, node_id, rank, pid, parent_id, name, affinity, end, start_ns, end_ns)
	select id + 10, 1, 1, null, 20 + id, id, 'loader', null, 'finished', 0, 100000000000 from process;
insert into sample values (1, 1, 11, 'proc.cpu', 100000000000, 1e9), (1, 1, 12, 'proc.cpu', 100000000000, 1e9);
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 4, 9, 1, 1000000000, 1, 7000000000, 'readers', 1, 0.9);
insert into metric values (1, 'run', 'counters', 'without_core', 'node:n1', 0.75, '1', null);
