-- One row: the title of the page of several runs.
select case when count(*) <= 8 then group_concat(label, ', ')
		else min(label) || ' … ' || max(label) end as "Run", count(*) as "Runs|count",
	(select count(*) from device where kind = 'stand-in') as "Emulated GPUs|count" from run;
