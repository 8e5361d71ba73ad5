-- rank 1 validates for 12 s and rank 0 for 4: it is waited for long once only, by chance, else 0.2 s or not at all
insert into phase select 10 * id + n, 1, id, 'validate', n, n * 10000000000, n * 10000000000 + 4000000000, 0 from process, n where n < 4;
insert into host_time values (1, 1, 'phase:validate', 'useful', 4000000000), (1, 2, 'phase:validate', 'useful', 12000000000);
insert into collective select 1, 'mpi', 0, n, 'allreduce', 8, n * 10000000000 + 1000000000, n * 10000000000 + 1000000000
	+ case n when 1 then 2900000000 else 200000000 end, n * 10000000000 + 3950000000, case n when 2 then 0 else 1 end,
	null, null, null, null from n where n < 4;
