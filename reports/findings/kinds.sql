-- The same of findings about all ranks. Input: the phases in which it counts, and of workers that
-- take the cores what ranks lacked of these. Of files that readers read ranks wait for readers.
insert into finding_weight
with lost as (
	select max(0, sum(starved) - (select readers from finding_late)) as ns,
		nullif(sum(starved), 0) as starved from finding_input
), reads as (
	select exists (select 1 from finding_reader) as ahead
)
select f.n, i.phase, case when a.ahead then 'own/wait/readers' else f.of end,
	case when a.ahead or f.of = 'own/wait/readers' then i.starved * min(1, l.ns / l.starved)
		else i.io end
from finding_ranked f, finding_input i, lost l, reads a
where (f.rule = 'exposed_io' or f.rule = 'data_loading' and f.variant <> 'starting')
	and (f.variant <> 'writes' or not a.ahead)
union all
select f.n, null, 'own/contention', max(0, f.seconds * 1e9 - l.ns) from finding_ranked f, lost l
where f.rule = 'data_loading' and f.variant = 'preparing';

-- Devices that are idle.
insert into finding_weight
select f.n, null, k.column1, case k.column1 when 'own/cuda' then l.api
	when 'own/queue' then l.queued when 'own/wait' then l.wait else l.host end
from finding_ranked f join finding_launch l join (values ('own/cuda'), ('own/queue'), ('own/host'),
	('own/wait')) k on case when f.variant = 'host'
		then k.column1 = 'own/wait' or k.column1 = 'own/host' and not l.short
		else k.column1 <> 'own/wait' end
where f.rule = 'gpu_starved';

insert into finding_weight
select f.n, p.name, 'all', p.ns from finding_ranked f, finding_phase p
where f.rule = 'checkpoint' and f.variant = 'all'
	and (p.name like '%checkpoint%' or p.name like '%ckpt%');

-- Ranks that take turns do so in MPI, too.
insert into finding_weight
select f.n, null, k.column1, case k.column1 when 'link' then p.ns
	else max(0, f.seconds * 1e9 - p.ns) end
from finding_ranked f join (select sum(longest - outside) as ns from finding_part) p
	join (values ('link'), ('own/contention')) k
where f.rule = 'pinning' and f.variant = 'cores';
