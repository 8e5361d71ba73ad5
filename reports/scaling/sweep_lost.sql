-- One row, a sentence: between which sizes of the run's configuration most of the efficiency is
-- lost, and which factor fell most there; none where no two sizes differ by 2 %.
with size as (
	select s.run_id, s.units, s.gpus, s.speedup / s.times as ideal,
		lag(s.run_id) over w as smaller_id, lag(s.units) over w as smaller,
		lag(s.speedup / s.times) over w as before
	from scaled s where s."window" = 'run' and s.speedup is not null
		and s.configuration = (select configuration from study where run_id = :run)
	window w as (order by s.units, s.run_id)
), largest as (
	select *, 1 - ideal / before as lost from size
	where before > 0 and ideal < 0.98 * before order by lost desc limit 1
), fell as (
	select m.label, r.value as before, m.value as after
	from largest l join scaling_leaf m on m.run_id = l.run_id and m."window" = 'run'
		join scaling_leaf r on r.run_id = l.smaller_id and r."window" = 'run'
		and r.model = m.model and r.label = m.label and r.value > 0
	where m.value < 0.98 * r.value order by m.value / r.value limit 1
)
select printf('from %d to %d %s %.2f of the efficiency is lost', l.smaller, l.units,
	case l.gpus when 1 then 'GPUs' else 'ranks' end, l.lost)
	|| coalesce((select printf(', most to %s (%.2f → %.2f)', label, before, after)
		from fell), '') as "Sentence"
from largest l;
