-- The stretches in which a rank is late (table straggler). Where one has nearly all of its
-- lateness, the others may be chance and are not told.
create temp view finding_stretch as
select * from straggler g where run_id = (select run_id from finding_run) and not exists (
	select 1 from straggler o, noise_constant where o.run_id = g.run_id and o.rank = g.rank
		and o.since_step <> g.since_step
		and 1.0 * o.excess_ns * (o.until_step - o.since_step + 1) >= (1 - part) * (
			select sum(1.0 * excess_ns * (until_step - since_step + 1))
			from straggler where run_id = g.run_id and rank = g.rank));

-- What slow_rank has said of waiting for readers, of I/O of main threads, and of want of cores: as
-- that rank's own it is no input that all wait for, and no core would give it back once more. By
-- the parts of its lateness, since the cause of a wait for readers that read is I/O, too. A view,
-- as rules before it change it.
create temp view finding_late as
with late as (
	select total(max(0, readers_ns)) as readers, total(max(0, io_ns)) as io,
		total(contention_ns) as contention,
		(select total(seconds) * 1e9 from temp.found where rule = 'slow_rank') as reported
	from straggler where run_id = (select run_id from finding_run)
)
select min(readers, reported) as readers, min(io, reported - min(readers, reported)) as io,
	min(contention, reported) as contention from late;

-- Lines of Python by rank, with their children, as findings name them.
create temp table finding_python as
select rank, thread, state, file, function, line, case function when '<module>' then ''
		else function || '() at ' end
	|| replace(file, rtrim(file, replace(file, '/', '')), '') || ':' || coalesce(line, '?')
	as text, sum(ns) as ns
from python_line where run_id = :run and rank is not null and file is not null
group by 1, 2, 3, 4, 5, 6;

-- The line in which a rank was longer than the others on average by most, of its main thread and of
-- its children: the function that is longer by most, and its line that is. Where it communicates it
-- waits for others, and no step imports. others_ns: what all others were in that function.
-- Ranks whose children had a third more CPU time than those of each other rank, and how much more:
-- who lacks cores has less of it, so these had more to do (docs/lateness.md).
create temp table finding_burning as
with child as (
	select p.id, max(s.value) as ns from process p join sample s on s.run_id = p.run_id
		and s.node_id = p.node_id and s.process_id = p.id and s.name = 'proc.cpu'
	where p.run_id = :run and p.rank is null group by p.id
), ran as (
	select f.rank, sum(c.ns) as ns from child c join finding_family f on f.process_id = c.id
	group by f.rank
), most as materialized (
	select max(ns) as ns, (select ns from ran order by ns desc limit 1 offset 1) as ns2 from ran
)
select rank, ns - others as more from (
	select r.rank, r.ns, coalesce(iif(r.ns < m.ns, m.ns, m.ns2), 0) as others
	from ran r, most m) where ns >= (select 1 + scarce_core from noise_constant) * others;

create temp table finding_line as
with line as materialized (
	select rank, thread, file, function, line, text, sum(ns) as ns from finding_python
	where state not in ('communication', 'import') group by 1, 2, 3, 4, 5
), mean as (
	select thread, file, function, line, 1.0 * sum(ns) / (select nranks from finding_run) as ns
	from line group by 1, 2, 3, 4
), more as (
	select l.rank, l.thread, l.file, l.function, l.text, (l.ns - m.ns)
		* r.nranks / (r.nranks - 1) as ns
	from line l join mean m on m.thread = l.thread and m.file = l.file
		and m.function = l.function and m.line is l.line join finding_run r
	where r.nranks > 1
), within as (
	select rank, thread, file, function, sum(ns) as ns, text, max(ns) from more
	group by 1, 2, 3, 4
), longest as (
	select rank, thread, file, function, text, max(ns) as ns from within group by rank, thread
), total as materialized (
	select thread, file, function, sum(ns) as ns from line group by 1, 2, 3
), own as materialized (
	select rank, thread, file, function, sum(ns) as ns from line group by 1, 2, 3, 4
)
select w.rank, w.thread, w.text, w.ns, t.ns - o.ns as others_ns
from longest w join total t using (thread, file, function)
	join own o using (rank, thread, file, function);
