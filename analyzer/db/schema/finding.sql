-- finding.sql - what the advisor found (reports/findings).

create table finding (
	run_id integer not null references run(id) on delete cascade,
	rule text not null,
	rank integer not null,			-- 1 = saves most
	seconds real not null,
	message text not null,
	brief text,				-- the same in a clause that needs no vocabulary
	evidence text not null,			-- SQL or rows that prove it
	advice text,
	confidence text,
	primary key (run_id, rank)
) without rowid;
