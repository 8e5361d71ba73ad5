/* exchange.c - see exchange.h. */
#include "config.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

#include "buckets.h"
#include "exchange.h"
#include "say.h"
#include "truth.h"

struct exchange {
	float *grads;
	struct tensor *buckets;
	int nbuckets;
	int handed;		/* buckets of this step with final gradients */
	int overlap;		/* enum overlap */
	MPI_Comm node, leaders; /* hierarchical; leaders: null on other ranks */
	bool hierarchical, leader;
	MPI_Request *requests; /* OVERLAP_NONBLOCKING: one per bucket */

	/* OVERLAP_THREAD: the thread sums buckets [summed, posted). */
	pthread_t thread;
	bool running, stop;
	pthread_mutex_t lock;
	pthread_cond_t change;
	int posted, summed;
};

static void sum_flat(MPI_Comm comm, float *values, size_t count)
{
	truth_mpi(CALL_Allreduce, count * sizeof(float));
	MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_FLOAT, MPI_SUM, comm);
}

/* To the node's leader, between the leaders, and back to the node. */
static void sum_by_nodes(struct exchange *e, float *values, size_t count)
{
	truth_mpi(CALL_Reduce, count * sizeof(float));
	MPI_Reduce(e->leader ? MPI_IN_PLACE : values, values, count, MPI_FLOAT, MPI_SUM, 0,
		e->node);
	if (e->leader)
		sum_flat(e->leaders, values, count);
	truth_mpi(CALL_Bcast, count * sizeof(float));
	MPI_Bcast(values, count, MPI_FLOAT, 0, e->node);
}

static void bucket_sum(struct exchange *e, int number)
{
	struct tensor bucket = e->buckets[number];

	if (e->hierarchical)
		sum_by_nodes(e, e->grads + bucket.offset, bucket.count);
	else
		sum_flat(MPI_COMM_WORLD, e->grads + bucket.offset, bucket.count);
}

static void bucket_start(struct exchange *e, int number)
{
	struct tensor bucket = e->buckets[number];

	truth_mpi(CALL_Iallreduce, bucket.count * sizeof(float));
	MPI_Iallreduce(MPI_IN_PLACE, e->grads + bucket.offset, bucket.count, MPI_FLOAT, MPI_SUM,
		MPI_COMM_WORLD, &e->requests[number]);
}

static void *thread_run(void *argument)
{
	struct exchange *e = argument;

	pthread_mutex_lock(&e->lock);
	while (!e->stop) {
		if (e->summed == e->posted) {
			pthread_cond_wait(&e->change, &e->lock);
			continue;
		}
		pthread_mutex_unlock(&e->lock);
		bucket_sum(e, e->summed);
		pthread_mutex_lock(&e->lock);
		e->summed++;
		pthread_cond_broadcast(&e->change);
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

static void bucket_post(struct exchange *e)
{
	pthread_mutex_lock(&e->lock);
	e->posted++;
	pthread_cond_broadcast(&e->change);
	pthread_mutex_unlock(&e->lock);
}

void exchange_begin(struct exchange *e)
{
	e->handed = 0;
	pthread_mutex_lock(&e->lock);
	e->posted = e->summed = 0;
	pthread_mutex_unlock(&e->lock);
}

void exchange_ready(void *exchange, size_t offset, size_t count)
{
	struct exchange *e = exchange;

	(void)count;
	for (; e->handed < e->nbuckets && e->buckets[e->handed].offset >= offset; e->handed++) {
		if (e->overlap == OVERLAP_NONBLOCKING)
			bucket_start(e, e->handed);
		else if (e->overlap == OVERLAP_THREAD)
			bucket_post(e);
	}
}

static void thread_wait(struct exchange *e)
{
	pthread_mutex_lock(&e->lock);
	while (e->summed < e->nbuckets)
		pthread_cond_wait(&e->change, &e->lock);
	pthread_mutex_unlock(&e->lock);
}

void exchange_end(struct exchange *e)
{
	switch (e->overlap) {
	case OVERLAP_NONBLOCKING:
		truth_mpi(CALL_Waitall, 0);
		MPI_Waitall(e->nbuckets, e->requests, MPI_STATUSES_IGNORE);
		break;
	case OVERLAP_THREAD: thread_wait(e); break;
	default:
		for (int i = 0; i < e->nbuckets; i++)
			bucket_sum(e, i);
	}
}

/* Ranks of a node, or of --node-size neighbours, and the first of each. */
static void nodes_join(struct exchange *e, const struct job *job, int node_size)
{
	int rank;

	if (node_size) {
		truth_mpi(CALL_Comm_split, 0);
		MPI_Comm_split(MPI_COMM_WORLD, job->rank / node_size, job->rank, &e->node);
	} else {
		truth_mpi(CALL_Comm_split_type, 0);
		MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, job->rank, MPI_INFO_NULL,
			&e->node);
	}
	truth_mpi(CALL_Comm_rank, 0);
	MPI_Comm_rank(e->node, &rank);
	e->leader = rank == 0;
	truth_mpi(CALL_Comm_split, 0);
	MPI_Comm_split(MPI_COMM_WORLD, e->leader ? 0 : MPI_UNDEFINED, job->rank, &e->leaders);
}

static int thread_start(struct exchange *e, const struct job *job)
{
	if (!job->threads)
		return fail("this MPI library does not let another thread communicate: choose "
			    "another --overlap");
	if (pthread_create(&e->thread, NULL, thread_run, e))
		return fail("cannot start the thread for --overlap thread");
	e->running = true;
	return 0;
}

static int buckets_allocate(struct exchange *e, const struct model *model, double fusion_mb,
	bool tiny_messages)
{
	e->nbuckets = buckets_cut(model, fusion_mb, tiny_messages, &e->buckets);
	if (e->nbuckets < 0)
		return -1;
	e->requests = calloc(e->nbuckets, sizeof(*e->requests));
	return e->requests ? 0 : fail("not enough memory for gradient buckets");
}

struct exchange *exchange_create(const struct model *model, const struct job *job,
	const struct options *options, bool tiny_messages)
{
	struct exchange *e = calloc(1, sizeof(*e));

	if (!e) {
		fail("not enough memory for gradient buckets");
		return NULL;
	}
	*e = (struct exchange){
		.grads = model->grads,
		.overlap = options->overlap,
		.hierarchical = options->allreduce == ALLREDUCE_HIERARCHICAL,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.change = PTHREAD_COND_INITIALIZER,
	};
	if (buckets_allocate(e, model, options->fusion_mb, tiny_messages) < 0)
		goto out;
	if (e->hierarchical)
		nodes_join(e, job, options->node_size);
	if (e->overlap == OVERLAP_THREAD && thread_start(e, job) < 0)
		goto out;
	return e;
out:
	e->hierarchical = false; /* the communicators go with the job */
	exchange_free(e);
	return NULL;
}

int exchange_buckets(const struct exchange *e)
{
	return e->nbuckets;
}

static void thread_stop(struct exchange *e)
{
	pthread_mutex_lock(&e->lock);
	e->stop = true;
	pthread_cond_broadcast(&e->change);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
}

static void comm_free(MPI_Comm *comm)
{
	truth_mpi(CALL_Comm_free, 0);
	MPI_Comm_free(comm);
}

void exchange_free(struct exchange *e)
{
	if (!e)
		return;
	if (e->running)
		thread_stop(e);
	if (e->hierarchical) {
		comm_free(&e->node);
		if (e->leader)
			comm_free(&e->leaders);
	}
	free(e->buckets);
	free(e->requests);
	free(e);
}
