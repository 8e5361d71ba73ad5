-- The time of a step over the runs, in ms, and the level of each stretch between changes.
select "Series|block", "Run|count", "ms|number" from (
	select 1 as ord, 'time of a step' as "Series|block", nth as "Run|count", value / 1e6 as
		"ms|number"
	from history_value where figure = 'step_ns'
	union all
	select 2, 'level between changes', nth, value / 1e6 from history_level where figure =
		'step_ns'
) order by ord, "Run|count";
