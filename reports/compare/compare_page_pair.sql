-- The databases of the runs whose typical steps are shown one under the other.
select c.path as "Path", json_quote(s.label) as "Label",
	c.id as "Id" from compared_path c
	join pair p using (side) join study s on s.run_id = p.run_id order by p.side;
