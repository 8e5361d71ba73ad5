-- What tacho history says first: the last change of the time of a step, or that there is none;
-- then what else is to be known.
with step as (
	select c.nth, c.before, c.after, c.p, h.label, h.commit_hash, h.began,
		(select count(*) from history l where l.nth >= c.nth and not l.failed) as since
	from history_change c
		join history h on h.nth = c.nth
	where c.figure = 'step_ns' order by c.nth desc limit 1
), size as (
	select count(*) as runs, sum(failed) as failed, count(distinct nranks || ' ' || ngpus)
		as sizes from history
), tested as (
	select count(*) as n, (select value from history_constant where name = 'least') as least,
		100 * (select value from history_constant where name = 'alpha') as alpha
	from history_value where figure = 'step_ns' and nth not in (select nth from history
			where failed)
), said(ord, line, level, sentence) as (
	select 1, 'verdict', case when after > before then 'bad' else 'good' end,
		printf('Since run %d (%s%s, %s) %s takes %.*g ms instead of %.*g: %.1f %% %s.', nth,
			label, coalesce(', commit ' || substr(commit_hash, 1, 12), ''), began,
			(select case unit when 'run' then 'the run' else 'a step' end
				from history_step order by unit desc limit 1),
			max(3, length(cast(after / 1e6 as integer))), after / 1e6,
			max(3, length(cast(before / 1e6 as integer))), before / 1e6,
			abs(after / before - 1) * 100,
			case when after > before then 'slower' else 'faster' end)
	from step
	union all
	select 2, 'note', 'note', 'It is a single run: repeat it before you search for the cause.'
	from step where since = 1
	union all
	select 1, 'verdict', 'good',
		printf('No change of the time of a step in %d runs: its median is '
			|| '%.*g ms.', n, max(3, length(cast(usual as integer))), usual)
	from (select *, (select median(value) from history_value where figure = 'step_ns') / 1e6
		as usual from tested) where n >= least and not exists (select 1 from step)
	union all
	select 1, 'verdict', 'note',
		printf('%d runs are too few to tell a small change from chance: %d are '
			|| 'needed at %g %% of false alarms (--false-alarms).', n, least, alpha)
	from tested where n < least and not exists (select 1 from step)
	union all
	select 2, 'note', 'note',
		printf('%d runs failed or were truncated: no change is searched in '
			|| 'their figures.', failed)
	from size where failed > 0
	union all
	select 3, 'note', 'note',
		printf('The runs are of %d sizes: --label or --branch choose those '
			|| 'of one kind.', sizes)
	from size where sizes > 1
	union all
	select 4, 'note', 'note',
		printf('At most %g %% of series without a change get one, each metric '
			|| 'by itself.', alpha)
	from tested where n >= least or exists (select 1 from step)
)
select line as "Line", level as "Level|level", sentence as "Sentence" from said order by ord;
