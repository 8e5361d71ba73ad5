-- Storage and network over the runs, Gb/s.
select title as "Series|block", nth as "Run|count", value as "Gb/s|number" from history_value v
where ord >= 7 and exists (select 1 from history_value o where o.figure = v.figure and o.value > 0)
order by ord, nth;
