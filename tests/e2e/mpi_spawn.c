/*
 * mpi_spawn.c - spawns three processes of itself from its ranks, talks to them through the
 * inter-communicator, and through communicators made from it. With "alone" one rank starts two.
 */
#include <mpi.h>
#include <string.h>

/* Collectives on a communicator that has members of both jobs, and one message. */
static void meet(MPI_Comm all)
{
	MPI_Comm copy;
	int rank, sum = 0, one = 1;

	MPI_Comm_rank(all, &rank);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
	MPI_Comm_dup(all, &copy);
	MPI_Barrier(copy);
	if (rank == 0)
		MPI_Send(&sum, 1, MPI_INT, 4, 7, copy);
	if (rank == 4)
		MPI_Recv(&sum, 1, MPI_INT, 0, 7, copy, MPI_STATUS_IGNORE);
	MPI_Comm_free(&copy);
}

static void talk(MPI_Comm inter, int is_child)
{
	MPI_Comm all;
	int rank, data[10] = { 0 };

	MPI_Comm_rank(inter, &rank);
	MPI_Bcast(data, 10, MPI_INT, is_child ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
	MPI_Barrier(inter);
	if (is_child && rank == 2)
		MPI_Send(data, 5, MPI_INT, 1, 3, inter);
	if (!is_child && rank == 1)
		MPI_Recv(data, 5, MPI_INT, 2, 3, inter, MPI_STATUS_IGNORE);
	MPI_Intercomm_merge(inter, is_child, &all);
	meet(all);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&inter);
}

static void call_together(MPI_Comm inter, int root)
{
	int data[10] = { 0 };

	MPI_Bcast(data, 10, MPI_INT, root, inter);
	MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
	char *alone[] = { "alone", NULL };
	int is_alone = argc > 1 && strcmp(argv[1], "alone") == 0;
	MPI_Comm inter;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&inter);
	if (is_alone && inter != MPI_COMM_NULL) {
		call_together(inter, 0);
	} else if (is_alone) {
		MPI_Comm_spawn(argv[0], alone, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
			MPI_ERRCODES_IGNORE);
		call_together(inter, MPI_ROOT);
	} else if (inter != MPI_COMM_NULL) {
		talk(inter, 1);
	} else if (argc > 1 && strcmp(argv[1], "spawn") == 0) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
			MPI_ERRCODES_IGNORE);
		talk(inter, 0);
	} else {
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
