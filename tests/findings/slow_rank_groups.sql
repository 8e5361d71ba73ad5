-- four ranks in groups of two: rank 3 is 2 s slower in each of ten steps; of the 20 s that each other rank waits only those of ranks 1 and 2 are for it at once
-- expect slow_rank 20 rank 3 on n1 is 20 % slower since step 0, in sleeping: the others waited 20 s each for it
insert into process (id, run_id, node_id, rank, pid, parent_id, name, end, start_ns, end_ns)
	select id + 2, 1, 1, rank + 2, pid + 2, null, 'rank ' || (rank + 2), end, start_ns, end_ns from process;
update run set nranks = 4;
insert into step (run_id, process_id, n, phase_id, start_ns, end_ns) select 1, p.id, n, 1, n * 10000000000, (n + 1) * 10000000000 from n, process p where p.id > 2;
update step set waited_ns = case process_id when 4 then 0 else 2000000000 end;
insert into straggler (run_id, rank, since_step, until_step, lasting, excess_ns, share, waited_ns, cause, cause_share, confidence)
	values (1, 3, 0, 9, 1, 2000000000, 0.2, 40000000000, 'sleep', 1, 0.9);
