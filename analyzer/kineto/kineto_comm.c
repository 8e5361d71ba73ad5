/*
 * kineto_comm.c - process groups of all files become communicators, and their operations get numbers
 * that are equal on all ranks: NCCL's where the trace has them, else their places, moved where a file
 * begins earlier than others.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "kineto/kineto_job.h"

enum { SHIFT_MOST = 64, COMPARED = 64, FIRST_PLACE = 1 << 20, DISTANCE_COUNTS = 1000 };

#define UNMATCHED LONG_MAX

static uint32_t file_of_rank(const struct kineto_job *job, int64_t rank)
{
	size_t at = LOWER_BOUND(i, 0, job->nranks, job->ranks[i].rank < rank);

	return at < job->nranks && job->ranks[at].rank == rank ? (uint32_t)at : KINETO_NOBODY;
}

/* The ranks of "[0, 8, 16, ..., 56]" up to where the list is cut. How many there are. */
static uint32_t ranks_listed(const char *text, int64_t *ranks, uint32_t most)
{
	uint32_t n = 0;
	char *end;

	for (text += strcspn(text, "0123456789."); *text && *text != '.' && n < most;
		text += strcspn(text, "0123456789.")) {
		ranks[n++] = strtol(text, &end, 10);
		text = end;
	}
	return n;
}

static bool has_member(const struct kineto_comm *comm, uint32_t n, uint32_t file)
{
	for (uint32_t i = 0; i < n; i++)
		if (comm->members[i] == file)
			return true;
	return false;
}

/*
 * For groups without ranks in the trace: the members are the files that have the group, in order.
 */
static void members_fill(struct kineto_comm *comm, uint32_t known)
{
	uint32_t n = known;

	for (size_t i = 0; i < comm->parts.n && n < comm->size; i++)
		if (!has_member(comm, known, comm->parts.at[i].rank))
			comm->members[n++] = comm->parts.at[i].rank;
}

static int members_find(const struct kineto_job *job, struct kineto_comm *comm)
{
	const struct kineto_group *group = comm->group;
	const struct kineto_rank *first = &job->ranks[comm->parts.at[0].rank];
	int64_t *ranks = calloc(comm->size + 1, sizeof(*ranks));
	uint32_t known = 0;

	comm->members = malloc((comm->size + 1) * sizeof(*comm->members));
	if (!ranks || !comm->members) {
		free(ranks);
		return -1;
	}
	memset(comm->members, 0xff, (comm->size + 1) * sizeof(*comm->members));
	known = ranks_listed(group->ranks, ranks, comm->size);
	if (known < comm->size && (group->stride > 0 || comm->size == first->world))
		for (known = 0; known < comm->size; known++)
			ranks[known] = group->stride > 0 && group->first >= 0
				? group->first + known * group->stride
				: known;
	for (uint32_t i = 0; i < known; i++)
		comm->members[i] = file_of_rank(job, ranks[i]);
	members_fill(comm, known);
	free(ranks);
	return 0;
}

static struct kineto_comm *comm_get(struct kineto_job *job, const struct kineto_group *group)
{
	struct kineto_comm *comm;

	for (size_t i = 0; i < job->comms.n; i++)
		if (strcmp(job->comms.at[i].group->name, group->name) == 0 &&
			strcmp(job->comms.at[i].group->ranks, group->ranks) == 0)
			return &job->comms.at[i];
	comm = ARRAY_ADD(&job->comms);
	if (comm)
		*comm = (struct kineto_comm){ .group = group, .size = (uint32_t)group->size };
	return comm;
}

static int compare_ops(const void *a, const void *b)
{
	const struct kineto_op *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static bool is_collective(const struct kineto_detail *detail)
{
	return detail->op && detail->op < TRACE_OP_SEND;
}

/* The rank's operations in the group. */
static int ops_find(struct kineto_job *job, struct kineto_part *part)
{
	struct kineto_rank *rank = &job->ranks[part->rank];

	for (size_t i = 0; i < rank->tracks.n; i++)
		for (size_t k = 0; rank->tracks.at[i].is_stream && k < rank->tracks.at[i].events.n;
			k++) {
			const struct kineto_event *event = &rank->tracks.at[i].events.at[k];
			struct kineto_detail *detail = event->detail
				? &rank->details.at[event->detail - 1]
				: NULL;
			struct kineto_op *op;

			if (!detail || detail->group != part->group + 1 || !is_collective(detail))
				continue;
			op = ARRAY_ADD(&part->ops);
			if (!op)
				return -1;
			*op = (struct kineto_op){ event->start + rank->base,
				event->end + rank->base, detail };
		}
	if (part->ops.n)
		qsort(part->ops.at, part->ops.n, sizeof(*part->ops.at), compare_ops);
	return 0;
}

static int compare_times(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t median(int64_t *at, int n)
{
	qsort(at, (size_t)n, sizeof(*at), compare_times);
	return at[n / 2];
}

/*
 * Where operation i of `a` is operation i + shift of `b`: how much the distance of their ends varies,
 * which is next to nothing where that is so; and, where it varies alike, a part of the distance. -1: they
 * are not the same operations, or few.
 */
static int64_t distance(const struct kineto_part *a, const struct kineto_part *b, long shift)
{
	long from = shift < 0 ? -shift : 0, n = (long)a->ops.n, m = (long)b->ops.n - shift;
	long most = a->ops.n < b->ops.n ? (long)a->ops.n : (long)b->ops.n;
	int64_t apart[COMPARED], middle;
	int count = 0;

	n = n < m ? n : m;
	if ((n - from) * 2 < most || n <= from)
		return -1;
	for (long i = from; i < n; i++) {
		const struct kineto_op *x = &a->ops.at[i], *y = &b->ops.at[i + shift];

		if (x->detail->op != y->detail->op ||
			(x->detail->op != TRACE_OP_ALLTOALL &&
				x->detail->bytes != y->detail->bytes))
			return -1;
		if (count < COMPARED)
			apart[count++] = x->end - y->end;
	}
	middle = median(apart, count);
	for (int i = 0; i < count; i++)
		apart[i] = llabs(apart[i] - middle);
	return median(apart, count) + llabs(middle) / DISTANCE_COUNTS;
}

/* How many operations earlier `b` begins than `a`; UNMATCHED: they cannot be matched. */
static long shift_find(const struct kineto_part *a, const struct kineto_part *b)
{
	int64_t least = INT64_MAX;
	long best = UNMATCHED;

	for (long tried = 0; tried <= 2 * SHIFT_MOST; tried++) {
		long shift = tried % 2 ? -(tried + 1) / 2 : tried / 2;
		int64_t apart = distance(a, b, shift);

		if (apart >= 0 && apart < least) {
			least = apart;
			best = shift;
		}
	}
	return best;
}

static bool has_numbers(const struct kineto_part *part)
{
	for (size_t i = 0; i < part->ops.n; i++)
		if (!part->ops.at[i].detail->has_seq)
			return false;
	return true;
}

/* Several operations may have one of NCCL's numbers: parts of a coalesced one. */
static void numbers_part(struct kineto_part *part)
{
	uint64_t last = UINT64_MAX, times = 0;

	for (size_t i = 0; i < part->ops.n; i++) {
		uint64_t seq = part->ops.at[i].detail->seq;

		times = seq == last ? times + 1 : 0;
		last = seq;
		part->ops.at[i].detail->seq = seq << 16 | (times & 0xffff);
	}
}

/* Operation i of the part is operation i - shift of the first part. */
static void number(struct kineto_part *part, long shift)
{
	for (size_t i = 0; i < part->ops.n; i++) {
		struct kineto_detail *detail = part->ops.at[i].detail;

		detail->has_seq = shift != UNMATCHED;
		if (detail->has_seq)
			detail->seq = (uint64_t)(FIRST_PLACE + (long)i - shift);
	}
}

static void comm_number(struct kineto_job *job, struct kineto_comm *comm)
{
	const struct kineto_part *first = &comm->parts.at[0];
	bool all = true;

	for (size_t i = 0; i < comm->parts.n; i++)
		all = all && has_numbers(&comm->parts.at[i]);
	for (size_t i = 0; i < comm->parts.n; i++) {
		struct kineto_part *part = &comm->parts.at[i];
		long shift = i && !all ? shift_find(first, part) : 0;

		if (all)
			numbers_part(part);
		else
			number(part, shift);
		if (shift == UNMATCHED && part->ops.n)
			log_warn("%s: its collectives in process group %s are others than in %s: "
				 "waits between the two are not known",
				job->ranks[part->rank].path, comm->group->name,
				job->ranks[first->rank].path);
	}
}

/* Numbers the messages of each sender to each receiver; peers are ranks of the job. */
static void messages_number(const struct kineto_job *job, const struct kineto_comm *comm,
	const struct kineto_part *part)
{
	struct kineto_rank *rank = &job->ranks[part->rank];
	uint64_t *counts = calloc(2 * (size_t)comm->size + 1, sizeof(*counts));

	for (size_t i = 0; counts && i < rank->details.n; i++) {
		struct kineto_detail *detail = &rank->details.at[i];
		uint32_t place = 0, file;

		if (detail->group != part->group + 1 ||
			(detail->op != TRACE_OP_SEND && detail->op != TRACE_OP_RECV))
			continue;
		file = file_of_rank(job, detail->peer);
		while (place < comm->size && comm->members[place] != file)
			place++;
		detail->has_seq = file != KINETO_NOBODY && place < comm->size;
		detail->peer = detail->has_seq ? (int32_t)place : -1;
		if (detail->has_seq)
			detail->seq = counts[2 * place + (detail->op == TRACE_OP_RECV)]++;
	}
	free(counts);
}

static int parts_find(struct kineto_job *job)
{
	for (size_t i = 0; i < job->nranks; i++)
		for (size_t k = 0; k < job->ranks[i].groups.n; k++) {
			const struct kineto_group *group = &job->ranks[i].groups.at[k];
			struct kineto_comm *comm;
			struct kineto_part *part;

			if (group->size < 1 || group->size > 1 << 20)
				continue;
			comm = comm_get(job, group);
			part = comm ? ARRAY_ADD(&comm->parts) : NULL;
			if (!part)
				return -1;
			*part = (struct kineto_part){ .rank = (uint32_t)i, .group = (uint32_t)k };
			if (ops_find(job, part) < 0)
				return -1;
			job->ranks[i].groups.at[k].comm = (uint32_t)(comm - job->comms.at);
		}
	return 0;
}

int kineto_comms(struct kineto_job *job)
{
	if (parts_find(job) < 0)
		return -1;
	for (size_t i = 0; i < job->comms.n; i++) {
		struct kineto_comm *comm = &job->comms.at[i];

		if (members_find(job, comm) < 0) {
			log_error("out of memory");
			return -1;
		}
		comm_number(job, comm);
		for (size_t k = 0; k < comm->parts.n; k++)
			messages_number(job, comm, &comm->parts.at[k]);
	}
	return 0;
}
