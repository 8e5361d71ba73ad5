-- Ranks that wait through sockets until another one sends (socket_wait). What the others waited for
-- it on average, less what it waited itself for others, is what all would be through earlier, if
-- it sent as early as they. Where ranks communicate by other means, too, sockets are how they find
-- each other (torch.distributed's store), often by one that is not late itself. Of a straggler,
-- or of who works alone in a phase, other rules tell. Why it is late: what it did for longer than
-- the others, on average.
with pair as (
	select p.rank as waiter, coalesce(q.rank, o.rank) as rank, sum(w.late_ns) as ns
	from socket_wait w join process p on p.id = w.process_id
		join process q on q.id = w.peer_id left join process o on o.id = q.parent_id
	where w.run_id = :run group by 1, 2
), late as (
	select i.rank, i.ns / (r.nranks - 1.0)
		- (select total(ns) from pair where waiter = i.rank) as ns
	from (select rank, sum(ns) as ns from pair where rank is not null group by rank) i
		cross join finding_run r where r.nranks > 1
), worst as (
	select rank, ns from late order by ns desc, rank limit 1
), slept as (
	select p.rank, coalesce(m.value, 0) as ns from process p left join metric m
		on m.run_id = p.run_id and m."window" = 'run' and m.model = 'host'
		and m.name = 'slept' and m.subject = 'rank:' || p.rank
	where p.run_id = :run and p.rank is not null
), did as (
	select p.rank, h.state as what, h.ns from host_time h join process p on p.id = h.process_id
	where h.run_id = :run and h."window" = 'run' and p.rank is not null
		and h.state in ('useful', 'io', 'cuda')
	union all select rank, 'sleep', ns from slept
), more as (
	select what, sum(case when d.rank = w.rank then d.ns else 0 end)
		- sum(case when d.rank <> w.rank then d.ns else 0 end) / (r.nranks - 1.0) as ns
	from did d, worst w, finding_run r group by what
), cause as (
	select what, ns from more where ns > 0 order by ns desc limit 1
)
select w.ns / 1e9 as seconds, w.rank, w.ns / 1e7 / r.seconds_all as percent,
	(select waiter from pair where rank = w.rank order by ns desc, waiter limit 1) as waiter,
	(select max(ns) from pair where rank = w.rank) / 1e9 as waited,
	case when c.ns >= :most * w.ns then c.what else 'unknown' end as cause, c.ns / 1e9 as more,
	case when c.ns >= :most * w.ns then c.what else 'unknown' end as advice,
	r.nranks - 1 as others, k.text as line
from worst w join finding_unseen u cross join finding_run r left join cause c
	left join finding_line k on k.rank = w.rank and k.thread = 'main' and k.ns >= :most * w.ns
where not exists (select 1 from temp.found f where f.rule in ('serial_phase',
		'rank_checkpoints'));
