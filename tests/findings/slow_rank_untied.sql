-- rank 1 of another node seems slow, but their clocks are tied by nothing, and calls end before what they waited for
-- expect quality 0 1 check of the analysis failed: causality
-- expect quality 0 the clocks of n1, n2 are not synchronised with the others: waits between ranks of different nodes are uncertain, and calls end before the calls that they waited for: stragglers are not reported
insert into node values (2, 1, 'n2', null);
update process set node_id = 2 where rank = 1;
insert into checks (run_id, "window", name, ok) values (1, 'run', 'causality', 0);
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'compute', 1, 0.9);
