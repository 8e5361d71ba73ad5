-- a balanced run of two ranks has no finding
insert into run values (1, 'r', 'r', null, 0, 100000000000, 2, 2, 0, 0, 0, '0', 0);
