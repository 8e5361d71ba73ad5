-- Shares of states in bins over the run, in per mille: the table timeline, with names.
select coalesce('rank ' || p.rank, (select group_concat('GPU ' || q.rank || ':' || u.ordinal, ', ')
			from process_device u
		join process q on q.id = u.process_id where u.device_id = d.id), 'GPU') as "Row",
	d.kind as "Device", t.state as "State", t.bin_ns as "Bin|ns",
	t.shares as "Per mille of each bin"
from timeline t left join location l on l.id = t.location_id
	left join process p on p.id = l.process_id
	left join device d on d.id = t.device_id
where t.run_id = :run order by p.rank is null, p.rank, t.device_id, t.state;
