/*
 * capture_load.c - thirty steps of known calls for tests of the capture
 * window: a reduction on a communicator and with a type that are made in step
 * 5, an exchange around the ring, one read. Arguments: the file to read; then
 * milliseconds per step (0); "control" lets MPI_Pcontrol end the capture for
 * steps 12 to 14; "throw" leaves a recorded call by longjmp in step 2;
 * "toggle" raises SIGUSR2 at the begin of step 10.
 */
#include <mpi.h>

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tacho.h"

static jmp_buf out;

static void fail(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
	longjmp(out, 1);
}

/* An error handler that does not come back: the call that it interrupts never ends. */
static void throw(void)
{
	MPI_Errhandler handler;
	int value = 0;

	MPI_Comm_create_errhandler(fail, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	if (!setjmp(out))
		MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&handler);
}

static void work(MPI_Comm comm, MPI_Datatype type, const char *path)
{
	int rank, size, token = 1, got, pair[2] = { 1, 2 };
	char byte;
	int fd = open(path, O_RDONLY);

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Bcast(pair, 1, type, 0, comm);
	MPI_Sendrecv(&token, 1, MPI_INT, (rank + 1) % size, 7, &got, 1, MPI_INT,
		(rank + size - 1) % size, 7, comm, MPI_STATUS_IGNORE);
	if (fd < 0 || read(fd, &byte, 1) != 1)
		exit(3);
	close(fd);
}

int main(int argc, char **argv)
{
	int ms = argc > 2 ? atoi(argv[2]) : 0;
	const char *what = argc > 3 ? argv[3] : "";
	MPI_Comm comm = MPI_COMM_WORLD;
	MPI_Datatype type = MPI_2INT;

	MPI_Init(&argc, &argv);
	tacho_phase_begin("train");
	for (int step = 0; step < 30; step++) {
		if (step == 10 && !strcmp(what, "toggle"))
			raise(SIGUSR2);
		tacho_step_begin((uint64_t)step);
		if (step == 2 && !strcmp(what, "throw"))
			throw();
		if (step == 5) {
			MPI_Comm_dup(MPI_COMM_WORLD, &comm);
			MPI_Type_contiguous(2, MPI_INT, &type);
			MPI_Type_commit(&type);
		}
		if (!strcmp(what, "control") && (step == 12 || step == 15))
			MPI_Pcontrol(step == 15);
		work(comm, type, argv[1]);
		usleep(1000 * (unsigned)ms);
		tacho_step_end(4);
	}
	tacho_phase_end();
	MPI_Finalize();
	return 0;
}
