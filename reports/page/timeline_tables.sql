-- What the canvas shows of nodes and which steps are there in full: temporary tables.
-- full_host: nodes by their place, with their ranks. full_step: the steps, the typical one first,
-- then those with another reason, then the others, the longest first; unit: in which times of
-- slices fit into 31 bits.
create temp table full_host as
select id, hostname, row_number() over (order by id) - 1 as i, coalesce(p.ranks, 0) as ranks
from node n left join (select node_id, count(*) as ranks from process
		where run_id = :run and rank is not null group by node_id) p on p.node_id = n.id
where run_id = :run;

create temp table full_step as
select step, phase, why, start_ns as t0, end_ns as t1, (end_ns - start_ns) / 2147483647 + 1 as unit,
	row_number() over (order by case when why glob 'typical*' then 0 when why <> '' then 1
		else 2 end, case why when '' then start_ns - end_ns end, start_ns) as ord
from timeline_window where run_id = :run;
create unique index full_step_of on full_step(step);
