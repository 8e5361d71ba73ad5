-- A run in which nothing was recorded.
insert into run values (1, 'nothing', 'nothing/trace/traces.otf2', null, null, 0, 0, 0, 0, null, 0, '0.1.0', 1767225700000000000);
