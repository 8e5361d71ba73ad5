! A ring in Fortran. BINDING is the module by which it knows MPI, or mpif.h. What it calls, and with how many bytes,
! stands in tests/mpi_fortran.sh.
program ring
#ifdef BINDING
	use BINDING
	implicit none
#else
	implicit none
	include 'mpif.h'
#endif
#ifdef F08
	type(MPI_Comm) :: half
	type(MPI_Request) :: requests(2)
	type(MPI_Status) :: status, statuses(2)
	type(MPI_Datatype) :: pair
#else
	integer :: half, requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), pair
#endif
	integer :: ierr, rank, ranks, after, before, i, got(4), put(4), total, count
	double precision :: numbers(100), sums(100)

	call MPI_Init(ierr)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
	call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
	after = mod(rank + 1, ranks)
	before = mod(rank + ranks - 1, ranks)
	put = rank
	numbers = rank + 1

	do i = 1, 3
		call MPI_Sendrecv(put, 4, MPI_INTEGER, after, 7, got, 4, MPI_INTEGER, before, 7, MPI_COMM_WORLD, &
			MPI_STATUS_IGNORE, ierr)
	end do
	if (got(1) /= before) stop 'wrong message'
	if (mod(rank, 2) == 0) then
		call MPI_Send(put, 4, MPI_INTEGER, after, 8, MPI_COMM_WORLD, ierr)
	else
		call MPI_Recv(got, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
		call MPI_Get_count(status, MPI_INTEGER, count, ierr)
		if (count /= 4) stop 'wrong count'
	end if
	call MPI_Irecv(got, 2, MPI_INTEGER, before, 9, MPI_COMM_WORLD, requests(1), ierr)
	call MPI_Isend(put, 2, MPI_INTEGER, after, 9, MPI_COMM_WORLD, requests(2), ierr)
	call MPI_Waitall(2, requests, statuses, ierr)
	call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, pair, ierr)
	call MPI_Type_commit(pair, ierr)
	call MPI_Bcast(numbers, 50, pair, 0, MPI_COMM_WORLD, ierr)
	call MPI_Type_free(pair, ierr)
	call MPI_Allreduce(numbers, sums, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
	call MPI_Allreduce(MPI_IN_PLACE, numbers, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
	call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
	call MPI_Reduce(rank, total, 1, MPI_INTEGER, MPI_SUM, 0, half, ierr)
	call MPI_Comm_free(half, ierr)
	call MPI_Barrier(MPI_COMM_WORLD, ierr)
	if (nint(sums(1)) /= ranks) stop 'wrong sum'
	if (rank == 0) print '(a)', 'done'
	call MPI_Finalize(ierr)
end program
