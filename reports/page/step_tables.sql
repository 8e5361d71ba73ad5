-- For all queries about steps, executed before them, as each would read and sort all steps of all
-- ranks again. The temporary table `step_of_ranks`: a row per step and phase (null: none); `many`
-- ranks took it, of `ranks` all of it was recorded, and these needed so many ns (own: without
-- waiting for other ranks); of `parted` the
-- parts of a training are known, whose sums are `loading` to `other`. `phase_median`: to
-- each phase.id, and 0 for steps outside of phases, the median of its name's steps and the number
-- of the series that shows them: 0 outside of phases, 1 to 7 the names with most steps, 8 all
-- others. `phase_steps`: all steps of each phase and their samples, also of those without a row.
create temp table step_of_ranks as
select f.name as phase, s.n, count(*) as many, sum(s.samples) as samples,
	count(*) filter (where s.cut = 0) as ranks,
	min(s.end_ns - s.start_ns) filter (where s.cut = 0) as least,
	median(s.end_ns - s.start_ns) filter (where s.cut = 0) as median,
	max(s.end_ns - s.start_ns) filter (where s.cut = 0) as most,
	median(s.end_ns - s.start_ns - coalesce(s.waited_ns, 0)) filter (where s.cut = 0)
		as own_median,
	max(s.end_ns - s.start_ns - coalesce(s.waited_ns, 0)) filter (where s.cut = 0) as own_most,
	count(s.other_ns) filter (where s.cut = 0) as parted,
	sum(s.loading_ns) filter (where s.cut = 0) as loading,
	sum(s.forward_ns) filter (where s.cut = 0) as forward,
	sum(s.backward_ns) filter (where s.cut = 0) as backward,
	sum(s.communication_ns) filter (where s.cut = 0) as communication,
	sum(s.optimizer_ns) filter (where s.cut = 0) as optimizer,
	sum(s.checkpoint_ns) filter (where s.cut = 0) as checkpoint,
	sum(s.other_ns) filter (where s.cut = 0) as other
from step s left join phase f on f.id = s.phase_id where s.run_id = :run group by s.n, f.name;

create temp table phase_steps as
with rest as (
	select f.name as phase, sum(r.steps) as steps, sum(r.samples) as samples
	from step_rest r left join phase f on f.id = r.phase_id where r.run_id = :run
	group by f.name, r.process_id
)
select phase, sum(steps) as steps, sum(samples) as samples from (
	select phase, 1 as steps, samples from step_of_ranks
	union all
	select phase, max(steps), sum(samples) from rest group by phase)
group by phase;

create index temp.step_of_ranks_n on step_of_ranks(n, phase);

create temp table phase_median(id integer primary key, number integer, ns real);

insert into phase_median
with middle as materialized (
	select phase, case when phase is null then 0
			else min(8, row_number() over (order by phase is null, sum(ranks) desc,
						phase)) end as number,
		median(median) as ns from step_of_ranks group by phase
)
select f.id, m.number, m.ns from middle m join phase f on f.name = m.phase where f.run_id = :run
union all
select 0, number, ns from middle where phase is null;
