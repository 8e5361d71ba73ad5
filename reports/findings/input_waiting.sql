-- The main threads wait for readers that wait themselves: for a server or a store of objects, or
-- for each other. Whom they wait for is known by the calls that woke them (wait_for_readers); what
-- readers that are busy keep them waiting, as input_storage and input_preparing promise it, is
-- taken off. It would be gone if samples always lay ready. Readers give samples again and again:
-- who waited for most of it at once waited for the end of a child, as one that spawns its ranks.
with waited as (
	select f.phase, f.rank, (f.outside - f.work) * m.value as ns
	-- by its key: of steps there are many
	from finding_run r cross join finding_rank f cross join metric m
		on m.run_id = r.run_id and m.model = 'host' and m.name = 'wait_for_readers'
		and m."window" = case f.phase when '' then 'run' else 'phase:' || f.phase end
		and m.subject = 'rank:' || f.rank
	where f.phase not like '%checkpoint%' and f.phase not in ('setup', 'init')
), lost as (
	select (select sum(ns) from (select min(ns) as ns from waited group by phase)) as ns,
		(select sum(starved) from finding_fed) as busy
)
select (l.ns - coalesce(l.busy, 0)) / 1e9 as seconds, l.ns / 1e7 / r.seconds_all as percent,
	(select f.text from finding_fetching f, noise_constant z
		where f.ns >= z.most * f.fetched_ns) as line
from lost l, finding_run r
where l.ns >= :little * 1e9 * r.seconds_all and coalesce(l.busy, 0) < :most * l.ns
	and not exists (select 1 from finding_gpu)
	and not exists (select 1 from metric m where m.run_id = r.run_id and m.model = 'host'
			and m.name = 'longest_wait_for_readers' and m.value >= :most * l.ns);
