-- Calls and kernels whose time changed, per step (sample, run) and rank or GPU.
select name as "Name|function", kind as "Kind", base_ns as "Base|ns", new_ns as "New|ns",
	difference_ns as "Difference|ns", base_calls as "Calls, base|number",
	new_calls as "Calls, new|number", state as "Came or went"
from compared_calls;
