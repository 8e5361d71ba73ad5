-- A row where figures of the run are not of all of it: what they cover. They carry a mark.
select case when r.cut <> 0 and l.ns is not null then
		'This run was truncated, and events were lost: metrics cover the recorded part'
	when r.cut <> 0 then 'This run was truncated: metrics cover the recorded part'
	when l.ns is not null then 'Events were lost: figures are of the time that was recorded'
	end as "Why"
from run r left join (select max(ns) as ns from lost_time
	where run_id = :run and "window" = 'run' having count(*) > 0) l on 1
where r.id = :run and (r.cut <> 0 or l.ns is not null);
