-- 9 s and 4 s of work, but in every third step the other way round: nobody has more to do
update host_time set ns = 4000000000 where process_id = 2 and state = 'useful' and "window" like 'step:%';
update host_time set ns = 20000000000 where process_id = 2 and state = 'useful' and "window" in ('step:1', 'step:4', 'step:7');
update host_time set ns = 30000000000 where process_id = 1 and state = 'useful' and "window" in ('step:0', 'step:2', 'step:3');
