/* nccl_op.c - operations of calls, groups and kernels, once what the first pass found is sorted; see nccl_parts.h. */
#include "config.h"

#include <stdlib.h>

#include "merge/nccl/nccl_parts.h"

/* Operation of a call, by its line in nccl_calls.def. */
#define OP_COLLECTIVE(op, ...)	TRACE_OP_##op
#define OP_MESSAGE(op, ...)	TRACE_OP_##op
#define OP_ON_COMM(...)		TRACE_OP_NONE
#define OP_IRREGULAR(...)	TRACE_OP_NONE
#define OP_BY_LIBRARY(...)	TRACE_OP_NONE
#define OP_BY_LIBRARY_VOID(...) TRACE_OP_NONE

enum trace_op nccl_op(unsigned region)
{
	static const unsigned char ops[REGION_COUNT] = {
#define CALL(name, role, shape, ...) [REGION_##name] = OP_##shape(__VA_ARGS__),
#include "tacho/nccl_calls.def"
#undef CALL
	};

	return region < REGION_COUNT ? ops[region] : TRACE_OP_NONE;
}

uint32_t nccl_route(struct nccl *nccl, uint32_t comm, uint32_t peer, uint32_t op)
{
	struct route *route;

	for (size_t i = 0; i < nccl->routes.n; i++) {
		size_t k = (nccl->last + i) % nccl->routes.n;

		route = &nccl->routes.at[k];
		if (route->comm == comm && route->peer == peer && route->op == op) {
			nccl->last = k;
			return k;
		}
	}
	route = ARRAY_ADD(&nccl->routes);
	if (!route)
		return NONE;
	*route = (struct route){ .comm = comm, .peer = peer, .op = op };
	return nccl->routes.n - 1;
}

bool nccl_is_kernel_launch(const struct entry *e)
{
	switch (e->region) {
	case REGION_cudaLaunchKernel:
	case REGION_cudaLaunchKernelExC:
	case REGION_cudaLaunchCooperativeKernel:
	case REGION_cuLaunchKernel:
	case REGION_cuLaunchKernelEx:
	case REGION_cuLaunchCooperativeKernel: return e->type == SPOOL_CUDA && !e->is_truncated;
	default: return false;
	}
}

const struct spool_nccl_comm *nccl_comm_of(const struct process *p, uint32_t id)
{
	const struct spool_process *s = p->spool;

	return id && id < s->nccl_comms.n && s->nccl_comms.at[id].name ? &s->nccl_comms.at[id]
								       : NULL;
}

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return (x->group > y->group) - (x->group < y->group);
}

void nccl_members_sort(struct nccl *nccl)
{
	if (nccl->members.n)
		qsort(nccl->members.at, nccl->members.n, sizeof(*nccl->members.at),
			compare_members);
}

static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

void nccl_turns_sort(struct nccl *nccl)
{
	if (nccl->turns.n)
		qsort(nccl->turns.at, nccl->turns.n, sizeof(*nccl->turns.at), compare_turns);
}

const struct member *nccl_group(const struct process *p, uint32_t group, size_t *n)
{
	struct member key = { .group = group }, *end, *at = NULL;

	*n = 0;
	if (p->nccl && p->nccl->members.n)
		at = bsearch(&key, p->nccl->members.at, p->nccl->members.n, sizeof(key),
			compare_members);
	if (!at)
		return NULL;
	end = p->nccl->members.at + p->nccl->members.n;
	while (at > p->nccl->members.at && at[-1].group == group)
		at--;
	while (at + *n < end && at[*n].group == group)
		++*n;
	return at;
}

static bool is_on(const struct process *p, const struct member *member, uint32_t device)
{
	const struct spool_nccl_comm *comm = nccl_comm_of(p, spool_a(member->rec[0]));

	return comm && (comm->def.device == device || comm->def.device == SPOOL_DEVICE_NONE);
}

/* Whether an earlier operation of the group on the device is of the same communicator. */
static bool is_further(const struct process *p, const struct member *first,
	const struct member *member, uint32_t device)
{
	for (; first < member; first++)
		if (is_on(p, first, device) && spool_a(first->rec[0]) == spool_a(member->rec[0]))
			return true;
	return false;
}

uint32_t nccl_group_comm(const struct process *p, const struct member *first, size_t count,
	uint32_t device, uint32_t i, uint32_t *n)
{
	uint32_t found = 0;

	*n = 0;
	for (size_t k = 0; k < count; k++) {
		if (!is_on(p, &first[k], device) || is_further(p, first, &first[k], device))
			continue;
		if ((*n)++ == i)
			found = spool_a(first[k].rec[0]);
	}
	return found;
}

/*
 * The communicator of a group's kernel. NCCL launches a kernel per communicator, in the order in
 * which the program came with them; where it launched more of them, that does not say. 0: not
 * known.
 */
static uint32_t kernel_comm(const struct process *p, const struct member *first, size_t n,
	uint32_t correlation, uint32_t device)
{
	struct turn key = { .correlation = correlation }, *turn = NULL;
	uint32_t ncomms, wanted;

	if (p->nccl->turns.n)
		turn = bsearch(&key, p->nccl->turns.at, p->nccl->turns.n, sizeof(key),
			compare_turns);
	wanted = nccl_group_comm(p, first, n, device, turn ? turn->number : 0, &ncomms);
	return ncomms == 1			? nccl_group_comm(p, first, n, device, 0, &ncomms)
		: turn && turn->total == ncomms ? wanted
						: 0;
}

const uint64_t *nccl_kernel_operation(const struct process *p, const uint64_t *call,
	uint32_t correlation, uint32_t device, uint32_t i)
{
	const struct member *first;
	uint32_t comm;
	size_t n;

	if (nccl_op(spool_region(call[0])) != TRACE_OP_NONE)
		return i ? NULL : call;
	first = nccl_group(p, call[5], &n);
	comm = spool_a(call[0]) || !first ? spool_a(call[0])
					  : kernel_comm(p, first, n, correlation, device);
	for (size_t k = 0; k < n && comm; k++)
		if (spool_a(first[k].rec[0]) == comm && is_on(p, &first[k], device) && !i--)
			return first[k].rec;
	return NULL;
}
