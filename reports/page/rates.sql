-- The highest rate of any node over the run; from the counters where there are
-- any, else from the intercepted calls. Its roof is what tacho doctor measured there.
with kind(ord, name, label) as (values (1, 'storage_read', 'storage read'),
		(2, 'storage_write', 'storage write'),
	(3, 'network_sent', 'network sent'), (4, 'network_received', 'network received')
), rate as (
	select m.name, m.model, max(m.value) as value, m.subject from metric m
	where m.run_id = :run and m."window" = 'run' and m.subject like 'node:%'
		and m.model in ('calls', 'counters')
	group by m.name, m.model having max(m.value) > 0
), source as (
	select name, max(model) as model from rate group by name	-- 'counters' > 'calls'
)
select k.label as "What", r.value / 1e9 as "Mean|number", p.value / 1e9 as "Peak|number",
	s.model as "Seen by",
	(select r.value / 1e9 / e.value from environment e where e.run_id = :run
		and e.scope = r.subject and e.key = 'roof.' || case when r.name like 'network%'
			then 'network' else r.name end || '_gbps') as "Of the roof|percent"
from kind k join source s on s.name = k.name join rate r on r.name = s.name and r.model = s.model
	left join rate p on p.name = k.name || '_peak' and p.model = s.model
order by k.ord;
