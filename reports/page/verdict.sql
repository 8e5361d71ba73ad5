-- needs: attached_tables
-- What there is to say of the run first, in words that need no vocabulary: the verdict, why, what
-- to do next; and, where no step is known, how to get steps. Trouble stands first: a hang, a death,
-- a loss of events.
with
-- seconds as people read them
whole as (
	select id, t.ns / 1e9 as s, nranks, exit_status,
		case when t.ns >= 1e11 then 0 when t.ns >= 1e10 then 1 else 2 end as places,
		t.start_ns as begin, t.attempt
	from run r join run_time t on t.run_id = r.id where id = :run
),
-- where parts of the run are not in detail: how much of an average rank is
detailed as (
	select max(0, w.s - sum(m.value) / w.nranks / 1e9) as s from metric m, whole w
	where m.run_id = :run and m."window" = 'run' and m.model = 'quality'
		and m.name = 'not_in_detail' and m.subject glob 'rank:*' and not exists (
			select 1 from environment where run_id = :run and key = 'TACHO::TOTALS')
	having count(*) > 0
),
-- the ranks' time by state: of all that is not in detail there are totals
exact as (
	select name as state, value as ns from metric
	where run_id = :run and "window" = 'run' and model = 'exact'
),
by_state as (
	select state, ns from exact
	union all
	select h.state, h.ns from host_time h join process p on p.id = h.process_id
	where h.run_id = :run and h."window" = 'run' and p.rank is not null
		and (h.state = 'absent' or not exists (select 1 from exact))
),
-- an average GPU, where there are any; else an average rank
worked as (
	select case when exists (select 1 from device_time where run_id = :run and "window" =
		'run') then 'gpu'
		when t.value is not null then 'steps' else 'run' end as kind,
		coalesce((select 1.0 * sum(case state when 'compute' then ns else 0 end) /
			count(distinct device_id)
			from device_time where run_id = :run and "window" = 'run' having count(*)
				> 0), t.value,
			(select 1.0 * sum(case state when 'useful' then ns else 0 end) /
				(select nranks from whole) from by_state)) / 1e9 as s
	from run r left join metric t on t.run_id = r.id and t."window" = 'run' and t.model = 'host'
		and t.name = 'trained'
	where r.id = :run
),
-- of an average rank the CPU time of its other threads, where that is more than its main thread's
threads as (
	select avg(c.value - m.value) / 1e9 as s from metric c join metric m
		on m.run_id = c.run_id and m."window" = c."window" and m.model = c.model
		and m.subject = c.subject and m.name = 'core_ran'
	where c.run_id = :run and c."window" = 'run' and c.model = 'counters' and c.name = 'cpu'
		and c.subject glob 'rank:*'
	having avg(c.value - m.value) > 1e9 * (select s from worked)
		and avg(c.value - m.value) >= 0.05e9 * (select s from whole)
),
-- until the first step of an average rank; of steps that were found in calls of which a part is not
-- in detail the first ones are not known
begins as (
	select case when not exists (select 1 from metric where run_id = :run and "window" = 'run'
				and model = 'quality' and name = 'not_in_detail' and value > 0)
			or not exists (select 1 from step where run_id = :run and confidence < 1)
		then avg(ns) / 1e9 end as s
	from (select (select s.start_ns - (select begin from whole) from step s
			where s.run_id = :run and s.process_id = p.id order by s.n limit 1) as ns
		from process p where p.run_id = :run and p.rank is not null)
),
-- without steps: until an average GPU's first activity, and after its last one, each where it is a
-- tenth of the run; of a run that was cut off nobody knows what would have come
ends as (
	select case when avg(first) >= 0.1e9 * w.s then avg(first) / 1e9 end as first,
		case when avg(last) >= 0.1e9 * w.s and not max(cut) then avg(last) / 1e9 end as last
	from (select max(0, min(l.start_ns) - s.begin) as first,
			max(0, s.begin + r.duration_ns - max(l.end_ns)) as last, r.cut
		from run r join location l on l.run_id = r.id and l.kind = 'accelerator_stream'
			and l.name like 'CUDA[%' and l.start_ns is not null
		join process_device u on u.process_id = l.process_id
			and u.ordinal = cast(substr(l.name, 6) as integer)
		join (select coalesce(min(start_ns), 0) as begin from process
			where run_id = :run) s
		where r.id = :run and not exists (select 1 from step where run_id = :run)
		group by u.device_id, s.begin, r.duration_ns, r.cut), whole w
	group by w.s
),
-- why GPUs had no work, where that is one thing for the most part
idle as (
	select case state when 'idle:host_compute' then 'while the program computed'
			when 'idle:host_in_cuda_api' then 'in calls of CUDA'
			when 'idle:wait' then 'while it waited for other threads and processes'
			when 'idle:mpi_wait' then 'in MPI' end as cause, ns, whole
	from (select state, 1.0 * sum(ns) / n as ns, sum(1.0 * sum(ns) / n) over () as whole
		from device_time, (select count(distinct device_id) as n from device_time
			where run_id = :run and "window" = 'run')
		where run_id = :run and "window" = 'run' and state like 'idle:%'
			and state not in ('idle:io_wait', 'idle:launch_latency')
		group by state, n)
	order by ns desc limit 1
),
-- the line of Python in which an average rank computed most, where that is a fifth of it
line as (
	select printf(', most at %s() in %s:%d', function, replace(file, rtrim(file, replace(file,
			'/', '')), ''), line) as said
	from (select function, file, line, 1.0 * sum(l.ns) / max(1, w.nranks) as ns
		from python_line l, whole w
		where l.run_id = :run and l.thread = 'main' and l.rank is not null
			and l.line is not null and l.function is not null
			and l.state not in ('io', 'wait', 'cuda', 'communication')
		group by function, file, line order by 4 desc limit 1) s, idle i
	where i.cause = 'while the program computed' and s.ns >= 0.2 * i.ns
),
-- calls that wait for the end of a child
ended as (
	select total(c.total_ns) as ns from process p
		join call c on c.run_id = p.run_id and c.process_id = p.id
	where p.run_id = :run and p.rank is not null
		and c.name in ('wait', 'wait3', 'wait4', 'waitpid', 'waitid')
),
-- what is no work: of GPUs, else of ranks
spends as (
	select what, sum(ns) / n / 1e9 as s from (
		select case when state glob 'nccl*' then 'exchanging data between GPUs'
			when state = 'memcpy' then 'copying to and from GPUs'
			when state = 'absent' then 'not recorded'
			when state = 'idle:io_wait' then 'GPUs without work while files were read '
				|| 'or written'
			when state = 'idle:launch_latency' then 'GPUs waiting for work to start'
			else 'GPUs without work' end as what, ns,
			(select count(distinct device_id) from device_time where run_id = :run
				and "window" = 'run') as n
		from device_time where run_id = :run and "window" = 'run' and state <> 'compute'
		union all
		select case h.state when 'mpi' then 'communication between the ranks'
			when 'gloo' then 'communication between the ranks'
			when 'io' then 'reading and writing files'
			when 'wait' then case when 2 * (select ns from ended)
						>= sum(h.ns) over (partition by h.state)
					then 'waiting for the programs that were started'
				else 'waiting for other threads and processes' end
			when 'cuda' then 'calls of CUDA' when 'absent' then 'not recorded'
			else 'threads without work' end, h.ns,
			(select nranks from whole)
		from by_state h where h.state not in ('useful', 'not_in_detail')
			and (select kind from worked) <> 'gpu')
	group by what, n order by s desc
),
spent as (select * from spends limit 1),
-- where no finding explains why ranks do not compute for a twentieth of their steps: the call in
-- which they were longest, of the state that has most of that time, and its line of Python
apart as (
	select h.state, sum(1.0 * h.ns) as ns, sum(sum(1.0 * h.ns)) over () as whole
	from host_time h join process p on p.id = h.process_id
	where h.run_id = :run and h."window" between 'step:' and 'step;' and p.rank is not null
		and h.state <> 'absent'
		and not exists (select 1 from finding where run_id = :run and seconds > 0)
		and not exists (select 1 from device where run_id = :run)
	group by h.state
),
unexplained as (
	select state, max(ns) as most, sum(ns) / whole as part,
		sum(ns) / 1e9 / (select nranks from whole) as s from apart where state <> 'useful'
	having sum(ns) >= 0.05 * whole
),
longest as (
	select u.state, c.name, sum(c.total_ns - c.helper_ns) as ns from unexplained u
		join call c on c.run_id = :run and c.class = u.state
		join process p on p.id = c.process_id and p.rank is not null
	where c.name not like 'MPI\_Init%' escape '\' and c.name <> 'MPI_Finalize'
	group by c.name order by 3 desc limit 1
),
longest_line as (
	select replace(o.file, rtrim(o.file, replace(o.file, '/', '')), '') || ':' || o.line
			as said,
		sum(s.ns) as ns
	from longest c join python_sample s on s.run_id = :run and (s.call = c.name
			or c.state in ('mpi', 'gloo') and s.state = 'communication')
		join location l on l.id = s.location_id and l.is_main
		join process p on p.id = s.process_id and p.rank is not null
		join python_frame f on f.id = s.frame_id
		join python_frame o on o.id = coalesce(f.own_id, f.id)
	where o.line is not null group by 1 order by 2 desc limit 1
),
-- the words of the finding that saves most, without the term that it begins with
top as (
	select n, seconds, brief, is_bound as most, advice,
		rule glob 'step_*' and exists (select 1 from step_sum where run_id = :run)
			as of_steps,	-- of all of them, whatever is in detail
		substr(message, coalesce(length(term) + 3, 1)) as message
	from finding where run_id = :run and seconds > 0 and brief is not null order by n limit 1
),
lost as (
	select sum(count) as n, max(reason) as reason from loss_of
),
loss_of as (
	select count, reason from loss where run_id = :run and count > 0 and reason <> 'missing'
),
unknown as (
	select 1.0 * sum(m.value) / (select sum(h.ns) from host_time h join process p on p.id =
		h.process_id
		where h.run_id = :run and h."window" = 'run' and p.rank is not null) as share
	from metric m where m.run_id = :run and m."window" = 'run' and m.model = 'quality'
		and m.name = 'lost' having count(*) > 0
),
trouble(ord, said, why, next) as (
	select 0, printf('The trace is damaged: all figures are of the part until %.3f s',
			value / 1e9),
		(select case when count(*) > 1 then count(*) || ' locations'
			else max(name) end || ' cannot be read after that, or not as a whole'
			from location where run_id = :run and damaged is not null),
		'copy the archive again, or record again: tacho info names the damaged parts'
	from metric where run_id = :run and "window" = 'run' and model = 'quality'
		and name = 'read_until'
	union all
	select 1, 'No activity of the ranks was recorded',
		'no event of a rank is in the trace',
		'see what tacho info and the messages of tacho record say; tacho record --all '
			|| 'records every process'
	from whole where not exists (select 1 from host_time where run_id = :run and "window" =
		'run')
	union all
	select 2, printf('The run hung: %d of %d ranks %s in %s for %.1f s when it ended, and %s '
		|| 'did not come',
			n, nranks, case n when 1 then 'was' else 'were' end, inside, ns / 1e9,
				others),
		coalesce((select said from trouble_waits), elsewhere),
		iif(exists (select 1 from trouble_snapshot), '', 'if it hangs again, ')
			|| 'check what ' || others || case when nothers = 1 then ' does' else
			' do' end
			|| ' while the run hangs: py-spy dump --pid PID, gdb -p PID'
	from trouble_hung, whole
	union all
	select 2, 'The run hung: ranks waited for each other or for one that did not come', said,
		'check the named calls; tacho where shows the same while a run hangs'
	from trouble_waits where not dead and not exists (select 1 from trouble_hung)
	union all
	select 3.5, 'The run could not continue: a rank that others waited for had ended', said,
		'see why it ended there: it took another way, or had fewer steps, than the others'
	from trouble_waits where dead
	union all
	select 2.5, printf('Rank %d ended well after %d %s, and rank %d, which had one more, '
			|| 'failed at %.3f s', rank, steps,
			case steps when 1 then 'step' else 'steps' end, failed, end_ns / 1e9),
		printf('in step %d rank %d began %s, in which rank %d, which had ended, took no '
			|| 'part', steps + 1, failed, call, rank),
		'give all ranks as many batches (a DistributedSampler with drop_last), or train '
			|| 'under torch.distributed.algorithms.Join'
	from trouble_fewer where steps > 0
	union all
	select 3, upper(substr(said, 1, 1)) || substr(said, 2),
		coalesce((select rtrim(said, '.') from trouble_waits where dead), case when n > 1
				then printf(iif(within_ns < 0.2e9,
					'%d of %d ranks ended badly, within %.3f s',
					'it was the first of %d to end badly, of %d ranks'),
					n, nranks, within_ns / 1e9)
				when nranks > 1 then 'all other ranks ended well'
				else 'it is the only rank' end)
			|| coalesce('; the command ended with status ' || nullif(exit_status, 0)
				|| case exit_status
				when 134 then ' (SIGABRT)' when 135 then ' (SIGBUS)'
				when 136 then ' (SIGFPE)' when 137 then ' (SIGKILL)'
				when 139 then ' (SIGSEGV)' when 143 then ' (SIGTERM)'
				else '' end, ''),
		case when c.shm_full then 'give /dev/shm more room (docker run --shm-size, '
				|| 'in Kubernetes an emptyDir of medium Memory), or use fewer '
				|| 'data-loader workers or smaller batches'
			when c.signal = 9 then 'see whether memory ran out (dmesg, the limit of '
				|| 'the job or container): use fewer data-loader workers, or less '
				|| 'memory in each'
			when is_lost
			then 'see what rank ' || rank || ' printed last, and whether it crashed '
				|| '(SIGSEGV, SIGABRT: a core file, dmesg) or was ended by '
				|| 'others: limits of memory and time (dmesg, the batch '
				|| 'system), a failure elsewhere'
			else 'see what rank ' || rank || ' printed before that' end
	from trouble_death, whole left join (select rank as of_rank, max(shm_full) as shm_full,
		max(signal) filter (where signal = 9) as signal from trouble_child group by 1) c
		on c.of_rank = rank
	union all
	select 4, printf('The command ended with status %d, although all ranks ended well',
		exit_status),
		'the ranks ended by themselves, with status 0', 'see the last output of the command'
	from whole where exit_status <> 0 and nranks > 0
		and not exists (select 1 from trouble_other_job)
	union all
	select 4, said, printf('the figures are about job %d, whose ranks ended well; the '
			|| 'command ended with status %d', chosen, coalesce(exit_status, 0)),
		printf('see what that rank printed last; tacho merge -f --job %d shows its job',
			job)
	from trouble_other_job, whole
	union all
	select 4.5, printf('%s left no events: figures are of the other ranks',
			upper(substr(who, 1, 1)) || substr(who, 2)),
		'its spool is missing or empty: it was lost with its node, or never brought to '
			|| 'the run',
		'see where its node''s spools are; tacho merge -f takes them in'
	from (select case when count(*) > 4 then count(*) || ' ranks'
			else group_concat(who, ', ') end as who
		from trouble_silent having count(*) > 0)
	union all
	select 5, printf('%,d %s lost', n, case n when 1 then 'event was' else 'events were' end)
		|| coalesce(printf(' (%.2g %% of the time is unknown)', 100 * (select share from
			unknown)), ''),
		'reason: ' || replace(reason, '_', ' '),
		'record again with enough space for the lost events: see the reasons in the table '
			|| 'of lost events'
	from lost where n > 0
),
worst as (
	select said, why, next, ord from trouble order by ord limit 1
),
-- another attempt of the same run is no trouble of this one
attempts as (
	select count(*) || ' attempts were made' || coalesce(': '
		|| (select g.said || case when n.start_ns > 0
				then printf('; ranks were started anew %.1f s%s after that',
					(n.start_ns - g.end_ns) / 1e9,
					case when n.chosen and f.ns >= n.start_ns
					then printf(' and trained again %.1f s',
						(f.ns - g.end_ns) / 1e9) else '' end) else '' end
			from trouble_gave_up g join trouble_tries t on t.attempt = g.attempt
				left join trouble_tries n on n.attempt = g.attempt + 1
					and n.start_ns >= g.end_ns
				left join (select min(start_ns) as ns from step
					where run_id = :run) f
			where not t.chosen order by t.attempt limit 1), '')
		|| coalesce((select '; ' || said from trouble_again where steps > 0), '') as said
	from trouble_tries having count(*) > 1
	union all
	select printf('%d MPI jobs were run, and the figures are about job %d, the one %s',
			count(*),
		sum(iif(chosen, job, 0)),
		case when sum(iif(chosen, nranks, 0)) > max(iif(chosen, 0, nranks))
			then 'with the most ranks'
		when sum(iif(chosen, end_ns - start_ns, 0)) >= max(end_ns - start_ns)
			and sum(iif(chosen, nranks, 0)) = max(nranks) then 'that ran longest'
		else 'that was asked for or went better' end)
	from trouble_jobs having count(*) > 1
),
reported as (
	select case when exists (select 1 from trouble_snapshot)
			then 'The run is in progress: ' || iif(k.kind = 'steps', 'i', 'a')
			else iif(k.kind = 'steps', 'I', 'A') end
		|| case k.kind when 'gpu' then 'n average GPU computed for '
			when 'steps' then 'n training steps an average rank computed for '
			else 'n average rank worked for ' end
		|| iif(k.s > 0 and k.s < 0.05 and w.places < 2, printf('%.1g', max(k.s, 0.001)),
			printf('%.*f', w.places, k.s))
		|| printf(' of %s%.*f s%s',
			iif(exists (select 1 from trouble_snapshot), 'its first ', ''), w.places,
			w.s, coalesce(iif(exists (select 1 from trouble_jobs), ' of job ',
				' of attempt ') || w.attempt, ''))
		|| case when k.kind not in ('gpu', 'steps') and h.s > 0
			then printf(' in its main thread, and its other threads for %.*f s',
				w.places, h.s) else '' end
		|| case when k.kind <> 'run' and b.s >= 0.1 * w.s
			then printf(' and %.*f s passed before the first step', w.places, b.s)
			when e.first > 0 and e.last > 0
			then printf(', %.*f s passed before its first work and %.*f s after its '
				|| 'last', w.places, e.first, w.places, e.last)
			when e.first > 0
			then printf(' and %.*f s passed before its first work', w.places, e.first)
			when e.last > 0
			then printf(' and %.*f s passed after its last work', w.places, e.last)
			else '' end as said,
		-- where no finding follows that has the greater part
		case when w.s - k.s - coalesce(b.s, 0) >= 0.5 * w.s
			then '; most of the rest went to '
				|| (select group_concat(printf('%s (%.*f s)', what, w.places,
				s), ', ') from spends where s >= 0.1 * w.s) end as rest,
		iif(k.s + t.seconds > 1.01 * w.s, ', part of it computing', '') as twice
	from whole w, worked k, begins b left join ends e on k.kind = 'gpu' left join threads h on
		h.s > 0 and not exists (
		select 1 from device where run_id = :run) left join top t on 1 where k.s is not null
),
bound as (
	select case when k.s >= 0.5 * w.s or (k.s >= l.s and k.s >= coalesce(b.s, 0)) then
		'computing'
		when coalesce(b.s, 0) >= l.s then 'the time before the first step' else l.what
			end as what,
		iif(b.s > k.s and b.s >= l.s, printf('%.*f s (%.2g %%) passed before the first '
			|| 'step; ', w.places, b.s, 100 * b.s / w.s), '')
			|| printf('the largest loss is %.*f s (%s %%): ', w.places, l.s,
			case when l.s >= 0.995 * w.s then '100' else printf('%.2g',
					100 * l.s / w.s) end)
			|| l.what
			|| case when l.what like 'communication%' then
				', waiting for others included'
				when l.what = 'GPUs without work' and i.ns >= 0.5 * i.whole
					and i.cause is not null then printf(', mostly %s (%.*f s)',
						i.cause, w.places, i.ns / 1e9)
					|| coalesce(n.said, '')
				else '' end as lost,
		l.s / w.s as share
	from whole w, worked k, begins b left join spent l on 1 left join idle i on 1
		left join line n on 1
)
select 'verdict' as "Line", case when w.said is not null then 'bad'
		when t.seconds >= 0.05 * (select s from whole) then 'note' else 'good' end as
			"Level|level",
	coalesce(w.said || '; ' || lower(substr(m.said, 1, 1)) || substr(m.said, 2), w.said,
		(select said from attempts) || '; ' || lower(substr(m.said, 1, 1)) ||
			substr(m.said, 2), m.said)
	|| case when w.ord < 5 then coalesce(m.rest, '')
		when t.seconds is null and d.s is null and exists (select 1 from longest)
		then (select printf('; no finding explains %.2g %% of the steps (%.2g s), in which '
			|| 'ranks do not compute, mostly in %s', 100 * u.part, u.s, c.name)
			from unexplained u, longest c)
			|| coalesce((select ' at ' || said from longest_line), '')
		when t.seconds is null then '; nothing that was found would save 1 %'
			|| coalesce((select printf(' of the %.2g s that are in detail', s)
				from detailed), '') || ': ' || b.what || ' limits the run'
		when d.s is not null and not t.of_steps
		then printf('; of the %.2g s that are in detail %s%.2g s could be saved: ', d.s,
				iif(t.most, 'up to ', ''), t.seconds)
			|| t.brief
		else printf('; %s%.*f s could be saved%s: ',
			case when t.most then 'up to ' else '' end,
			(select places from whole), t.seconds, m.twice)
			|| t.brief || coalesce((	-- the next cause of the step model
				select printf('; then %.*f s: ', (select places from whole),
					b.seconds) || b.brief
				from finding a join finding b on b.run_id = a.run_id and b.n = 2
				where a.run_id = :run and a.n = 1 and a.rule glob 'step_*'
					and b.rule glob 'step_*' and b.seconds >= 0.1 * a.seconds),
				'') end as "Sentence",
	null as "Finding|count"	-- that the line states
from (select 1) left join worst w on 1 left join reported m
	on 1 left join top t on 1 left join bound
	b on 1 left join detailed d on 1
where not exists (select 1 from attached_said)
union all
select line, level, sentence, null from attached_said
union all
select 'why', 'note', coalesce(case when w.ord < 5 then w.why end, t.message, b.lost),
	case when w.ord >= 5 or w.why is null and w.next is null then t.n end
from (select 1) left join worst w on 1 left join top t on 1 left join bound b on 1
where coalesce(w.why, t.message, b.lost) is not null and not exists (select 1 from attached_said)
union all
select 'next', 'note', coalesce(case when w.ord < 5 then w.next end, t.advice, case b.what
	when case when b.share < 0.1 then 'computing' end then
		'only less to compute, or faster processors, make it much faster; tacho scaling '
		|| 'shows what more ranks would bring'
	when 'the time before the first step' then 'a longer run makes it matter less; or check '
		|| 'what is done before the first step'
	when 'waiting for the programs that were started' then 'see which of these lasted: '
		|| 'the processes in the report'
	else 'tacho stats RUN calls and the report show where most of it is spent' end), null
from (select 1) left join worst w on 1 left join top t on 1 left join bound b on 1
where coalesce(w.next, t.advice, b.what) is not null and not exists (select 1 from attached_said)
union all
select 'steps', 'note', case when not exists (select 1 from checks where run_id = :run
		and name = 'causality')	-- of the replay, which a summary has not
	then 'a summary does not look for them; tacho analyze without --summary does'
	else 'no step was found (no marker, no backward passes of PyTorch, no period in '
	|| 'the collectives): mark them by `with tacho.step(n, samples=len(batch)):` '
	|| '(include/tacho.py) or tacho_step_begin() (include/tacho.h) to have figures per step '
	|| 'and samples per second' end, null
from whole where nranks > 0 and exists (select 1 from host_time where run_id = :run and "window"
	= 'run')
	and not exists (select 1 from step where run_id = :run)
	and not exists (select 1 from attached_said);
