/* exchange.c - see exchange.h. */
#include <mpi.h>
#include <stdlib.h>

#include "exchange.h"
#include "say.h"
#include "truth.h"

/* Neighbouring tensors; the last of the model are in bucket 0, as backward finishes them first. */
struct exchange {
	float *grads;
	struct tensor *buckets;
	int nbuckets;
	int nranks;
};

void job_start(struct job *job, int *argc, char ***argv)
{
	int provided;

	truth_mpi(CALL_Init_thread, 0);
	MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
	truth_mpi(CALL_Comm_rank, 0);
	MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
	truth_mpi(CALL_Comm_size, 0);
	MPI_Comm_size(MPI_COMM_WORLD, &job->nranks);
	say_rank = job->rank;
}

void job_end(void)
{
	MPI_Finalize();
}

void job_abort(int status)
{
	MPI_Abort(MPI_COMM_WORLD, status);
	abort();
}

int job_greatest(int value)
{
	truth_mpi(CALL_Allreduce, sizeof(value));
	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return value;
}

void job_sum(double *values, int count)
{
	truth_mpi(CALL_Allreduce, count * sizeof(*values));
	MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void job_copy(void *data, size_t nbytes)
{
	truth_mpi(CALL_Bcast, nbytes);
	MPI_Bcast(data, nbytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

void job_barrier(void)
{
	truth_mpi(CALL_Barrier, 0);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Walks the tensors from the last to the first, starting a new bucket where one is full. */
static void buckets_fill(struct exchange *e, const struct model *model, size_t limit)
{
	for (int i = model->ntensors - 1; i >= 0; i--) {
		struct tensor tensor = model->tensors[i];
		struct tensor *bucket = e->nbuckets ? &e->buckets[e->nbuckets - 1] : NULL;

		if (!bucket || bucket->count + tensor.count > limit)
			e->buckets[e->nbuckets++] = tensor;
		else {
			bucket->offset = tensor.offset;
			bucket->count += tensor.count;
		}
	}
}

struct exchange *exchange_create(const struct model *model, const struct job *job, double fusion_mb)
{
	struct exchange *e = calloc(1, sizeof(*e));

	if (e)
		e->buckets = calloc(model->ntensors, sizeof(*e->buckets));
	if (!e || !e->buckets) {
		fail("not enough memory for %d gradient buckets", model->ntensors);
		free(e);
		return NULL;
	}
	e->grads = model->grads;
	e->nranks = job->nranks;
	buckets_fill(e, model, fusion_mb * 1e6 / sizeof(float));
	return e;
}

void exchange_begin(struct exchange *e)
{
	(void)e;
}

void exchange_ready(void *exchange, size_t offset, size_t count)
{
	(void)exchange, (void)offset, (void)count;
}

void exchange_end(struct exchange *e)
{
	for (int i = 0; i < e->nbuckets; i++) {
		struct tensor b = e->buckets[i];

		truth_mpi(CALL_Allreduce, b.count * sizeof(float));
		MPI_Allreduce(MPI_IN_PLACE, e->grads + b.offset, b.count, MPI_FLOAT, MPI_SUM,
			      MPI_COMM_WORLD);
	}
}

int exchange_buckets(const struct exchange *e)
{
	return e->nbuckets;
}

void exchange_free(struct exchange *e)
{
	if (e)
		free(e->buckets);
	free(e);
}
