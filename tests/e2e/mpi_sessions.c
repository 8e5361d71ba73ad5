/*
 * mpi_sessions.c - MPI 4 without MPI_Init: a communicator of all and one of every second rank, made
 * from groups of a session, and partitioned messages in a ring, 10 partitions sent, 5 received, of
 * 24,000 bytes each time; argument: how often. Prints what it sent, got and waited for.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SENT = 10, GOT = 5, DOUBLES = 3000 };

static double out[DOUBLES], in[DOUBLES];

static void partitioned(MPI_Comm comm, int rank, int size, int times)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size, count, is_there, last = 9;
	MPI_Request q[2];
	MPI_Status status[2];

	MPI_Psend_init(out, SENT, DOUBLES / SENT, MPI_DOUBLE, next, 7, comm, MPI_INFO_NULL, &q[0]);
	MPI_Precv_init(in, GOT, DOUBLES / GOT, MPI_DOUBLE, before, 7, comm, MPI_INFO_NULL, &q[1]);
	for (int i = 0; i < times; i++) {
		out[DOUBLES - 1] = rank + 1;
		MPI_Startall(2, q);
		for (int p = 0; p < 4; p++)
			MPI_Pready(p, q[0]);
		MPI_Pready_range(4, 8, q[0]);
		MPI_Pready_list(1, &last, q[0]);
		do
			MPI_Parrived(q[1], 2, &is_there);
		while (!is_there);
		MPI_Waitall(2, q, status);
	}
	MPI_Get_count(&status[1], MPI_DOUBLE, &count);
	printf("count %d last %g\n", count, in[DOUBLES - 1] - before);
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
}

int main(int argc, char **argv)
{
	MPI_Session session;
	MPI_Group all, half;
	MPI_Comm comm, some;
	int rank, size, one = 1, sum = 0, range[1][3] = { { 0, 0, 2 } };

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
	MPI_Comm_create_from_group(all, "org.example.all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	partitioned(comm, rank, size, argc > 1 ? atoi(argv[1]) : 1);
	range[0][1] = size - 1;
	MPI_Group_range_incl(all, 1, range, &half);
	if (rank % 2 == 0) {
		MPI_Comm_create_from_group(half, "org.example.half", MPI_INFO_NULL,
			MPI_ERRORS_RETURN, &some);
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, some);
		MPI_Comm_free(&some);
	}
	printf("sum %d\n", sum);
	MPI_Barrier(comm);
	MPI_Comm_free(&comm);
	MPI_Group_free(&all);
	MPI_Group_free(&half);
	MPI_Session_finalize(&session);
	return 0;
}
