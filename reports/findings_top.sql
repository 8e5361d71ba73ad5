-- The findings that cost most, each with its place in the timeline: a row, a range of time, what
-- to look for. The range is that of the worst step of a straggler, of a phase that is named, else
-- of the bins that have most of the state that is lost; NULL: all of the run.
with top as (
	select rank as n, rule, seconds, coalesce(brief, message) as said, confidence, message,
		case when substr(message, instr(message, 'rank ') + 5, 1) glob '[0-9]'
			then cast(substr(message, instr(message, 'rank ') + 5) as integer) end
			as who
	from finding where run_id = :run and seconds > 0 order by rank limit 3
),
-- the states that a rule's seconds come from, in the order in which they are looked for
state_of(pattern, state) as (values
	('input_*', 'wait'), ('input_between_steps', 'io'), ('input_small_reads', 'io'),
	('input_same_files', 'io'), ('output_*', 'io'), ('*checkpoint*', 'io'), ('sleep', 'wait'),
	('lock', 'wait'), ('blocked', 'wait'), ('rank_alone', 'mpi'), ('rank_alone', 'gloo'),
	('serial*', 'mpi'), ('serial*', 'gloo'), ('*transfer', 'mpi'), ('*transfer', 'gloo'),
	('*communication', 'mpi'), ('*communication', 'gloo'), ('*collectives', 'mpi'),
	('*collectives', 'gloo'), ('*imbalance', 'mpi'), ('*imbalance', 'gloo'),
	('late_start', 'mpi'), ('late_start', 'gloo'), ('mpi_start_end', 'mpi'),
	('launch_bound', 'idle:launch_latency'),
	('synchronisations', 'idle:host_in_cuda_api'), ('host_starves', 'idle:host_compute'),
	('host_starves', 'idle:wait'), ('exposed_nccl', 'nccl_transfer'),
	('exposed_nccl', 'nccl_wait'), ('slow_link', 'nccl_transfer'),
	('slow_transport', 'nccl_transfer'), ('gpu_imbalance', 'nccl_wait'),
	('pageable_copies', 'memcpy')),
bin as (	-- what the rows together spent of each bin in each state
	select state, bin_ns, j.key as bin, sum(j.value) as share
	from timeline t, json_each(t.shares) j
	where t.run_id = :run
		and state in (select state from state_of s join top on rule glob pattern)
	group by state, bin_ns, j.key
),
most as (
	select t.n, b.state, b.bin * b.bin_ns as at, b.bin_ns as width,
		row_number() over (partition by t.n order by b.share desc, b.bin)
			as nth
	from top t join state_of s on t.rule glob s.pattern join bin b on b.state = s.state
),
phased as (
	select t.n, max(p.name) as name from top t join (select distinct name from phase
			where run_id = :run) p
		on t.message || ' ' glob '*' || p.name || '[ :,]*' group by t.n
),
named as (	-- its longest instance
	select p.n, min(h.start_ns) as first, max(h.end_ns) as last, row_number() over (
			partition by p.n order by max(h.end_ns) - min(h.start_ns) desc) as nth
	from phased p join phase h on h.run_id = :run and h.name = p.name group by p.n, h.instance
),
worst as (	-- two steps around the one in which a straggler was latest
	select t.n, s.start_ns - 2 * (s.end_ns - s.start_ns) as first,
		s.end_ns + 2 * (s.end_ns - s.start_ns) as last,
		row_number() over (partition by t.n order by s.excess_ns desc, s.n)
			as nth
	from top t join process p on p.run_id = :run and p.rank = t.who
		join straggler g on g.run_id = :run and g.rank = t.who
		join step s on s.run_id = :run and s.process_id = p.id
			and s.n between g.since_step and g.until_step
	where t.rule = 'slow_rank'
)
select t.n as "#|count", t.seconds * 1e9 as "Saves|ns", t.said as "Finding",
	t.confidence as "How sure", 'rank ' || t.who as "Row",
	max(0, coalesce(w.first, d.first, m.at - m.width)) as "From|count",
	coalesce(w.last, d.last, m.at + 2 * m.width) as "To|count", m.state as "State"
from top t left join worst w on w.n = t.n and w.nth = 1
	left join named d on d.n = t.n and d.nth = 1
	left join most m on m.n = t.n and m.nth = 1
order by t.n;
