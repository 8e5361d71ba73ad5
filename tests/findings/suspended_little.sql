-- 0.9 s of 100
insert into sample select 1, 1, 2, 'proc.stopped', 2.2e10, 9e8;
