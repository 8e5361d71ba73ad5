-- the same, of which 20 s were not sampled, and 3 taken by a hypervisor: what is left is less than a twentieth of the run
insert into sample (run_id, node_id, process_id, name, t_ns, value) select 1, 1, p.id, s.column1, s.column2 * 8e10, s.column3 * 1e9
	from process p, (values ('proc.core_ran', 0, 1), ('proc.core_ran', 1, 63), ('proc.core_waited', 0, 0), ('proc.core_waited', 1, 1)) s;
insert into sample (run_id, node_id, process_id, name, t_ns, value) values (1, 1, null, 'cpu.steal', 0, 0), (1, 1, null, 'cpu.steal', 8e10, 3e9);
