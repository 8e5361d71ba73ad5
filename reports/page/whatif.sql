-- needs: ladder_tables
-- For whatif.js, as one JSON text: causes: their names, places, whether they are outside of steps,
-- and where the timeline shows them: row, from, to; of a cause in steps the step in which its first
-- rank had most of it. times: of each combination of causes, in the order of its number, what
-- the steps and the time outside of them take, in ns.
with first_of as (
	select c.n, c.part, c.first_step, c.last_step, p.id, p.rank, p.end_ns
	from cause c join process p on p.run_id = :run and p.rank = cast(c.ranks as integer)
	where c.run_id = :run
), worst as (
	select f.n, s.start_ns, s.end_ns, row_number() over (partition by f.n
		order by case f.part when 'sleep' then s.slept_ns when 'readers' then s.readers_ns
			when 'compute' then s.excess_ns else s.end_ns - s.start_ns end desc,
			s.n) as nth
	from first_of f join step s on s.run_id = :run and s.process_id = f.id
		and s.n between f.first_step and f.last_step
), place as (
	select n, start_ns, end_ns from worst where nth = 1
	union all
	select f.n, case f.first_step when -2 then 0 else max(s.end_ns) end,
		case f.first_step when -2 then min(s.start_ns) else f.end_ns end
	from first_of f join step s on s.run_id = :run and s.process_id = f.id
	where f.part glob '*_outside' group by f.n
), listed as (
	select json_object('n', l.n, 'name', l.cause, 'place', l.place,
		'outside', json(case when l.part glob '*_outside' then 'true' else 'false' end),
		'row', 'rank ' || f.rank, 'from', a.start_ns, 'to', a.end_ns) as line
	from temp.ladder l left join first_of f using (n) left join place a using (n)
	where exists (select 1 from cause_without where run_id = :run and causes = 1 << (l.n - 1))
	order by l.n
)
select json_object('causes', (select json_group_array(json(line)) from listed),
	'times', (select json_group_array(json_array(steps_ns, outside_ns)) from (
		select * from cause_without where run_id = :run order by causes))) as "Data"
where (select count(*) from cause_without where run_id = :run) > 1;
