-- What the threads and streams did in the typical step: the table timeline_step, with names.
select p.name as "Process", l.name as "Thread or stream", t.start_ns as "Start|ns",
	t.end_ns as "End|ns", t.state as "State",
	t.name as "Region|function",
	t.path as "File|path", t.bytes as "Bytes|count", t.file_offset as "At|count",
	t.intervals as "Intervals|count|> 1: short ones in a row, in which the state had most time"
from timeline_step t join location l on l.id = t.location_id join process p on p.id = l.process_id
	join timeline_window w on w.run_id = t.run_id and w.step = t.step and w.why glob 'typical*'
where t.run_id = :run order by p.rank is null, p.rank, l.id, t.start_ns;
