-- Starting and ending MPI: what MPI_Init and MPI_Finalize take of the rank that is in each the
-- shortest, since the others may wait there for a rank that is late (outside_more).
-- That of a short program is nobody's trouble, so it must be long by itself, too.
with least_s(value) as (
	values (:start_end_s)	-- below, nobody would change a launcher for it
), calls as (
	select total(case when c.name in ('MPI_Init', 'MPI_Init_thread')
			then c.total_ns end) as init,
		total(case c.name when 'MPI_Finalize' then c.total_ns end) as fini
	from process p left join call c on c.run_id = p.run_id and c.process_id = p.id
	where p.run_id = :run and p.rank is not null group by p.id
), spent as (
	select min(init) / 1e9 as init, min(fini) / 1e9 as fini from calls
)
select s.init + s.fini as seconds, s.init, s.fini,
	100 * (s.init + s.fini) / r.whole as percent
from spent s join finding_run r join least_s l
where s.init + s.fini >= max(l.value, :some * r.whole);
