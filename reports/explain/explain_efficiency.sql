-- Statements of tacho explain (analyzer/report/explain.h): the efficiencies of the whole run.
select 'efficiency' as "Key", 1 as "Level|count", null as "Seconds|number",
	case when p.device_parallel_efficiency is not null
		then printf('GPU parallel efficiency %.2f = load balance %.2f × communication '
			|| '%.2f '
			|| '× orchestration %.2f', p.device_parallel_efficiency,
				p.device_load_balance,
			p.device_communication_efficiency, p.device_orchestration_efficiency)
		else printf('parallel efficiency (%s) %.2f = load balance %.2f × communication '
			|| '%.2f',
			c.name, p.parallel_efficiency, p.load_balance, p.communication_efficiency)
			|| iif(p.serialisation_efficiency is null or p.transfer_efficiency is null,
				'', printf('; of communication, serialisation is %.2f and '
				|| 'transfer %.2f', p.serialisation_efficiency,
				p.transfer_efficiency)) end as "Sentence",
	printf('select name, value, flag from metric where run_id = %d and "window" = ''run'' and '
		|| 'model = ''%s'' and subject = '''' and name in (%s) order by case '
		|| 'when name like ''%%parallel_efficiency'' then 0 when name = ''load_balance'' '
		|| 'then 1 else 2 end, name', :run,
		iif(p.device_parallel_efficiency is null, 'mpi', 'device'),
		iif(p.device_parallel_efficiency is null,
			'''parallel_efficiency'', ''load_balance'', ''communication_efficiency'', '
			|| '''serialisation_efficiency'', ''transfer_efficiency''',
			'''device_parallel_efficiency'', ''load_balance'', '
			|| '''communication_efficiency'', ''orchestration_efficiency'''))
		as "Query"
from pop p join communication c on c.run_id = p.run_id
where p.run_id = :run and p."window" = 'run'
	and coalesce(p.device_parallel_efficiency, p.parallel_efficiency) is not null;
