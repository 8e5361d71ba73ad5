-- Values of tacho_metric() over the run, those with a target or most values first, four names at
-- most; at most about 1,000 points of each: neighbours are joined.
with shown as (
	select t.name, max(1, t.points / 1000) as w from training t
	left join environment e on e.run_id = t.run_id and e.scope = ''
		and e.key = 'TACHO::TARGET' and e.value glob t.name || '[<>=]*'
	where t.run_id = :run and t.points > 1
	order by e.value is null, t.points desc, t.name limit 4
)
select s.name as "Name|block", max(p.t_ns) / 1e9 as "Time (s)|number",
	avg(p.value) as "Mean|number"
from shown s join training_point p on p.run_id = :run and p.name = s.name
where p.value is not null group by s.name, p.nth / s.w order by s.name, min(p.nth);
