# Tests of mpi.
