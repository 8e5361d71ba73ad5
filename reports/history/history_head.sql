-- One row: the title of the page of tacho history.
select 'History' || coalesce(' of ' || (select label from history_wanted), '')
	|| coalesce(' on ' || (select branch from history_wanted), '') as "Run",
	count(*) as "Runs|count", (select count(*) from device d join history h on h.run_id =
		d.run_id
	where d.kind = 'stand-in') as "Emulated GPUs|count" from history;
