-- both ranks poll for 12 s until all have started, and sleep for 20 s in their steps: each is one, with its call
-- expect sleep 20 all ranks sleep for 20 % of the run, in clock_nanosleep (80 calls)
-- expect sleep 12 all ranks sleep for 12 % of the run, in its first 9 s, in nanosleep (400 calls)
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 32e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 32e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':nanosleep', s.column2, '1', null from process, (values ('sleeps', 200), ('slept_in', 12e9), ('slept_until', 9e9)) s;
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':clock_nanosleep', s.column2, '1', null from process, (values ('sleeps', 40), ('slept_in', 20e9), ('slept_until', 70e9)) s;
