-- One rank writes checkpoints, in no phase of their own, and the others wait for it in the next
-- collective: long waits in which it was writing them. Other waits for it are none of these, and
-- one that lasts longer is so for the part in which it wrote, unless that is most.
with file as (
	select p.rank, sum(f.saves) as n, sum(f.bytes_written) as bytes
	from io_file f join process p on p.id = f.process_id
	where f.run_id = :run and f.class = 'checkpoint' and p.rank is not null
		and f.bytes_written >= :checkpoint_least
	group by p.rank
)
select sum(s.ns) / 1e9 as seconds, s.rank, count(*) as times, sum(s.ns) / 1e9 as waited, f.n,
	f.bytes / 1e9 as gb, r.nranks - 1 as others
from finding_saved s join file f on f.rank = s.rank join finding_run r
where (select count(*) from file) = 1 and not exists (select 1 from finding_phase
		where name like '%checkpoint%' or name like '%ckpt%')
	and s.rank not in (select rank from straggler where run_id = :run)
group by s.rank;
