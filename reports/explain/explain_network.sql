-- Statements of tacho explain, on demand: where the time in collectives and messages went.
with by_op as (
	select kind, op, sum(calls) as calls, sum(wait_ns) / 1e9 as wait, sum(transfer_ns) /
		1e9 as moved
	from collective_rank where run_id = :run group by kind, op order by sum(wait_ns +
		transfer_ns) desc
)
select 'network' as "Key", 2 as "Level|count",
	(select sum(wait + moved) from by_op) as "Seconds|number",
	'in collectives, summed over the ranks: ' || group_concat(printf('%s %s %.2f s waiting '
		|| 'for '
		|| 'the last rank and %.2f s moving data (%,d calls of ranks)', kind, op, wait,
			moved,
		calls), '; ') || case when exists (select 1 from metric where run_id = :run
				and "window" = 'run' and model = 'quality'
				and name = 'not_in_detail' and value > 0)
			then ', of what is in detail' else '' end as "Sentence",
	printf('select kind, op, sum(calls) as calls, sum(wait_ns) / 1e9 as wait_s, '
		|| 'sum(transfer_ns) / '
		|| '1e9 as transfer_s from collective_rank where run_id = %d group by kind, op '
			|| 'order by '
		|| 'wait_s + transfer_s desc', :run) as "Query"
from (select * from by_op limit 4) having count(*) > 0
union all
select 'calls', 2, sum(s), 'calls with most time, of all threads of the ranks: ' ||
	group_concat(printf('%s %.2f s '
	|| '(%,d)', name, s, calls), '; '),
	printf('select class, name, sum(calls) as calls, sum(total_ns) / 1e9 as s, '
		|| 'sum(bytes_sent) as '
		|| 'sent, sum(bytes_received) as received from call where run_id = %d and class '
			|| 'not in '
		|| '(''user'', ''wait'') and process_id in (select id from process where rank '
			|| 'is not '
		|| 'null) group by class, name order by s desc', :run)
from (select name, sum(calls) as calls, sum(total_ns) / 1e9 as s from call
	where run_id = :run and class not in ('user', 'wait')
		and process_id in (select id from process where rank is not null)
	group by class, name order by 3 desc limit 5)
having count(*) > 0;
