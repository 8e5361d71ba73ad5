-- Statements of tacho explain: whether everything was recorded.
select 'trust' as "Key", 1 as "Level|count", null as "Seconds|number",
	case when r.cut <> 0 then 'the run was cut off: figures are of what was recorded until '
		|| 'then'
		when l.n > 0 then printf('%,d events were lost: figures that they touch are '
			|| 'marked', l.n)
		else 'the record is whole: no rank was cut off, no event lost' end
	|| case when c.n > 0 then printf('; %d checks of the figures failed', c.n) else '' end
	|| case when m.n > 0 then printf('; %d figures of the run are undefined, with their '
		|| 'reason', m.n)
		else '' end as "Sentence",
	printf('select subject, reason, count from loss where run_id = %d union all select '
		|| '"window", '
		|| 'name, message from checks where run_id = %d and ok = 0 union all select '
			|| 'model || '
		|| ''' '' || name, flag, null from metric where run_id = %d and "window" = '
			|| '''run'' and '
		|| 'value is null and subject = ''''', :run, :run, :run) as "Query"
from run r, (select sum(count) as n from loss where run_id = :run and reason <> 'missing') l,
	(select count(*) as n from checks where run_id = :run and not ok) c,
	(select count(*) as n from metric where run_id = :run and "window" = 'run' and value is
		null
		and subject = '') m
where r.id = :run;
