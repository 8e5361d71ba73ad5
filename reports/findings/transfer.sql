-- What a network that costs nothing would save: the run less that of the replay, without what the
-- rules of collectives promise already. Whose call moves most is reported: in which they are
-- longest they may wait for each other. Where ranks lack cores a call lasts until they have had
-- one, and that is no network's. Where only a part of the run was captured, or others outlive the
-- ranks, the replay is of less than the run: of what its share of the network says.
with replayed as (
	select m.value / 1e9 as ideal,
		coalesce(round(m.value / e.value) / 1e9, r.seconds_all) as measured
	from finding_run r join metric m on m.run_id = r.run_id and m."window" = 'run'
		and m.model = 'mpi'
			and m.name = 'ideal_network_runtime' and m.subject = '' and m.flag is null
		left join metric e on e.run_id = r.run_id and e."window" = 'run' and e.model = 'mpi'
			and e.name = 'transfer_efficiency' and e.subject = '' and e.value > 0
), lost as (
	select measured - ideal - (select total(seconds) from temp.found
			where of like 'link%') as s
	from replayed
), used as (
	select c.name, sum(c.calls) as calls from call c join process p on p.id = c.process_id
	where c.run_id = :run and c.class in ('mpi', 'gloo') and p.rank is not null
		and c.name not like 'MPI\_Init%' escape '\' and c.name <> 'MPI_Finalize'
	group by c.name order by total(c.bytes_sent) + total(c.bytes_received) desc,
		sum(c.total_ns) desc limit 1
)
select l.s as seconds, 100 * l.s / r.seconds_all as percent, u.name as call, u.calls
from lost l, used u, finding_run r, finding_core c
where r.nranks > 1 and l.s >= :little * r.seconds_all and c.without < :crowded
	and not exists (select 1 from finding_gpu)
	and not exists (select 1 from checks where run_id = r.run_id
			and name in ('causality', 'messages_match', 'collectives_complete')
			and not ok);
