-- what persistent requests sum goes on while the program computes, as MPI_Iallreduce's sums do
insert into collective select 1, 'mpi', 0, n, 'allreduce', 100000000, 0, 0, 1500000000, 0, null, null, null, null from n;
insert into call select 1, 1, name, 'mpi', 1, 1000, 1000, 1000, 1000, 0, null, null from (select 'MPI_Allreduce_init' as name union select 'MPI_Start');
