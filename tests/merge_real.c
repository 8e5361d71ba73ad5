/*
 * merge_real.c - a program for the tests of merge: messages of all kinds among
 * all ranks, collectives on split communicators, phases and steps. With an
 * argument, rank 1 kills itself inside step 5. Rank 0 prints the number of
 * messages that the run sends.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "tacho.h"

enum { STEPS = 10 };

static int rank, size;

static void exchange(MPI_Comm comm, int step)
{
	int next = (rank + 1) % size, last = (rank + size - 1) % size, in[4], out[4] = { step };
	MPI_Request requests[4];
	MPI_Status found;

	MPI_Isend(out, 4, MPI_INT, next, 1, comm, &requests[0]);
	MPI_Irecv(in, 4, MPI_INT, MPI_ANY_SOURCE, 1, comm, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Sendrecv(out, 2, MPI_INT, last, 2, in, 2, MPI_INT, next, 2, comm, MPI_STATUS_IGNORE);
	MPI_Isend(out, 3, MPI_INT, next, 4, comm, &requests[0]);
	MPI_Probe(last, MPI_ANY_TAG, comm, &found);
	MPI_Recv(in, 4, MPI_INT, found.MPI_SOURCE, found.MPI_TAG, comm, MPI_STATUS_IGNORE);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Send_init(out, 1, MPI_INT, next, 3, comm, &requests[0]);
	MPI_Recv_init(in, 4, MPI_INT, last, MPI_ANY_TAG, comm, &requests[1]);
	MPI_Startall(2, requests);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

static void collect(MPI_Comm all, MPI_Comm half)
{
	int in = rank, out = 0;
	MPI_Request request;

	MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, half);
	MPI_Bcast(&out, 1, MPI_INT, 0, all);
	MPI_Ibarrier(all, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Comm half, copy;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	tacho_phase_begin("train");
	for (int step = 0; step < STEPS; step++) {
		tacho_step_begin(step);
		if (argc > 1 && rank == 1 && step == 5) {
			int one = 1;

			MPI_Send(&one, 1, MPI_INT, 0, 99, MPI_COMM_WORLD);
			usleep(300000); /* the others reach the place where they wait */
			kill(getpid(), SIGKILL);
		}
		exchange(step % 2 ? copy : MPI_COMM_WORLD, step);
		collect(MPI_COMM_WORLD, half);
		tacho_step_end(8);
	}
	tacho_phase_end();
	if (rank == 0)
		printf("%d sends\n", 4 * STEPS * size);
	MPI_Finalize();
	return 0;
}
