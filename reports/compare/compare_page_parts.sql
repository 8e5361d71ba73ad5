-- Phases, or what lies around the steps, whose time changed.
select name as "Part", base_ns as "Base|ns", new_ns as "New|ns", difference_ns as "Difference|ns",
	state as "Came or went" from compared_parts;
