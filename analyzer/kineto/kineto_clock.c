/*
 * kineto_clock.c - aligns the clocks of several files: a collective in which all wait for all ends
 * on all ranks at the same time, so the offset of two clocks is the median difference of the ends.
 */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "kineto/kineto_job.h"

enum { PAIRS_LEAST = 3 };

static int compare_times(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool ends_together(const struct kineto_op *op)
{
	enum trace_op kind = op->detail->op;

	return op->detail->has_seq &&
		(kind == TRACE_OP_ALLREDUCE || kind == TRACE_OP_ALLGATHER ||
			kind == TRACE_OP_REDUCESCATTER || kind == TRACE_OP_ALLTOALL);
}

/* How much later the ends are in `a` than in `b`, of all operations that both have. How many. */
static size_t distances(const struct kineto_part *a, const struct kineto_part *b, int64_t *to)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < a->ops.n; i++) {
		const struct kineto_op *x = &a->ops.at[i], *y;

		while (k < b->ops.n && b->ops.at[k].detail->seq < x->detail->seq)
			k++;
		y = k < b->ops.n ? &b->ops.at[k] : NULL;
		if (y && y->detail->seq == x->detail->seq && ends_together(x) && ends_together(y))
			to[n++] = x->end - y->end;
	}
	return n;
}

static int64_t median(int64_t *at, size_t n)
{
	qsort(at, n, sizeof(*at), compare_times);
	return at[n / 2];
}

/* Aligns the clock of `part` with the clock of `known`. */
static void tie(struct kineto_job *job, const struct kineto_part *known,
	const struct kineto_part *part)
{
	struct kineto_rank *rank = &job->ranks[part->rank];
	const struct kineto_rank *reference = &job->ranks[known->rank];
	int64_t *apart = malloc((known->ops.n + 1) * sizeof(*apart)), middle;
	size_t n = apart ? distances(known, part, apart) : 0;

	if (n >= PAIRS_LEAST) {
		middle = median(apart, n);
		for (size_t i = 0; i < n; i++)
			apart[i] = llabs(apart[i] - middle);
		rank->offset = reference->offset + middle;
		rank->residual = reference->residual + median(apart, n);
	}
	free(apart);
}

/*
 * For one communicator: aligns its members with a member that is aligned already. Returns whether
 * any is new.
 */
static bool comm_tie(struct kineto_job *job, const struct kineto_comm *comm)
{
	const struct kineto_part *known = NULL;
	bool any = false;

	for (size_t i = 0; i < comm->parts.n && !known; i++)
		if (job->ranks[comm->parts.at[i].rank].residual >= 0)
			known = &comm->parts.at[i];
	for (size_t i = 0; known && i < comm->parts.n; i++) {
		struct kineto_rank *rank = &job->ranks[comm->parts.at[i].rank];

		if (rank->residual >= 0)
			continue;
		tie(job, known, &comm->parts.at[i]);
		any = any || rank->residual >= 0;
	}
	return any;
}

void kineto_clocks(struct kineto_job *job)
{
	bool any = job->nranks > 0;

	if (any)
		job->ranks[0].residual = 0;
	while (any) {
		any = false;
		for (size_t i = 0; i < job->comms.n; i++)
			any = comm_tie(job, &job->comms.at[i]) || any;
	}
	for (size_t i = 0; i < job->nranks; i++) {
		struct kineto_rank *rank = &job->ranks[i];

		log_debug("%s: rank %ld, clock %+ld ns, residual %ld ns", rank->path,
			(long)rank->rank, (long)rank->offset, (long)rank->residual);
		if (rank->residual < 0 && !rank->has_utc)
			log_warn("%s: no three collectives that both have tie its clock to that of "
				 "%s: times between the two are those of their own clocks",
				rank->path, job->ranks[0].path);
	}
}
