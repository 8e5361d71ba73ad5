-- Which run of a database a new one is compared with: the table `baseline_wanted` (how, n, path,
-- start_ns, nranks, ngpus) says how it is chosen and what the new run is, which is never its own
-- baseline. Candidates ended well and are of its size; of them the last one, the one with the
-- shortest steps, or of the last n the one in the middle (of an even number the faster of both).
-- `spread`: the standard deviation of the last n as shares, from the median of how much neighbours
-- differ, so that a change between two of them is no part of it.
with candidate as (
	select h.run_id, h.nth, s.ns from history h cross join baseline_wanted w
		join history_step s on s.run_id = h.run_id
	where not h.failed and h.nranks = w.nranks and h.ngpus = w.ngpus
		and not (h.path = w.path and h.start_ns is w.start_ns)
		and s.unit = (select max(unit) from history_step)
), recent as (
	select c.*, row_number() over (order by nth desc) as back from candidate c
), spread as (	-- half of all pairs of normal values differ by more than 0.954 deviations
	select median(abs(ns / before - 1)) / 0.954 as spread, count(*) as many from (
		select 1.0 * ns as ns, lag(ns) over (order by nth) as before
		from recent cross join baseline_wanted w where back <= w.n)
), chosen as (
	select r.*, row_number() over (order by case w.how when 'last' then -nth else ns end, nth
		desc)
			as place, count(*) over () as many, w.how
	from recent r cross join baseline_wanted w where w.how <> 'median' or back <= w.n
)
select run_id, p.spread, p.many from chosen c cross join spread p
where place = case how when 'median' then (c.many + 1) / 2 else 1 end;
