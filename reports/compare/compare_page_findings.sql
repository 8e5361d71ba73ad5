-- Findings that only one of the runs has, or that cost another number of seconds.
select state as "State", seconds * 1e9 as "Costs|ns|in the new run; of one that went, in the base",
	base_seconds * 1e9 as "In the base|ns", message as "Finding", advice as "What to do"
from compared_findings;
