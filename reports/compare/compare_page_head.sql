-- One row: the title of the page of two compared runs.
select max(case p.side when 2 then s.label end) || ' against '
		|| max(case p.side when 1 then s.label end)
	as "Run", sum(s.nstandins) as "Emulated GPUs|count"
from pair p join study s on s.run_id = p.run_id;
