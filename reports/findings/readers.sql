-- Threads and child processes that read for a rank: not its main thread, and none that communicates.
create temp table finding_reader as
with thread as (
	select l.id, coalesce(p.rank, q.rank) as rank, l.bytes_read,
		sum(case when t.state = 'io' then t.ns else 0 end) as io,
		sum(case when t.state = 'useful' then t.ns else 0 end) as useful,
		sum(case when t.state = 'mpi' then t.ns else 0 end) as mpi, sum(t.ns) as life
	from location l join process p on p.id = l.process_id left join process q on q.id = p.parent_id
		join location_time t on t.run_id = l.run_id and t.location_id = l.id
	where l.run_id = (select run_id from finding_run) and l.bytes_read > 0
		and not (l.is_main and p.rank is not null)
	group by l.id
)
select id, rank, io, useful, life from thread
where rank is not null and mpi = 0 and bytes_read >= 0.01 * (select max(bytes_read) from thread);
