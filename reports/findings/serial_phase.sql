-- One rank works, the others wait for it: Amdahl's law. With the work shared by n ranks the phase
-- takes an n-th. Checkpoints have a rule of their own, and so has what is read and written between
-- steps that were found, which no mark tells from checkpoints.
select s.ns / 1e9 * (1 - 1.0 / r.nranks) as seconds, s.rank, s.phase,
	'phase:' || s.phase as "window", r.nranks - 1 as others, s.ns / 1e9 as alone_s,
	s.ns / 1e7 / r.seconds_all as percent,
	case s.phase when 'between steps' then 'between' end as place,
	case when s.phase = 'between steps' then 'between'
		when s.phase in ('setup', 'init') then 'setup' end as advice
from finding_serial s, finding_run r where s.phase not like '%checkpoint%'
	and not (s.phase = 'between steps' and :most * s.ns < (select total(h.ns) from host_time h
	join process p on p.id = h.process_id where h.run_id = r.run_id
	and h."window" = 'phase:between steps' and h.state = 'io' and p.rank = s.rank));
