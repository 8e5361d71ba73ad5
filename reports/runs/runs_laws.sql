-- The laws of the whole run and of phases; those that there are not for one reason are a line.
with many as (
	select count(distinct configuration) > 1 as configurations from scaling_law
), law as (
	select *, case when value is not null then phase || law || what else means end as same
	from scaling_law
)
select case when count(distinct "window") = 1 then max(phase)
		when configurations then configuration || ': whole run and phases'
		else 'whole run and phases' end as "Phase",
	replace(group_concat(distinct law), ',', ', ')
	as "Law|text|Amdahl: fixed work; Gustafson: it grows; USL: universal scalability law",
	case when count(*) = 1 then what else '' end as "Share",
	value as "Value|percent", error as "±|percent|95 % confidence",
	case when value is null then means when error is null then 'too few runs' end as "|why",
	coalesce(means, '') as "Means"
from law cross join many group by configuration, same
order by configuration, min("window" <> 'run'), min("window"), min(nth) limit 100;
