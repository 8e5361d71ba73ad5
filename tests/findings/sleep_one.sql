-- one rank alone sleeps: that is for others to tell
insert into metric values (1, 'run', 'host', 'slept', 'rank:1', 30e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':usleep', s.column2, '1', null from process, (values ('sleeps', 100), ('slept_in', 11e9)) s where rank = 1;
