-- the same, but nothing speaks against their clocks: that they are not tied is said, and lowers the confidence
-- expect slow_rank 7 rank 1 on n2 is 20 % slower since step 2
-- expect quality 0 the clocks of n1, n2 are not synchronised with the others: waits between ranks of different nodes are uncertain
insert into node values (2, 1, 'n2', null);
update process set node_id = 2 where rank = 1;
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 1, 2, 9, 1, 1000000000, 0.2, 7000000000, 'compute', 1, 0.9);
