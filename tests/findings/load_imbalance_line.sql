-- as load_imbalance, and rank 0 was 50 s longer in a line
-- expect load_imbalance 25 than the average of 2 ranks, mostly in extra() at data.py:88
update host_time set ns = 4000000000 where process_id = 2 and state = 'useful' and "window" like 'step:%';
update host_time set ns = 6000000000 where process_id = 2 and state = 'mpi' and "window" like 'step:%';
insert into python_frame values (1, 1, null, 1, '<module>', '/home/me/train.py', 90), (2, 1, 1, 2, 'extra', '/home/me/data.py', 88);
create temp table spent(process, frame, state, s);
insert into spent values (2, 1, 'communication', 50), (1, 2, 'backward', 80), (2, 2, 'backward', 30);
insert into python_sample select 1, process, process, frame, state, null, null, s * 50, s * 1000000000 from spent;
