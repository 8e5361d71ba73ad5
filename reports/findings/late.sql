-- What ranks of their own wait for readers and are in I/O in steps, as the ladder has it
-- (step_wait): it is no input that all wait for.
create temp table finding_late as
select total(case c.part when 'readers' then c.saves_ns end) as readers,
	total(case c.part when 'io' then c.saves_ns end) as io
from cause c join noise_constant z where c.run_id = :run and c.nranks = 1
	and c.place is not null and c.saves_ns >= z.most * c.own_ns;

-- The line in which a rank was longer than the others on average by most, of its main thread and of
-- its children: the function that is longer by most, and its line that is. Where it communicates it
-- waits for others, and no step imports. others_ns: what all others were in that function.
create temp table finding_line as
with line as materialized (
	select rank, thread, file, function, line, place as text, sum(ns) as ns
	from python_line where run_id = :run and rank is not null and file is not null
		and state not in ('communication', 'import') group by 1, 2, 3, 4, 5, 6
), mean as (
	select thread, file, function, text, 1.0 * sum(ns) / (select nranks from finding_run) as ns
	from line group by 1, 2, 3, 4
), more as (
	select l.rank, l.thread, l.file, l.function, l.text, (l.ns - m.ns)
		* r.nranks / (r.nranks - 1) as ns
	from line l join mean m on m.thread = l.thread and m.file = l.file
		and m.function = l.function and m.text = l.text join finding_run r
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
