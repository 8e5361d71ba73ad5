-- rank 1 sleeps for 14 s and comes into step 0 at 13 s, where rank 0 waits for it from second 1 on, and for 2 s more
-- expect late_start 12 late arrival: rank 1 reaches the first step late: the other waits 12 s for it, most of that in one allreduce, while it sleeps
update step set start_ns = 13000000000, end_ns = 20000000000 where process_id = 2 and n = 0;
update step set end_ns = 20000000000, waited_ns = 14000000000 where process_id = 1 and n = 0;
delete from step where n = 1;
insert into metric values (1, 'run', 'host', 'slept', 'rank:1', 14e9, 'ns', null);
insert into collective (run_id, kind, comm_id, seq, op, bytes, first_ns, last_ns, end_ns, last_rank) values
	(1, 'mpi', 0, 0, 'allreduce', 8, 1000000000, 15000000000, 15000000000, 1);
insert into collective_rank values (1, 'mpi', 0, 0, 'allreduce', 1, 14000000000, 0), (1, 'mpi', 0, 1, 'allreduce', 1, 0, 0);
