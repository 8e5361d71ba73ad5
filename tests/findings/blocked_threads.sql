-- as blocked.sql; the process of rank 0 ran 80 s on cores, of which 10 not by its main thread: it may have waited for those
-- expect blocked 10 rank 0 waited at least 15 s in no call that is recorded, while its other threads ran
insert into sample (run_id, node_id, process_id, name, t_ns, value)
	select 1, 1, p.id, s.column1, s.column2 * 1e11, s.column3 * 1e9 + case when s.column1 = 'proc.core_ran' and s.column2 then 5e9 * (p.id - 1) else 0 end
	from process p, (values ('proc.core_ran', 0, 1), ('proc.core_ran', 1, 71), ('proc.core_waited', 0, 0), ('proc.core_waited', 1, 5),
		('proc.cpu', 0, 1), ('proc.cpu', 1, 81)) s;
