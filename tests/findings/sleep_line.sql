-- as sleep, and both were seen in a line for most of it; one of them was for longer in another
-- expect sleep 11 in usleep (200 calls), mostly in train.py:90
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':usleep', s.column2, '1', null from process, (values ('sleeps', 100), ('slept_in', 11e9)) s;
insert into python_frame values (1, 1, null, 1, '<module>', '/home/me/train.py', 90), (2, 1, 1, 2, 'extra', '/home/me/data.py', 88);
create temp table spent(process, frame, state, s);
insert into spent values (1, 1, 'wait', 11), (2, 1, 'wait', 10), (1, 2, 'wait', 60);
insert into python_sample select 1, process, process, frame, state, 'usleep', null, s * 50, s * 1000000000 from spent;
