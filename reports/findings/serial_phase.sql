-- One rank works, the others wait for it: Amdahl's law. With the work shared by n ranks the phase
-- takes an n-th. Checkpoints have a rule of their own, and so has what is read and written between
-- steps that were found, which no mark tells from checkpoints.
select s.ns / 1e9 * (1 - 1.0 / r.nranks) as seconds,
	printf('%s runs on rank %d alone: %.1f %% of the run, in which %d %s; '
		|| 'no number of ranks makes the run shorter than these %.3g s',
		case s.phase when 'between steps' then 'what lies between steps'
				else 'phase ' || s.phase end, s.rank, s.ns / 1e7 / r.seconds_all,
		r.nranks - 1,
		case r.nranks when 2 then 'rank waits' else 'ranks wait' end,
		s.ns / 1e9) as message,
	printf('select p.rank, h.state, h.ns / 1e9 as s from host_time h join '
			|| 'process p on p.id = h.process_id '
		|| 'where h.run_id = %d and h.window = %Q', r.run_id,
		'phase:' || s.phase) as evidence,
	case when s.phase = 'between steps'
			then 'share it among the ranks (validation), or do it beside the '
			|| 'steps (checkpoints)'
		when s.phase in ('setup', 'init')
			then 'do it once, ahead of the run, or share it among the ranks'
		else printf('share %s among the ranks', s.phase) end as advice,
	printf('high, if the work can be shared: the time of rank %d outside of '
			|| 'MPI, less an equal share of it', s.rank) as confidence
from finding_serial s, finding_run r where s.phase not like '%checkpoint%'
	and not (s.phase = 'between steps' and s.ns < 2 * (select total(h.ns) from host_time h
	join process p on p.id = h.process_id where h.run_id = r.run_id
	and h."window" = 'phase:between steps' and h.state = 'io' and p.rank = s.rank));
