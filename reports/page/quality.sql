-- needs: trouble_tables
-- How far the figures can be trusted, a sentence a row, the worst first.
with recursive
-- bytes that the kernel counted and no recorded call moved
bypassed as (
	select reason, sum(bytes) as bytes, count(*) as n, max(subject) as who
	from not_recorded where run_id = :run and kind = 'bytes' group by reason
),
nulls as (
	select coalesce(flag, 'no reason given') as reason, count(*) as n from metric
	where run_id = :run and "window" = 'run' and subject = '' and value is null group by flag
),
-- what people noted while the run went on, one a line
notes(rest, said) as (
	select value, null from environment where run_id = :run and scope = '' and key =
		'TACHO::NOTES'
	union all
	select substr(rest, instr(rest, char(10)) + 1), substr(rest, 1, instr(rest, char(10)) - 1)
	from notes where instr(rest, char(10)) > 0
),
-- without a core after the start, mean of the ranks: imports wait for cores, too
stepping as (
	select p.id, p.node_id, (select start_ns from step s where s.run_id = :run
			and s.process_id = p.id order by s.n limit 1) as from_ns,
		(select end_ns from step s where s.run_id = :run
			and s.process_id = p.id order by s.n desc limit 1) as till_ns
	from process p where p.run_id = :run and p.rank is not null
),
waited_in_steps as (
	select avg(part) as part from (
		select 1.0 * (max(s.value) - min(s.value)) / (max(s.t_ns) - min(s.t_ns)) as part
		from stepping p cross join sample s on s.run_id = :run and s.node_id = p.node_id
			and s.process_id = p.id and s.name = 'proc.core_waited'
			and s.t_ns between p.from_ns and p.till_ns
		group by p.id having max(s.t_ns) > min(s.t_ns))
),
-- how far the time on an ideal network is known: calls that keep their duration may take none of
-- it, and its two ends may be on nodes whose clocks differ by what the collectives left
ideal as (
	select total(value) filter (where name = 'without_rule') as kept,
		max(value) filter (where name = 'transfer_efficiency') as transfer,
		max(value) filter (where name = 'serialisation_efficiency') as serialisation,
		coalesce(2 * (select max(clock_residual_ns) from node where run_id = :run)
			/ max(value) filter (where name = 'ideal_network_runtime'), 0) as clocks
	from metric where run_id = :run and "window" = 'run' and model = 'mpi' and subject = ''
)
select level as "Level|level", said as "Sentence" from (
	select 1 as ord, 'bad' as level, 'the run was truncated: '
		|| (select count(*) from trouble_ends) || ' of ' || (select count(*) from
			trouble_rank_name)
			|| ' processes did not end by themselves' as said
	from run where id = :run and (cut <> 0 and not exists (select 1 from trouble_snapshot)
			and not exists (select 1 from trouble_silent)
		or exists (select 1 from trouble_ends))
	union all
	select 0, 'note', printf('this is a snapshot of a run in progress: %d of %d processes had '
		|| 'not ended', running, n) from trouble_snapshot
	union all
	select 1, 'bad', 'no activity of the ranks was recorded' from run
	where id = :run and not exists (select 1 from host_time where run_id = :run)
	union all
	select 2, 'bad', said from (select said from trouble_ends where nth <= 8 order by nth)
	union all
	select 2, 'bad', 'and ' || (n - 8) || ' more processes' from trouble_ends where nth = 9
	union all
	select 2, 'bad', 'the command ended with status ' || exit_status from run
	where id = :run and exit_status <> 0
	union all
	select 2, 'bad', group_concat(said, ', ')
	from (select said from trouble_failed order by rank limit 8) having count(*) > 0
	union all
	select 2, 'bad', group_concat(who, ', ')
		|| case when exists (select 1 from environment
				where run_id = :run and key = 'TACHO::VERSION')
			then ' left no spool: nothing is known of '
				when count(*) = 1
				then ' has no event in the trace: nothing is known of '
			else ' have no event in the trace: nothing is known of ' end
		|| case count(*) when 1 then 'it, and all its time'
				else 'them, and all their time' end || ' counts as not recorded'
	from trouble_silent having count(*) > 0
	union all
	select 3, 'bad', 'the trace of ' || case count(*) when 1 then max(who)
			else count(*) || ' ranks' end || ' ends inside a call (' ||
		case count(*) when 1 then max(inside)
				else group_concat(who || ' in ' || inside,
					', ') filter (where nth <= 4) end
		|| case when count(*) > 4 then '…' else '' end
			|| '): it did not end by itself, or not all was written'
	from (select r.who, i.inside, row_number() over (order by r.rank) as nth from
		trouble_rank_name r
			join trouble_inside i on i.process_id = r.id
		where r.end is null and r.rank is not null) having count(*) > 0
	union all
	select 6, 'note', 'noted at ' || said from notes where said is not null
	union all
	select 6, 'note', printf('the ideal network is uncertain by %.3g %%: transfer efficiency '
			|| 'is %.2f to %.2f, serialisation efficiency %.2f to %.2f (',
			100 * (kept + clocks), max(transfer * (1 - kept - clocks), 0),
			min(transfer * (1 + clocks), 1), serialisation / (1 + clocks),
			min(serialisation / max(1 - kept - clocks, serialisation), 1))
		|| case when kept >= 0.001 then printf('%.3g %% for calls without a rule or a '
			|| 'partner, which keep their duration', 100 * kept) else '' end
		|| case when kept >= 0.001 and clocks >= 0.001 then ', ' else '' end
		|| case when clocks >= 0.001 then printf('%.3g %% for the clocks of the nodes',
			100 * clocks) else '' end || ')'
	from ideal where kept + clocks >= 0.01 and transfer is not null
		and not exists (select 1 from trouble_silent)
	union all
	select 6, 'note', printf('which part of communication an ideal network would save is not '
			|| 'known without %s: transfer and serialisation efficiency are each '
			|| '%.2f to 1', (select group_concat(who, ', ') from (select who
				from trouble_silent limit 4)), transfer * serialisation)
	from ideal where transfer is not null and exists (select 1 from trouble_silent)
	union all
	select 3, 'bad', 'check ' || replace(name, '_', ' ') || ' failed'
		|| case "window" when 'run' then '' else ' in ' || "window" end
			|| coalesce(': ' || message, '')
	from checks where run_id = :run and ok = 0
	union all
	select -1, 'bad', printf('the archive is damaged: all figures are of the part until %.3f s'
		|| ', which all ranks have', value / 1e9)
	from metric where run_id = :run and "window" = 'run' and model = 'quality'
		and name = 'read_until'
	union all
	select -0.5, 'bad', 'could not be read in full: ' || name || ' (' || damaged || ')'
	from location where run_id = :run and damaged is not null
	union all
	select 5, 'bad', printf('%,d', sum(count))
		|| case sum(count) when 1 then ' event' else ' events' end || ' lost ('
		|| replace(reason, '_', ' ') || coalesce(': ' || max(message), '') || ') '
		|| case when count(*) > 3 then 'in ' || count(*) || ' places'
				else 'in ' || group_concat(replace(subject, 'rank:', 'rank '), ', ')
			end
	from loss where run_id = :run and count > 0 and reason <> 'missing' group by reason
	union all
	select 5, 'bad', printf('%,d', sum(count))
		|| case sum(count) when 1 then ' spool file is' else ' spool files are' end
		|| ' missing or unreadable (' || group_concat(subject, ', ') || ')'
	from loss where run_id = :run and count > 0 and reason = 'missing'
		and not exists (select 1 from trouble_silent s where subject like s.who || ' %')
			having count(*) > 0
	union all
	select 5, 'note', printf('%,d', sum(count))
		|| case sum(count) when 1 then ' process is' else ' processes are' end
		|| ' not recorded as a whole (' || replace(reason, '_', ' ')
		|| coalesce(': ' || max(message), '') || ')'
		|| case when count(*) > 3 then '' else ': ' || group_concat(subject, ', ') end
	from not_recorded where run_id = :run and count > 0 and kind = 'process' group by reason
	union all
	select 6, 'note', printf('%,d', sum(count))
		|| case sum(count) when 1 then ' name' else ' names' end || ' of files and '
		|| 'functions had no room in the budget: what was done there counts as '
		|| '"(other files)"'
	from not_recorded where run_id = :run and kind = 'name' having sum(count) > 0
	union all
	select 10, 'good', 'no event lost' from run
	where id = :run and nevents > 0 and not exists (select 1 from loss
			where run_id = :run and count > 0)
		and not exists (select 1 from location
			where run_id = :run and damaged is not null)
	union all
	select 6, 'note', printf('%.3g %% of the run was captured', 100 * value)
		|| coalesce((select ' (' || value || ')' from environment
					where run_id = :run and key = 'TACHO::CAPTURE_WINDOW'
					limit 1), '')
		|| ': figures are about that part'
	from metric where run_id = :run and "window" = 'run' and model = 'quality'
		and name = 'captured' and subject = ''
		and not exists (select 1 from environment where run_id = :run
			and key = 'TACHO::ATTACHED')
	union all
	select 6, 'note', printf('%.3g %% of the ranks'' time is in detail',
			100 - 100.0 * sum(m.value) / (select sum(h.ns) from host_time h
				join process p on p.id = h.process_id
			where h.run_id = :run and h."window" = 'run' and p.rank is not null
				and h.state <> 'absent'))
		|| coalesce((select ' (--max-size ' || value || ')' from environment
			where run_id = :run and key = 'var.TACHO_MAX_SIZE' limit 1), '')
		|| ', of the rest there are totals: calls, their bytes, '
		|| case when exists (select 1 from step where run_id = :run and confidence < 1)
			then 'and the states of main threads are of the whole run; steps, which '
				|| 'were found in its calls, '
			else 'steps, samples per second and the states of main threads are of the '
				|| 'whole run; '
			end
		|| case when exists (select 1 from step_sum where run_id = :run)
			then 'causes and efficiencies are from the sums of each step; '
				|| 'collectives, files and other findings are of that part'
			else 'the split of communication into serialisation and transfer, '
				|| 'collectives, files and findings are of that part' end
		|| case when exists (select 1 from message where run_id = :run
				and class <> 'rma')
			then '; messages in what is kept before the end have no partner: '
				|| 'who waited for a sender there is not known'
			else '' end
		|| case when exists (select 1 from environment where run_id = :run
				and key = 'TACHO::TOTALS')
			then '; `tacho analyze --all RUN` reads all calls' else '' end
	from metric m where m.run_id = :run and m."window" = 'run' and m.model = 'quality'
		and m.name = 'not_in_detail' having count(*) > 0
	union all
	select 5, 'bad', printf('%.3g %% of the time of the ranks is not recorded, as its '
		|| 'events were lost: efficiencies, rates and findings are of the rest',
		100.0 * sum(m.value) / (select sum(h.ns) from host_time h join process p
			on p.id = h.process_id
			where h.run_id = :run and h."window" = 'run' and p.rank is not null))
	from metric m where m.run_id = :run and m."window" = 'run' and m.model = 'quality'
		and m.name = 'lost' having count(*) > 0
	union all
	select 7, 'note', count(*) || case count(*) when 1 then ' message has'
			else ' messages have' end || ' no partner'
	from unmatched where run_id = :run having count(*) > 0
	union all
	select 6, 'note', 'no MPI or NCCL call of the ' || count(*)
		|| ' ranks was recorded: communication by other means '
		|| '(gloo, sockets) counts as waiting or as useful time, and the '
			|| 'communication factors are not meaningful'
	from process where run_id = :run and rank is not null
		and not exists (select 1 from call where run_id = :run and class in ('mpi',
			'gloo', 'nccl'))
		and not exists (select 1 from collective where run_id = :run)
		and not exists (select 1 from socket_run where run_id = :run)
	having count(*) > 1
	union all
	select 1, 'bad', count(*) || ' MPI jobs were run: '
		|| group_concat(printf(iif(chosen, 'the figures are about job %d (%d rank%s, '
				|| '%.3f to %.3f s)', 'job %d had %d rank%s, from %.3f to %.3f s'),
			job, nranks, iif(nranks = 1, '', 's'), start_ns / 1e9, end_ns / 1e9), '; ')
		|| '; tacho merge -f --job N takes another one'
	from (select * from trouble_jobs order by chosen desc, job) having count(*) > 1
	union all
	select 1, 'bad', count(*) || ' attempts were made: '
		|| group_concat(case when t.chosen then printf('the figures are about attempt %d, ',
				t.attempt) else printf('attempt %d ran ', t.attempt) end
			|| printf('from %.3f to %.3f s', t.start_ns / 1e9, t.end_ns / 1e9)
			|| coalesce(case when not t.chosen
				then ' (' || g.said || ')' end, ''), '; ')
			|| coalesce((select printf('; %.1f s were lost with the ones before it',
					ns / 1e9)
				|| case when steps > 0 then '; ' || said else '' end
				from trouble_again), '')
	from trouble_tries t left join trouble_gave_up g on g.attempt = t.attempt having count(*)
		> 1
	union all
	-- other tools set the clocks themselves
	select 8, 'note', case when not exists (select 1 from environment
				where run_id = :run and key = 'TACHO::VERSION')
			then 'the trace does not state how accurate the clocks of '
				|| iif(count(*) > 8, printf('%s and %d more nodes', min(hostname),
					count(*) - 1), group_concat(hostname, ', '))
				|| ' are: figures across nodes are only as accurate as these'
			else 'no collective synchronises the clock of '
				|| iif(count(*) > 8, printf('%s and %d more nodes', min(hostname),
					count(*) - 1), group_concat(hostname, ', '))
				|| ' with the others: figures across nodes are uncertain' end
	from node where run_id = :run and clock_residual_ns is null
		and id in (select node_id from process where run_id = :run
			and id not in (select id from trouble_silent))
		and (select count(*) from node where run_id = :run) > 1 having count(*) > 0
	union all
	select 8, 'note', printf('CPU %s: ranks of %s waited for a core (run-queue '
			|| 'wait) for %.0f %% of their time%s, included in the states above',
			case when (select max(case name when 'throttled' then value end)
					>= 0.5 * max(case name when 'core_waited' then value end)
				from metric where run_id = :run and "window" = 'run'
					and model = 'counters')
				then 'quota of the control group' else 'oversubscription' end,
			iif(count(*) > 8, printf('%s and %d more nodes', substr(min(subject), 6),
				count(*) - 1), group_concat(substr(subject, 6), ', ')),
			100 * max(value),
			coalesce((select printf(', %.0f %% between first and last step', 100 * part)
				from waited_in_steps where part is not null), ''))
	from metric where run_id = :run and "window" = 'run' and model = 'counters'
		and name = 'without_core' and value between 0.1 and 1 having count(*) > 0
	union all
	select 8, 'note', printf('%s neither ran nor waited for a core in %.1f s of useful time: '
			|| 'blocked in calls that are not recorded',
			replace(max(subject), ':', ' '), max(value) / 1e9)
	from (select subject, value from metric where run_id = :run and "window" = 'run'
		and model = 'account' and name = 'useful_not_run' order by value desc limit 1)
	where value > 0.05 * (select duration_ns from run where id = :run)
		and not exists (select 1 from finding where run_id = :run and rule = 'blocked')
	having count(*) > 0
	union all
	select 8, 'note', printf('%s stopped as a whole (suspended) for %.1f s, which count as '
			|| 'time of the state in which the stop came',
			case count(*) when 1 then max(replace(subject, ':', ' ')) || ' was'
				else count(*) || ' ranks were' end, max(value) / 1e9)
	from metric where run_id = :run and "window" = 'run' and model = 'counters'
		and name = 'stopped' having count(*) > 0
	union all
	select 8, 'note', group_concat(printf('%.1f MB ', bytes / 1e6)
			|| iif(reason = 'read_calls', 'read', 'written'), ' and ')
		|| ' by calls that tacho does not see (single characters of streams, direct '
		|| 'system calls…), by ' || iif(max(n) = 1, max(who), max(n) || ' ranks')
	from (select * from bypassed where reason in ('read_calls', 'write_calls') order by reason)
	having count(*) > 0
	union all
	select 8, 'note', group_concat(printf('%.1f MB ', bytes / 1e6)
			|| iif(reason = 'loaded', 'read from', 'written to'), ' and ')
		|| ' storage by no call of read or write (io_uring, libaio, mapped files), by '
		|| iif(max(n) = 1, max(who), max(n) || ' ranks')
	from (select * from bypassed where reason in ('loaded', 'stored') order by reason)
	having count(*) > 0
	union all
	select 8, 'note', count(distinct subject)
		|| ' nodes are one machine: storage rates by its disks are the sum '
		|| 'of all of them'
	from metric where run_id = :run and "window" = 'run' and model = 'counters'
		and name = 'storage_read' and value is not null and flag is not null
	having count(*) > 0
	union all
	select 8, 'note', 'storage of ' || case count(*)
			when 1 then 'node ' || substr(subject, 6) else count(*) || ' nodes' end
		|| ': ' || max(flag)
	from metric w where run_id = :run and "window" = 'run' and model = 'counters'
		and name = 'storage_write' and value is not null and flag is not null
		-- disks that nodes share have the flag in what is read, too
		and not exists (select 1 from metric r where r.run_id = w.run_id
			and r."window" = w."window" and r.model = w.model
			and r.name = 'storage_read' and r.subject = w.subject
			and r.value is not null and r.flag is not null) having count(*) > 0
	union all
	select 11, 'good', printf('clocks ±%.1f µs', max(clock_residual_ns) / 1e3)
	from node where run_id = :run having count(*) > 1 and max(clock_residual_ns) > 0
	union all
	select 4, case value when 'off: TACHO_GPU=0' then 'note' else 'bad' end,
		'GPUs are not recorded of '
		|| case when count(*) > 4 then count(*) || ' processes'
				else group_concat(replace(scope, ':', ' '), ', ') end
		|| ': ' || substr(value, 6)
	from environment where run_id = :run and key = 'gpu_tracing' and value glob 'off: *'
	group by value
	union all
	-- times of day: begin, and end if it left CUPTI again
	select 7, 'note', printf('another profiler had CUPTI from %.1f s to ',
			min(substr(e.value, 1, 14) - r.start_ns / 1e9))
		|| case when min(length(e.value)) < 20 then 'the end'
			else printf('%.1f s', max(substr(e.value, 16) - r.start_ns / 1e9)) end
		|| ' of the run'
		|| case count(*) when 1 then '' else ', ' || count(*) || ' times' end
		|| ': GPUs are not recorded in that time'
	from environment e join run r on r.id = e.run_id
	where e.run_id = :run and e.key glob 'gpu_gap.*' and r.start_ns > 0 having count(*) > 0
	union all
	select 9, 'note', 'CUPTI did not accept tacho''s clock: times of GPUs are converted '
		|| 'by paired samples of both clocks'
	from environment where run_id = :run and key = 'gpu_clock' and value = 'paired' group by key
	union all
	select 12, 'good', printf('CUPTI overhead %.1f %% of a process''s time',
			100.0 * sum(e.value) / count(*) / r.duration_ns)
	from environment e join run r on r.id = e.run_id
	where e.run_id = :run and e.key = 'gpu_overhead_ns' and r.duration_ns > 0
	having count(*) > 0
	union all
	select 9, 'note', printf('kernels are recorded in %.2g %% of the steps, as a recorded '
			|| 'step takes %.1f ± %.1f %% longer and --max-cost is %g %%: shares of '
			|| 'GPU time are of those steps',
			100 * avg(s.value), avg(c.value), avg(e.value), avg(m.value))
	from environment s join environment c using (run_id, scope)
		join environment e using (run_id, scope) join environment m using (run_id, scope)
	where s.run_id = :run and s.key = 'gpu_sample_share' and s.value + 0 < 1
		and c.key = 'gpu_step_cost_percent' and e.key = 'gpu_step_cost_error_percent'
		and m.key = 'gpu_max_cost_percent' having count(*) > 0
	union all
	select 9, 'note', printf('by that sample GPUs compute for %.1f ± %.1f %% of the time of '
			|| 'all steps', 100 * avg(m.value), 100 * max(e.value))
	from metric m join metric e using (run_id, window, model, subject)
	where m.run_id = :run and m.window = 'run' and m.model = 'device'
		and m.name = 'sampled_busy_share' and e.name = 'sampled_busy_error'
	having count(*) > 0
	union all
	select 12, 'good', printf('recording kernels costs %.1f %% of the steps'' time',
			avg(c.value) * avg(s.value))
	from environment c join environment s using (run_id, scope)
	where c.run_id = :run and c.key = 'gpu_step_cost_percent' and s.key = 'gpu_sample_share'
	having count(*) > 0
	union all
	select 9, 'note', 'device figures are of ' || count(*) || ' emulated GPU'
		|| case count(*) when 1 then '' else 's' end || ', not of real ones'
	from device where run_id = :run and kind = 'stand-in' having count(*) > 0
	union all
	select 10, 'note', 'no step is marked: steps ' || case
			when f.optimizer >= 5 then 'are those of PyTorch''s optimizers'
			when f.backward >= 5 then 'end with PyTorch''s backward passes'
			else printf('are derived from the period of the collectives, which '
				|| 'explains %.0f %% of them', 100 * min(s.confidence)) end
	from step s, (select max(case c.name when 'torch:optimizer' then c.calls - c.helper_calls
				end) as optimizer,
			max(case c.name when 'torch:backward' then c.calls - c.helper_calls end)
				as backward
		from call c join process p on p.id = c.process_id
		where c.run_id = :run and c.class = 'user' and p.rank is not null) f
	where s.run_id = :run having min(s.confidence) < 1
	union all
	select 12, 'good', case when c.value < 0.0005 then 'measurement overhead < 0.1 %'
			else printf('measurement overhead %.1f %%', 100 * c.value) end
		|| case when e.value is null or (c.value < 0.0005 and e.value < 0.0005) then ''
			when e.value < 0.0005 then ' ± < 0.1 %'
			else printf(' ± %.1f %%', 100 * e.value) end
	from metric c left join metric e on e.run_id = c.run_id and e."window" = 'run'
		and e.model = 'quality'
		and e.name = 'overhead_error' and e.subject = ''
	where c.run_id = :run and c."window" = 'run' and c.model = 'quality' and c.name = 'overhead'
		and c.subject = ''
		and c.value is not null
	union all	-- what recording itself took, of ranks that all ended by themselves
	select 12, 'good', case when spent < 0.0005 * cpu
			then 'with its helper threads tacho used < 0.1 %'
			else printf('with its helper threads tacho used %.1f %%',
				100 * spent / cpu) end
		|| ' of the CPU time' || case when written >= 1e5 then printf(' and wrote %.1f MB',
			written / 1e6) when written > 0 then printf(' and wrote %.0f kB',
			written / 1e3) else '' end
	from (select total(e.value) + (select total(c.calls) from call c where c.run_id = :run)
			* (select value from environment where run_id = :run and scope = ''
				and key = 'TACHO::CALL_COST_NS') as spent,
			(select sum(value) from metric where run_id = :run and "window" = 'run'
				and model = 'counters' and name = 'cpu'
				and subject glob 'rank:*') as cpu,
			(select sum(bytes) from (select max(value) as bytes from sample
				where run_id = :run and name = 'proc.own_written'
				group by process_id)) as written,
			count(distinct case e.key when 'sampler_ns' then e.scope end) as ended
		from environment e where e.run_id = :run and e.scope glob 'rank:*'
			and e.key in ('sampler_ns', 'python_cost_ns', 'gpu_overhead_ns')) u
	where cpu > 0 and spent > 0 and ended >= (select nranks from run where id = :run)
	union all
	select 9, 'note', sum(n) || iif(sum(n) = 1, ' figure is', ' figures are') || ' undefined: '
		|| iif(count(*) = 1, max(reason), group_concat(printf('%s (%d)', reason, n), '; '))
	from nulls having count(*)
) order by ord;
