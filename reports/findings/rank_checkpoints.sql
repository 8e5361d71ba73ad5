-- One rank writes checkpoints, in no phase of their own, and the others wait for it in the next
-- collective: the longest of these waits, of about one length, no more than the rank wrote such
-- files after opening them (one that it opens to sync it is no other checkpoint). What it does
-- besides writing (gathering, serialising) is a part of it: these are the waits if writing is a
-- tenth of them, or if there are as many of them as files, twice as long as any other wait.
with file as (
	select p.rank, sum(f.saves) as n, sum(f.bytes_written) as bytes, sum(f.ns) as ns
	from io_file f join process p on p.id = f.process_id
	where f.run_id = :run and f.class = 'checkpoint' and p.rank is not null
		and f.bytes_written >= :checkpoint_least
	group by p.rank
), stop as (
	select l.rank, l.ns, row_number() over (order by l.ns desc) as nth,
		max(l.ns) over () as longest, f.n, f.bytes, f.ns as writing
	from finding_long l join file f on f.rank = l.rank
	where (select count(*) from file) = 1 and not exists (select 1 from finding_phase
			where name like '%checkpoint%' or name like '%ckpt%')
), waited as (
	select rank, sum(ns) as ns, min(ns) as least, count(*) as times, max(n) as n,
		max(bytes) as bytes, max(writing) as writing
	from stop where nth <= n and longest < :about * ns group by rank
)
select w.ns / 1e9 as seconds, w.rank, w.times, w.ns / 1e9 as waited, w.n,
	w.bytes / 1e9 as gb, r.nranks - 1 as others
from waited w, finding_run r
where w.rank not in (select rank from straggler where run_id = :run)
	and (w.writing >= :some * w.ns or w.times = w.n and w.n >= :stops and not exists (
		select 1 from finding_stops o where w.least < :stands_out * o.ns
			and (o.rank <> w.rank or o.ns < w.least)));
