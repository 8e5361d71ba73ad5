-- What the critical path is made up of: by what its ranks were doing, then by rank.
select case m.subject when '' then 'state' else 'rank' end as "By",
	case when m.subject <> '' then replace(m.subject, ':', ' ')
		else case m.name when 'io' then 'I/O'
		when 'mpi_transfer' then (select name from communication where run_id = :run)
			|| ', not waiting for a rank' when 'cuda' then 'CUDA calls'
		when 'wait' then 'waiting, waking thread unknown'
		when 'helper_useful' then 'helper threads (data loaders…) computing'
		when 'helper_io' then 'helper threads (data loaders…) in I/O'
		when 'omp_idle' then 'OpenMP, idle'
		when 'absent' then 'before the first event' else m.name end end as "On the path",
	m.value as "Time|ns", m.value / nullif(w.value, 0) as "of the path|percent",
	m.flag as "|why"
from metric m join metric w on w.run_id = m.run_id and w.window = 'run'
	and w.model = 'critical_path'
	and w.name = 'length' and w.subject = ''
where m.run_id = :run and m.window = 'run' and m.model = 'critical_path' and m.value > 0
	and (m.subject <> '' or m.name <> 'length')
order by m.subject <> '', m.value desc, cast(substr(m.subject, 6) as integer), m.name limit 20;
