-- of 90 s of useful time rank 0 ran 70 and waited 5 for a core, rank 1 ran 75: it is the last then, after 80 s of them
-- expect blocked 10 rank 0 was blocked for at least 15 s
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, p.id, s.column1, s.column2 * 1e11, s.column3 * 1e9 + case when s.column1 = 'proc.core_ran' and s.column2 then 5e9 * (p.id - 1) else 0 end
	from process p, (values ('proc.core_ran', 0, 1), ('proc.core_ran', 1, 71), ('proc.core_waited', 0, 0), ('proc.core_waited', 1, 5)) s;
