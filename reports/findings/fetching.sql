-- Where in the program data-loader workers were while they fetched samples: lines of the data set
-- or of its collate function that PyTorch's loader called, by the time of all workers. `ns`: in
-- that line; `fetched_ns`: in all of them. Without a line of the program's own there is no row.
create temp table finding_fetching as
with recursive
own as (
	select f.id as frame, f.own_id as own from python_frame f
	where f.run_id = :run and f.own_id is not null
), above(own, at) as (
	select distinct own, own from own
	union
	select a.own, f.caller_id from above a join python_frame f on f.id = a.at
	where f.caller_id is not null
), fetched as (	-- a worker that was forked stands in the program's lines, too, above the loader's
	select distinct a.own from above a join python_frame f on f.id = a.at
	where f.file like '%/torch/utils/data/_utils/fetch.py'
), line as (
	select o.file, o.function, o.line, sum(s.ns) as ns
	from fetched f join own w on w.own = f.own
		join python_sample s on s.run_id = :run and s.frame_id = w.frame
		join python_frame o on o.id = f.own
		join finding_family y on y.process_id = s.process_id
		join process p on p.id = s.process_id
	where s.state <> 'import' and p.rank is null
	group by 1, 2, 3
)
select case function when '<module>' then '' else function || '() at ' end
	|| replace(file, rtrim(file, replace(file, '/', '')), '') || ':' || coalesce(line, '?')
	as text, max(ns) as ns, (select sum(ns) from line) as fetched_ns
from line having count(*) > 0;
