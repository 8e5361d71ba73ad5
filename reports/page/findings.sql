-- What to change, most seconds saved first. Notes on quality save nothing. Rows: tables of the page
-- and what a cell of the rows holds that show it, [part, text], the best first: tables.js takes the
-- first that has such rows. Shared: 1 % of the run or more.
with shown(n, nth, part, text) as (	-- of the rule (key `rows:`), then of any
	select f.n, k.rowid, k.value, k.detail
	from finding f join rule_key k on k.rule = f.rule and k.key = 'rows'
		and k.variant in ('', f.variant)
	where f.run_id = :run
	union all
	select f.n, 1e9 + k.column1, k.column2, k.column3
	from finding f join (values (1, 'python_lines', 'line'), (2, 'waits', 'call'),
		(3, 'calls', 'call')) k where f.run_id = :run
), written as (		-- the file that main threads wrote most to
	select f.path from io_file f join process p on p.id = f.process_id
	where f.run_id = :run and p.rank is not null and f.bytes_written > 0
	group by f.path order by sum(f.write_ns + f.meta_ns) desc, f.path limit 1
), plain as (		-- the class of kernels that most matrix work without tensor cores is of
	select class from kernel where run_id = :run
		and class in ('gemm', 'convolution', 'attention') and tensor_core = 0
	group by class order by sum(total_ns) desc, class limit 1
), unused as (		-- a GPU that computed nothing
	select case d.kind when 'stand-in' then 'emulated GPU ' else 'GPU ' end
		|| coalesce(o.rank || ':' || o.ordinal, d.id) as label
	from device d left join device_owner o on o.device_id = d.id where d.run_id = :run
		and not exists (select 1 from device_time t where t.device_id = d.id
			and t."window" = 'run' and t.state = 'compute' and t.ns > 0)
	order by o.rank is null, o.rank, o.ordinal limit 1
), reported as (
	select f.*, s.nth, s.part, case s.text when 'rank' then 'rank ' || f.culprit_rank
			when 'phase' then f.phase when 'unused' then (select label from unused)
			when 'line' then substr(f.place, nullif(instr(f.place, ' at '), 0) + 4)
			when 'call' then case when f.place not glob '* at *' then f.place end
			when 'host' then (select upper(kind) from collective where run_id = :run
				and kind <> 'nccl' limit 1)
			when 'written' then (select path from written)
			when 'plain' then (select class from plain) else s.text end as text
	from finding f join shown s on s.n = f.n where f.run_id = :run
)
select n as "#|count", case when seconds > 0 then seconds * 1e9 end
	as "Saves|ns|of the run's time, by the replay or the model that 'How sure' names",
	case when seconds = 0 then 'it makes the others uncertain' end as "|why",
	message as "Finding", advice as "Advice", confidence as "How sure",
	evidence as "Evidence|path|a query on tacho.db whose rows prove it",
	(select json_group_array(json_array(part, text)) from (select part, text from reported r
		where r.n = finding.n and text is not null order by nth)) as "Rows|state",
	is_bound as "Bound|state", certainty as "Certainty|state",
	(select printf('up to %.*f s of this saving may also be in finding %s',
		case when s.seconds < 10 then 2
			when s.seconds < 100 then 1 else 0 end, s.seconds, s.others)
		from finding_shared s join run_time r on r.run_id = s.run_id
		where s.run_id = :run and s.n = finding.n
			and s.seconds >= 0.01e-9 * r.ns)
		as "Shared"
from finding where run_id = :run order by n;
