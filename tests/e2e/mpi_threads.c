/*
 * mpi_threads.c - MPI_THREAD_MULTIPLE: pairs of threads, of which one posts requests and the other
 * completes them, each pair on a separate communicator (mpi_expect.h). Lines come in no order.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "mpi_expect.h"

enum { PAIRS = 3, ROUNDS = 200 };

static struct pair {
	MPI_Comm comm;
	int number;
	MPI_Request requests[2];
	_Atomic int posted; /* rounds */
	_Atomic int completed;
	int in, out;
} pairs[PAIRS];

static void *post(void *arg)
{
	struct pair *pair = arg;

	for (int i = 0; i < ROUNDS; i++) {
		pair->out = rank * ROUNDS + i;
		MPI_Irecv(&pair->in, 1, MPI_INT, before, i, pair->comm, &pair->requests[0]);
		expect("MPI_Irecv comm %d peer %d tag %d bytes 4 posted", pair->number, before, i);
		MPI_Isend(&pair->out, 1, MPI_INT, next, i, pair->comm, &pair->requests[1]);
		expect("MPI_Isend comm %d peer %d tag %d bytes 4 posted", pair->number, next, i);
		atomic_store(&pair->posted, i + 1);
		while (atomic_load(&pair->completed) <= i)
			sched_yield();
	}
	return NULL;
}

static void *complete(void *arg)
{
	struct pair *pair = arg;
	long sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		while (atomic_load(&pair->posted) <= i)
			sched_yield();
		MPI_Waitall(2, pair->requests, MPI_STATUSES_IGNORE);
		expect("MPI_Waitall  [Irecv 4] [Isend]");
		sum += pair->in;
		atomic_store(&pair->completed, i + 1);
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t threads[2 * PAIRS];
	void *sum;

	expect_begin(&argc, &argv, 1);
	for (int i = 0; i < PAIRS; i++) {
		MPI_Comm_dup(W, &pairs[i].comm);
		expect("MPI_Comm_dup comm 1 sent 0 received 0 root -1");
		pairs[i].number = 3 + i;
	}
	for (int i = 0; i < PAIRS; i++) {
		pthread_create(&threads[2 * i], NULL, post, &pairs[i]);
		pthread_create(&threads[2 * i + 1], NULL, complete, &pairs[i]);
	}
	for (int i = 0; i < 2 * PAIRS; i++) {
		pthread_join(threads[i], &sum);
		result("thread %d %ld", i, (long)sum);
	}
	return expect_end();
}
