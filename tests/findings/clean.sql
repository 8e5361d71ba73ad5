-- a balanced run has no finding
insert into location_time select * from main_time;
