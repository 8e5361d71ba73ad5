-- rank 0 has waited 0.5 s of 100 for rank 1: less than what others need to be a finding, and still the first
-- expect hang 0.5 rank 0 waits in MPI_Allreduce #9 of MPI_COMM_WORLD for rank 1
-- expect sleep 11 11 % of the run, in usleep (200 calls)
-- shares sleep hang 0.5
insert into environment values (1, '', 'TACHO::HANG', 'Here rank 0 waits in MPI_Allreduce #9 of MPI_COMM_WORLD for rank 1.'), (1, '', 'TACHO::HANG_NS', '500000000');
insert into metric values (1, 'run', 'host', 'slept', 'rank:0', 12e9, 'ns', null), (1, 'run', 'host', 'slept', 'rank:1', 11e9, 'ns', null);
insert into metric select 1, 'run', 'host', s.column1, 'rank:' || rank || ':usleep', s.column2, '1', null from process, (values ('sleeps', 100), ('slept_in', 11e9)) s;
