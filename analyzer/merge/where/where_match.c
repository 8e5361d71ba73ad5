/*
 * where_match.c - collectives that ranks call in ways that cannot meet: another operation, another
 * root, another size. Of MPI, PyTorch and NCCL.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "merge/walk/walk_regions.h"
#include "merge/nccl/nccl.h"
#include "merge/nccl/nccl_parts.h"
#include "merge/where/where.h"

/* Whether its size at the root is that of all members together. */
static bool is_shared_out(uint32_t region)
{
	unsigned op = region_infos[region].collective;

	return op == OTF2_COLLECTIVE_OP_GATHER || op == OTF2_COLLECTIVE_OP_SCATTER;
}

/* Sizes by rank are as the ranks like, and PyTorch's in an all_to_all. */
static bool is_sized(uint32_t region)
{
	switch (region_infos[region].collective) {
	case OTF2_COLLECTIVE_OP_ALLTOALL: return region_class(region) == REGION_CLASS_MPI;
	case OTF2_COLLECTIVE_OP_BCAST:
	case OTF2_COLLECTIVE_OP_REDUCE:
	case OTF2_COLLECTIVE_OP_ALLREDUCE:
	case OTF2_COLLECTIVE_OP_GATHER:
	case OTF2_COLLECTIVE_OP_SCATTER:
	case OTF2_COLLECTIVE_OP_ALLGATHER:
	case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
	case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK: return true;
	default: return false;
	}
}

int64_t where_bytes_agreed(const struct where *where, const struct where_rank *rank, uint32_t comm,
	const struct where_op *op, uint64_t bytes)
{
	const struct merge_comm *c = &where->merge->comms[comm];
	uint32_t place;

	if (!is_sized(op->region) || strcasestr(region_infos[op->region].name, "neighbor"))
		return -1;
	if (!is_shared_out(op->region))
		return (int64_t)bytes;
	place = op->root >= 0 ? where_member(where, comm, (uint32_t)op->root) : NONE;
	if (place == NONE || !c->size || c->nremote)
		return -1;
	return (int64_t)(&where->ranks[place] == rank ? bytes / c->size : bytes);
}

/* The collective `number` of a communicator as the rank calls it; false where that is not known. */
static bool op_find(const struct where *where, const struct where_rank *rank, uint32_t comm,
	uint32_t number, struct where_op *op)
{
	const struct where_part *part = rank->parts[comm];
	uint32_t n = part ? part->n : 0;

	if (rank->wait == WHERE_COLLECTIVE && rank->comm == comm && number == n) {
		*op = (struct where_op){ rank->call->region,
			rank->call->peer == WHERE_NO_PEER ? SPOOL_ROOT_NONE : rank->call->peer,
			-1 };
		if (rank->call->bytes >= 0)
			op->bytes = where_bytes_agreed(where, rank, comm, op,
				(uint64_t)rank->call->bytes);
		return true;
	}
	if (number >= n || n - number > WHERE_KEPT)
		return false;
	*op = part->last[number % WHERE_KEPT];
	return op->region != REGION_NONE; /* of one that is not in detail nothing more is known */
}

/* The name of an operation, that for large counts being the same one. */
static int name_length(uint32_t region)
{
	const char *name = region_infos[region].name;
	int n = (int)strlen(name);

	return n > 2 && strcmp(name + n - 2, "_c") == 0 ? n - 2 : n;
}

static bool names_match(uint32_t a, uint32_t b)
{
	if (region_class(a) == REGION_CLASS_NCCL && region_class(b) == REGION_CLASS_NCCL)
		return nccl_op(a) == nccl_op(b); /* Bcast is Broadcast */
	return name_length(a) == name_length(b) &&
		strncmp(region_infos[a].name, region_infos[b].name, (size_t)name_length(a)) == 0;
}

static bool ops_match(const struct where_op *x, const struct where_op *y)
{
	return names_match(x->region, y->region) && x->root == y->root &&
		(x->bytes < 0 || y->bytes < 0 || x->bytes == y->bytes);
}

static void op_print(FILE *out, const struct where_rank *rank, const struct where_op *op,
	const struct where_op *other)
{
	fprintf(out, "rank %d calls %.*s", rank->rank, name_length(op->region),
		region_infos[op->region].name);
	if (!names_match(op->region, other->region))
		return;
	if (op->root != other->root)
		fprintf(out, " with root %d", op->root);
	else
		fprintf(out, " with %" PRId64 " bytes%s", op->bytes,
			is_shared_out(op->region) ? " a rank" : "");
}

static void pair_print(FILE *out, const struct where *where, const struct where_rank *a,
	const struct where_op *x, const struct where_rank *b, const struct where_op *y)
{
	fputs(" does not match: ", out);
	op_print(out, a, x, y);
	where_python_print(out, where, a);
	fputs(", ", out);
	op_print(out, b, y, x);
	/* where that rank hangs in it as well */
	if (b->wait == a->wait && b->comm == a->comm && b->number == a->number)
		where_python_print(out, where, b);
	fputs(". ", out);
}

/* Whether two ranks call one collective of a communicator in ways that cannot meet; then says so. */
static bool pair_mismatches(FILE *out, const struct where *where, const struct where_rank *a,
	const struct where_rank *b)
{
	struct where_op x, y;
	char buffer[64];

	if (!op_find(where, a, a->comm, a->number, &x) ||
		!op_find(where, b, a->comm, a->number, &y) || ops_match(&x, &y))
		return false;
	fprintf(out, "Collective #%" PRIu32 " of %s", a->number,
		where_comm_name(where, a->comm, buffer, sizeof(buffer)));
	pair_print(out, where, a, &x, b, &y);
	return true;
}

/* The first of the last collectives of a communicator of NCCL's that two ranks call differently. */
static bool nccl_pair_mismatches(FILE *out, const struct where *where, uint32_t comm,
	const struct where_rank *a, const struct where_rank *b)
{
	const struct where_part *p = &a->nccl[comm], *q = &b->nccl[comm];
	uint32_t least = p->n < q->n ? p->n : q->n, most = p->n < q->n ? q->n : p->n;

	for (uint32_t n = most > WHERE_KEPT ? most - WHERE_KEPT : 0; n < least; n++) {
		const struct where_op *x = &p->last[n % WHERE_KEPT], *y = &q->last[n % WHERE_KEPT];

		if (x->region == REGION_NONE || y->region == REGION_NONE || ops_match(x, y))
			continue;
		fprintf(out, "NCCL's collective #%" PRIu32, n);
		pair_print(out, where, a, x, b, y);
		return true;
	}
	return false;
}

static bool nccl_mismatches(FILE *out, const struct where *where, const struct where_rank *rank)
{
	const struct merge *m = where->merge;

	for (uint32_t c = 0; c < m->nnccl_comms; c++)
		for (uint32_t i = 0; m->nccl_comms[c].slots && i < m->nccl_comms[c].size; i++) {
			uint32_t process = m->nccl_comms[c].slots[i].process, place;

			if (process == NONE || (place = where->place[process]) == NONE ||
				&where->ranks[place] == rank)
				continue;
			if (nccl_pair_mismatches(out, where, c, rank, &where->ranks[place]))
				return true;
		}
	return false;
}

static bool rank_mismatches(FILE *out, const struct where *where, const struct where_rank *rank)
{
	enum region_class class = region_class(rank->call->region);

	if (class == REGION_CLASS_CUDA || class == REGION_CLASS_NCCL)
		return nccl_mismatches(out, where, rank);
	if ((rank->wait != WHERE_COLLECTIVE && rank->wait != WHERE_REQUEST) || rank->comm == NONE)
		return false;
	for (uint32_t k = 0; k < where->nranks; k++)
		if (&where->ranks[k] != rank && pair_mismatches(out, where, rank, &where->ranks[k]))
			return true;
	return false;
}

bool where_mismatch_print(FILE *out, const struct where *where, int64_t least)
{
	for (uint32_t i = 0; i < where->nranks; i++) {
		const struct where_rank *rank = &where->ranks[i];

		if (rank->call && rank->now - rank->since >= least &&
			rank_mismatches(out, where, rank))
			return true;
	}
	return false;
}
