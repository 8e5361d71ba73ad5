-- Per rank and phase: time outside of communication, and the same without waits. Steps count only
-- if a rule needs them.
create temp table finding_rank as
with own as (
	select "window", process_id, outside, outside - wait as work from finding_share
	union all
	select "window", process_id, total(ns) filter (where state not in ('mpi', 'gloo')),
		total(ns) filter (where state not in ('mpi', 'gloo', 'wait'))
	from (select 1 where exists (select 1 from finding_unseen)
			or exists (select 1 from finding_starting)) needed
		cross join host_time on run_id = :run and "window" >= 'step:' and "window" < 'step;'
	where state not in ('absent', 'not_in_detail') group by "window", process_id
)
select u.phase, p.rank, sum(u.many * h.outside) * f.times as outside,
	sum(u.many * h.work) * f.times as work
from own h cross join finding_unit u on u."window" = h."window"
	join process p on p.id = h.process_id join finding_part f on f.phase = u.phase
where p.rank is not null group by u.phase, p.rank;
drop table temp.finding_share;

-- What every rank waited in phases in which input counts, for whatever, outside of MPI; `fed`: less
-- what it waited for the end of children.
create temp table finding_waits as
select min(ns) as ns, min(max(ns - ended, 0)) as fed from (
	select f.rank, sum(f.outside - f.work) as ns, (select total(c.total_ns) from process p
			join call c on c.run_id = p.run_id and c.process_id = p.id
		where p.run_id = :run and p.rank = f.rank and c.name = 'poll (hung up)') as ended
	from finding_rank f where f.phase not like '%checkpoint%'
		and f.phase not in ('setup', 'init') group by f.rank);

-- Of these phases ns that the ranks would be through earlier if their busy readers kept them
-- waiting no more (`fed`), without what readers need to start, which data_loading reports by itself
-- (`starved`), and if their main threads did no I/O (`io`).
create temp table finding_input as
select phase, starved as fed, starved * (1 - coalesce(min(1, (select 1.0 * ns from finding_starting)
		/ nullif((select fed from finding_waits), 0)), 0)) as starved, io
from finding_part where phase not like '%checkpoint%' and phase not in ('setup', 'init');

-- What was done on the files of the data set, of which there may be many.
create temp table finding_data as
select sum(opens) as opens, sum(reads) as reads, sum(bytes_read) as bytes, sum(ns) as ns,
	-- on those that were read
	sum(case when bytes_read > 0 then opens + reads end) as accesses
from io_file where run_id = :run and class = 'dataset';
