-- The run was cut off, or goes on, while ranks wait for one that does not come: the sentence of
-- `tacho where`, which merge found. Lost is the time in which all of them waited. A run that goes
-- on may only be slow for a moment: there it counts after as long as `tacho watch` asks after.
select min(n.value / 1e9, f.whole) as seconds, w.value as said,
	100.0 * min(n.value / 1e9, f.whole) / f.whole as percent,
	(select nullif(k.value, 'late') from environment k where k.run_id = f.run_id
		and k.scope = '' and k.key = 'TACHO::HANG_KIND') as advice,
	(select cast(k.value as integer) from environment k where k.run_id = f.run_id
		and k.scope = '' and k.key = 'TACHO::HANG_FOR'
		and k.value not glob '*[^0-9]*') as rank
from temp.finding_run f join environment w on w.run_id = f.run_id and w.scope = ''
	and w.key = 'TACHO::HANG'
	join environment n on n.run_id = f.run_id and n.scope = '' and n.key = 'TACHO::HANG_NS'
where n.value + 0 >= 10e9 or not exists (select 1 from environment e where e.run_id = f.run_id
	and e.scope = '' and e.key = 'TACHO::SNAPSHOT');
