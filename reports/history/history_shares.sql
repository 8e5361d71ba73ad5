-- Efficiencies and idle time over the runs, as shares.
select title as "Series|block", nth as "Run|count", value as "Share|number" from history_value
where unit in ('efficiency', 'percent') order by ord, nth;
