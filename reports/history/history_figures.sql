-- The figures that tacho history follows, of which there are values.
select figure from history_value group by figure order by min(ord);
