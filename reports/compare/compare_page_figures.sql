-- Figures of both runs, each in its unit.
with reported as (
	select rowid as ord, figure, depth, better, unit, base, new, change, case unit
		when 'percent' then new - base else change end as moved from compared_figures
), side(side, value, ord) as (
	select 1, base, ord from reported union all select 2, new, ord from reported
), shown as (
	select s.ord, s.side, case t.unit when 'ns' then case
			when abs(value) >= 1e9 then printf('%.3g s', value / 1e9)
			when abs(value) >= 1e6 then printf('%.3g ms', value / 1e6)
			else printf('%.3g µs', value / 1e3) end
		when 'percent' then printf('%.1f %%', 100 * value)
		when 'efficiency' then printf('%.2f', value)
		when 'bytes' then case when value >= 1e9 then printf('%.3g GB', value / 1e9)
			when value >= 1e6 then printf('%.3g MB', value / 1e6)
			else printf('%.3g kB', value / 1e3) end
		when 'gbps' then printf('%.3g Gb/s', value)
		else case when value >= 100 then printf('%,d', round(value))
			else printf('%.3g', value) end end as text
	from side s join reported t on t.ord = s.ord where value is not null
)
select case depth when 0 then '' when 1 then char(160, 160)
		else char(160, 160, 160, 160) end || figure as "Figure",
	b.text as "Base", n.text as "New",
	case when abs(moved) < 0.0005 then '0' when unit = 'percent'
			then printf('%+.1f points', 100 * moved)
		else printf('%+.1f %%', 100 * moved) end
		as "Change",
	case when better = '' or not abs(moved) >= 0.01 then ''
		when (moved > 0) = (better = 'more') then 'better' else 'worse' end as "Is"
from reported t left join shown b on b.ord = t.ord and b.side = 1
	left join shown n on n.ord = t.ord and n.side = 2
order by t.ord;
