-- Statements of tacho explain: whether everything was recorded.
select 'trust' as "Key", 1 as "Level|count", null as "Seconds|number",
	case when d.n > 0 then printf('the archive is damaged: %d of %d locations cannot be read '
			|| 'as a whole', d.n, r.nlocations)
		when r.cut <> 0 then 'the run was cut off: metrics cover the part recorded until '
		|| 'then'
		when l.n > 0 then printf('%,d events were lost: figures that they touch are '
			|| 'marked', l.n)
		when u.what is null then 'the record is whole: no rank was cut off, no event lost'
		else 'no rank was cut off, no event lost' end
	|| coalesce('; not recorded: ' || u.what, '')
	|| case when c.n > 0 then printf('; %d checks of the figures failed', c.n) else '' end
	|| case when m.n > 0 then printf('; %d figures of the run are undefined, with their '
		|| 'reason', m.n)
		else '' end as "Sentence",
	printf('select subject, reason, count from not_recorded where run_id = %d union all select '
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
		and subject = '') m,
	(select group_concat(printf('%,d %s (%s)', n, case kind when 'bytes' then 'bytes'
			when 'process' then case n when 1 then 'process' else 'processes' end
			else kind || case n when 1 then '' else 's' end end,
			replace(reason, '_', ' ')), ', ') as what
		from (select kind, reason,
				sum(case kind when 'bytes' then bytes else count end) as n
			from not_recorded where run_id = :run and kind not in ('event', 'spool')
			group by kind, reason)) u,
	(select count(*) as n from location where run_id = :run and damaged is not null) d
where r.id = :run;
