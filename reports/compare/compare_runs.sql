-- The two runs: base, new.
select s.label as label, s.nranks as ranks, s.ngpus as gpus, s.nstandins as stand_ins,
	s.nnodes as nodes, s.duration_ns as run_ns, s.cut as cut, r.exit_status as status,
	s.rate as samples_per_s,
	unit.unit as unit, d.phase as phase, z.steps as steps, z.warm as left_out,
	z.batch as samples_per_step,
	(select min(confidence) = 1 from step where run_id = p.run_id) as marked,
	h."window" as "window", h.units as units, h.ns as window_ns, r.command as command
from pair p join study s on s.run_id = p.run_id join run r on r.id = p.run_id cross join unit
	join share h using (side)
	left join side d using (side) left join side_size z using (side)
order by side;
