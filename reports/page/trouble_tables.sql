-- How the processes of the run ended, for the verdict and for the notes on quality.
--   trouble_snapshot	processes, and those that had not ended; of a snapshot only
--   trouble_rank_name	what a process is called
--   trouble_silent	ranks that left no spool
--   trouble_inside	calls that main threads were in when their process ended
--   trouble_signal	what killed a process, as its parent was told
--   trouble_child	children of ranks that a signal killed; shm_full: as /dev/shm was full
--   trouble_ends	who did not end by itself; by_ns: not much later than that
--   trouble_failed	ranks that did, but not well
--   trouble_death	the rank that ended badly first: others may have been ended for it
--   trouble_fewer	a rank that ended well and made fewer steps than the one that failed then,
--			in a call
--   trouble_jobs	MPI jobs of a script
--   trouble_other_job	the first rank that died in a job that the figures are not about
--   trouble_tries	attempts of a launcher that starts ranks anew
--   trouble_gave_up	what failed first in each
--   trouble_again	steps and time of those before the one that counts
--   trouble_waits	who waited for whom then, as merge found it; dead: for one that had ended
--   trouble_hung	the same where all that waited did so in one call, for few: how many
create temp table trouble_snapshot as
select count(*) as n, sum(end = 'running') as running from process
where run_id = :run and exists (select 1 from environment e where e.run_id = :run
	and e.scope = '' and e.key = 'TACHO::SNAPSHOT')
having count(*) > 0;

create temp table trouble_rank_name as
select p.id, case when p.rank is null then p.name else 'rank ' || p.rank end as who, p.rank, p.end,
	p.end_ns
from process p where p.run_id = :run;

-- in tacho's own archives: a rank that left no spool
create temp table trouble_silent as
select r.id, r.who from trouble_rank_name r where r.rank is not null
	and not exists (select 1 from location l
			where l.run_id = :run and l.process_id = r.id and l.nevents > 0);

-- of the main thread: helper threads of MPI and NCCL poll all the time
create temp table trouble_inside as
select process_id, inside, inside_since_ns,
	inside glob 'MPI_*' or inside glob 'nccl*' or inside glob 'gloo:*' or inside glob
		'torch:*' as talks
from location where run_id = :run and inside is not null and is_main;

create temp table trouble_signal as
select id, signal, case signal when 4 then 'SIGILL' when 6 then 'SIGABRT' when 7 then 'SIGBUS'
		when 8 then 'SIGFPE' when 9 then 'SIGKILL' when 11 then 'SIGSEGV'
		when 15 then 'SIGTERM' else 'signal ' || signal end as name
from process where run_id = :run and signal is not null;

create temp table trouble_child as
select o.rank, p.end_ns, p.id, p.signal,
	p.signal = 7 and 10 * p.shm_used >= 8 * p.shm_bytes as shm_full,
	printf('a %s of rank %d (pid %d) was killed by %s at %.3f s',
		case when p.first_sample_ns is null then 'child' else 'data-loader worker' end,
		o.rank,
		p.pid, g.name, p.end_ns / 1e9)
	|| coalesce(', inside ' || i.inside, '')
	|| case when p.shm_bytes > 0 and (p.signal = 7 or (p.signal = 9
			and 10 * p.shm_used >= 8 * p.shm_bytes))
		then printf('; /dev/shm, %.0f MB, was %.0f %% full then', p.shm_bytes / 1e6,
			100.0 * p.shm_used / p.shm_bytes) else '' end as said
from process p join process o on o.id = p.parent_id
	join trouble_signal g on g.id = p.id left join trouble_inside i on i.process_id = p.id
where p.run_id = :run and p.signal is not null and p.rank is null and o.rank is not null;

create temp table trouble_ends as
select count(*) over () as n, row_number() over (order by r.rank is null, r.rank) as nth, r.rank,
	r.end_ns,
	-- it showed life every 0.1 s; of two that went together it was not who waited for the other
	case when i.inside = 'MPI_Abort' then coalesce(i.inside_since_ns, r.end_ns)
		when s.value is not null or g.id is not null then r.end_ns
		else r.end_ns + iif(i.talks, 2e8, 1e8) end as by_ns,
	case when i.inside = 'MPI_Abort' then r.who || ' called MPI_Abort'
			|| coalesce(' with status ' || s.value, '')
			|| printf(' at %.3f s', coalesce(i.inside_since_ns, r.end_ns) / 1e9)
		when c.said is not null then c.said
		else r.who || case when r.end <> 'killed' then ' had not ended'
			when s.value is null then ' was killed' || coalesce(' by ' || g.name, '')
			else ' exited with status ' || s.value || ' before MPI_Finalize' end
		|| printf(' at %.3f s', r.end_ns / 1e9)
		|| coalesce(', inside ' || i.inside || coalesce(printf(' for %.3f s',
			(r.end_ns - i.inside_since_ns) / 1e9), ''), '') end as said,
	-- no status of its own tells why
	coalesce(i.inside, '') <> 'MPI_Abort' and (c.said is not null or r.end <> 'killed'
			or s.value is null) as is_lost
from trouble_rank_name r left join trouble_inside i on i.process_id = r.id
	left join trouble_child c on c.id = r.id left join trouble_signal g on g.id = r.id
	left join environment s on s.run_id = :run and s.scope = 'rank:' || r.rank and s.key =
		'exit_status'
where r.end in ('killed', iif(exists (select 1 from trouble_snapshot), 'killed', 'running'))
	and r.id not in (select id from trouble_silent);

create temp table trouble_failed as
select r.rank, r.end_ns, r.who || ' exited with status ' || s.value
	|| printf(' at %.3f s', r.end_ns / 1e9) as said
from trouble_rank_name r join environment s on s.run_id = :run and s.scope = 'rank:' || r.rank
	and s.key = 'exit_status'
where r.end = 'finished' and s.value <> '0';

-- a script's MPI jobs are numbered as attempts are
create temp table trouble_jobs as
select a.attempt as job, a.start_ns, a.end_ns, a.is_run as chosen,
	(select count(*) from process p where p.run_id = :run and p.attempt = a.attempt
		and (p.rank is not null or p.name glob 'rank * of job *')) as nranks
from attempt a where a.run_id = :run and exists (select 1 from environment
	where run_id = :run and scope = '' and key = 'TACHO::JOBS');

-- the first rank that died in another job than the one that the figures are about
create temp table trouble_other_job as
select 'Rank' || substr(p.name, 5) || ' was killed' || coalesce(' by ' || g.name, '')
	|| printf(' at %.3f s', min(p.end_ns) / 1e9) as said, p.attempt as job,
	(select job from trouble_jobs where chosen) as chosen
from process p left join trouble_signal g on g.id = p.id
where p.run_id = :run and p.name glob 'rank * of job *' and p.end = 'killed' having count(*) > 0;

create temp table trouble_tries as
select attempt, start_ns, end_ns, is_run as chosen, steps, saved, saved_steps
from attempt where run_id = :run and not exists (select 1 from trouble_jobs);

-- what the attempts before the one that counts have cost; no row without them
create temp table trouble_again as
select printf('%s%d of %d steps%s were lost',
		iif(max(o.saved and o.saved_steps is null), 'up to ', ''),
		sum(o.steps - coalesce(o.saved_steps, 0)), sum(o.steps) + t.steps,
		iif(max(o.saved_steps) > 0, ' since the last checkpoint', '')) as said,
	sum(o.steps) as steps, min(t.start_ns) - min(o.start_ns) as ns
from trouble_tries t join trouble_tries o on o.attempt < t.attempt where t.chosen
group by t.attempt;

create temp table trouble_gave_up as
select attempt, min(end_ns) as end_ns, coalesce('rank ' || rank,
		substr(name, 1, instr(replace(name, ' of attempt', ' child') || ' child',
			' child') - 1))
		|| case when end = 'killed' then ' was killed'
			else ' exited with status ' || exit_status end
		|| printf(' at %.3f s', end_ns / 1e9)
		|| coalesce((select printf(', after %d step%s', c.calls, iif(c.calls = 1, '', 's'))
			from call c where c.run_id = p.run_id and c.process_id = p.id
				and c.name = 'step' and c.class = 'user'), '') as said
from process p where run_id = :run and attempt in (select attempt from trouble_tries)
	and (end = 'killed' or exit_status > 0)
group by attempt;

create temp table trouble_hang as
select substr(key, 13) as fact, value from environment
where run_id = :run and scope = '' and key glob 'TACHO::HANG_*';

create temp table trouble_waits as
select value as said,
	coalesce((select value = 'dead' from trouble_hang where fact = 'KIND'), 0) as dead
from environment where run_id = :run and scope = '' and key = 'TACHO::HANG';

create temp table trouble_death as
select coalesce((select c.said || '; ' from trouble_child c where c.rank = d.rank and c.signal <> 15
		and c.end_ns <= d.end_ns order by c.end_ns limit 1), '') || d.said as said,
	d.rank, d.end_ns, d.n, d.within_ns,
	d.is_lost or exists (select 1 from trouble_child c where c.rank = d.rank
		and c.signal <> 15 and c.end_ns <= d.end_ns) as is_lost
from (select *, count(*) over () as n, max(end_ns) over () - min(end_ns) over () as within_ns
	from (select said, rank, end_ns, by_ns, is_lost from trouble_ends
		union all
		select said, rank, end_ns, end_ns, 0 from trouble_failed)
	where rank is not null) d
order by d.by_ns limit 1;

-- a rank failed in communication that another one, which ended well, did not take part in:
-- that one had fewer batches
create temp table trouble_fewer as
with ended as (
	select p.id, p.rank, p.end_ns,
		(select count(*) from step s where s.run_id = :run and s.process_id = p.id) as
			steps,
		(select total(c.calls) from call c where c.run_id = :run
			and c.process_id = p.id and c.name glob 'gloo:*') as calls
	from process p where p.run_id = :run and p.rank is not null and p.end = 'finished'
)
select e.rank, e.steps, d.rank as failed, d.end_ns,
	-- the operation that it began more often by most
	(select c.name from call c left join call o on o.run_id = c.run_id and o.process_id = e.id
			and o.name = c.name and o.class = c.class
		where c.run_id = :run and c.process_id = f.id and c.name glob 'gloo:*'
		order by c.calls - coalesce(o.calls, 0) desc, c.name limit 1) as call
from ended e join trouble_death d join ended f on f.rank = d.rank
where e.rank <> d.rank and e.calls > 0 and e.calls < f.calls
	and not exists (select 1 from trouble_failed t where t.rank = e.rank)
order by e.calls, e.rank limit 1;

-- the ranks that waited and those that they waited for are those of the sentence in trouble_waits
create temp table trouble_hung as
select max(iif(h.fact = 'CALL', h.value, null)) as inside, w.n,
	max(iif(h.fact = 'NS', h.value + 0, null)) as ns, o.others, o.n as nothers, o.elsewhere
from trouble_hang h,
	(select count(*) as n from trouble_hang h join json_each('[' || h.value || ']')
		where h.fact = 'RANKS') w,
	(select count(*) as n, group_concat(r.who, ', ') as others,
			group_concat(r.who || case when r.end = 'finished' then ' had ended' else
				coalesce(' was in ' || i.inside || coalesce(printf(' for %.1f s',
						(r.end_ns - i.inside_since_ns) / 1e9), ''),
					' was in no call that is recorded') end, ', ') as elsewhere
		from trouble_hang h join json_each('[' || h.value || ']') l
			join trouble_rank_name r on r.rank = l.value
			left join trouble_inside i on i.process_id = r.id
		where h.fact = 'FOR') o
where w.n > 0 and o.n between 1 and 8
	and exists (select 1 from trouble_hang where fact = 'KIND' and value = 'late')
having count(*) > 0;
