-- Time on cores of threads that recorded nothing, where it is 5 % of what the main threads had.
select sum(case name when 'silent' then value end) as "Silent|ns",
	sum(case name when 'core_ran' then value end) as "Main|ns"
from metric m where m.run_id = :run and window = 'run' and subject glob 'rank:*'
	and (model = 'hybrid' and name = 'silent' or model = 'counters' and name = 'core_ran')
having sum(case name when 'silent' then value end)
	>= 0.05 * sum(case name when 'core_ran' then value end);
