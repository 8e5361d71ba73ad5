-- One rank writes checkpoints, in no phase of their own, and the others wait for it in the next
-- collective: the longest of these waits, as many as the rank opened such files to write them. What
-- it does besides writing (gathering, serialising) is a part of it.
with file as (
	select p.rank, sum(f.opens) as n, sum(f.bytes_written) as bytes, sum(f.ns) as ns
	from io_file f join process p on p.id = f.process_id
	where f.run_id = :run and f.class = 'checkpoint' and p.rank is not null
		and f.bytes_written >= :checkpoint_least
	group by p.rank
), stop as (
	select l.rank, l.ns, row_number() over (order by l.ns desc) as nth, f.n, f.bytes,
		f.ns as writing
	from finding_long l join file f on f.rank = l.rank
	where (select count(*) from file) = 1 and not exists (select 1 from finding_phase
			where name like '%checkpoint%' or name like '%ckpt%')
), waited as (
	select rank, sum(ns) as ns, count(*) as times, max(n) as n, max(bytes) as bytes,
		max(writing) as writing
	from stop where nth <= n group by rank
)
select w.ns / 1e9 as seconds, w.rank, w.times, w.ns / 1e9 as waited, w.n,
	w.bytes / 1e9 as gb, r.nranks - 1 as others
from waited w, finding_run r
where w.writing >= :some * w.ns and w.rank not in (select rank from straggler where run_id = :run);
