-- as sleep, and both were seen in a line for most of it; one of them was for longer in another
-- expect sleep 11 in usleep (200 calls), mostly in train.py:90
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null);
insert into call (run_id, process_id, name, class, calls, total_ns, min_ns, max_ns) select 1, id, 'usleep', 'wait', 100, 12e9, 1, 1 from process;
insert into python_frame values (1, 1, null, 1, '<module>', '/home/me/train.py', 90), (2, 1, 1, 2, 'extra', '/home/me/data.py', 88);
create temp table spent(process, frame, state, s);
insert into spent values (1, 1, 'wait', 11), (2, 1, 'wait', 10), (1, 2, 'wait', 60);
insert into python_sample select 1, process, process, frame, state, null, null, s * 50, s * 1000000000 from spent;
