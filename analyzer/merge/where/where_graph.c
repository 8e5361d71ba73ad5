/*
 * where_graph.c - for whom a rank waits. In a collective for the members that have not begun it,
 * in a message for its partner, in a wait for what its requests in flight need. What nothing was
 * recorded of adds no arrow.
 */
#include "config.h"

#include <stdlib.h>

#include "merge/walk/walk_regions.h"
#include "merge/nccl/nccl.h"
#include "merge/where/where.h"

static bool is_collective(uint32_t region)
{
	return region_infos[region].collective != COLLECTIVE_NONE;
}

/* How much a call says of what its rank waits for. */
static int weight(const struct where_call *call)
{
	switch (region_class(call->region)) {
	case REGION_CLASS_MPI:
	case REGION_CLASS_TORCH:
	case REGION_CLASS_NCCL: return 3;
	case REGION_CLASS_CUDA: return 2;
	default: return 1;
	}
}

/* The call of a thread that says most, the outermost of equals; NULL: it is in none. */
static const struct where_call *call_of(const struct where_thread *thread)
{
	const struct where_call *best = NULL;

	for (uint32_t i = 0; i < thread->ncalls; i++)
		if (!best || weight(&thread->calls[i]) > weight(best))
			best = &thread->calls[i];
	return best;
}

/* The thread that represents the rank: one that communicates, else the main one. */
static void thread_choose(struct where_rank *rank)
{
	int most = -1;

	for (uint32_t i = 0; i < rank->nthreads; i++) {
		const struct where_thread *thread = &rank->threads[i];
		const struct where_call *call = call_of(thread);
		int w = call && weight(call) > 1 ? 2 * weight(call) : 0;

		if (thread->location->is_main)
			w++;
		if (w <= most)
			continue;
		most = w;
		rank->thread = thread;
		rank->call = call;
		rank->since = call ? call->since : thread->last;
	}
}

/* Whether a thread of the rank is in a blocking collective of the communicator. */
static bool is_inside(const struct where *where, const struct where_rank *rank, uint32_t comm)
{
	const struct process *p = &where->merge->processes[rank->process];

	for (uint32_t i = 0; i < rank->nthreads; i++)
		for (uint32_t k = 0; k < rank->threads[i].ncalls; k++) {
			const struct where_call *call = &rank->threads[i].calls[k];

			if (is_collective(call->region) && process_comm(p, call->arg) == comm)
				return true;
		}
	return false;
}

uint32_t where_begun(const struct where *where, const struct where_rank *rank, uint32_t comm)
{
	return (rank->parts[comm] ? rank->parts[comm]->n : 0) + is_inside(where, rank, comm);
}

/* Of a rank whose spool is on another node's disk nobody knows whether it has come. */
static int wait_for(const struct where *where, struct where_rank *rank, uint32_t place)
{
	uint32_t *added;

	if (where->merge->is_part && !where_process(where, &where->ranks[place])->spool)
		return 0;

	for (size_t i = 0; i < rank->waits_for.n; i++)
		if (rank->waits_for.at[i] == place)
			return 0;
	added = ARRAY_ADD(&rank->waits_for);
	if (!added)
		return -1;
	*added = place;
	return 0;
}

uint32_t where_member(const struct where *where, uint32_t comm, uint32_t i)
{
	const struct merge_comm *c = &where->merge->comms[comm];
	uint32_t number = i < c->size + c->nremote ? c->ranks[i] : NONE;

	return number < where->merge->nmpi ? where->place[where->merge->mpi_process[number]] : NONE;
}

/*
 * Whether a member comes to collective `number` no more: it has not begun it, or died in it, and
 * then takes no part in what the others still do there.
 */
static bool is_missing(const struct where *where, const struct where_rank *member, uint32_t comm,
	uint32_t number)
{
	uint32_t done = member->parts[comm] ? member->parts[comm]->n : 0;

	return where_begun(where, member, comm) <= number ||
		(done <= number && where_is_gone(where, member, where->end));
}

/* Members that are missing in collective `number`. 0, or -1 without memory. */
static int wait_for_members(struct where *where, struct where_rank *rank, uint32_t comm,
	uint32_t number)
{
	const struct merge_comm *c = &where->merge->comms[comm];

	for (uint32_t i = 0; i < c->size + c->nremote; i++) {
		uint32_t place = where_member(where, comm, i);

		if (place == NONE || &where->ranks[place] == rank)
			continue;
		if (is_missing(where, &where->ranks[place], comm, number) &&
			wait_for(where, rank, place) < 0)
			return -1;
	}
	return 0;
}

static int collective_connect(struct where *where, struct where_rank *rank)
{
	const struct process *p = &where->merge->processes[rank->process];

	rank->comm = process_comm(p, rank->call->arg);
	if (rank->comm == NONE)
		return 0;
	rank->wait = WHERE_COLLECTIVE;
	rank->region = rank->call->region;
	rank->number = where_begun(where, rank, rank->comm) - 1;
	return wait_for_members(where, rank, rank->comm, rank->number);
}

/* A partner of a message; all members where any may send. */
static int partner_connect(struct where *where, struct where_rank *rank, uint32_t comm,
	int32_t peer)
{
	const struct merge_comm *c = comm == NONE ? NULL : &where->merge->comms[comm];
	uint32_t place;

	if (!c || c->nremote || (peer < 0 && peer != SPOOL_RANK_ANY))
		return 0;
	for (uint32_t i = 0; i < c->size; i++) {
		place = where_member(where, comm, i);
		if (place == NONE || &where->ranks[place] == rank)
			continue;
		if ((peer == SPOOL_RANK_ANY || (uint32_t)peer == i) &&
			wait_for(where, rank, place) < 0)
			return -1;
	}
	return 0;
}

static int message_connect(struct where *where, struct where_rank *rank)
{
	const struct process *p = &where->merge->processes[rank->process];

	rank->comm = process_comm(p, rank->call->arg);
	rank->wait = WHERE_MESSAGE;
	rank->region = rank->call->region;
	return rank->call->peer == WHERE_NO_PEER
		? 0
		: partner_connect(where, rank, rank->comm, rank->call->peer);
}

/*
 * In a wait: the first collective in flight that members have not begun, else receives, else sends.
 * Which of its requests a call waits for is not known, so it may be another one.
 */
static int requests_connect(struct where *where, struct where_rank *rank)
{
	static const enum request_kind kinds[] = { REQUEST_COLL, REQUEST_RECV, REQUEST_SEND };

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (size_t i = 0; i < rank->pending.n; i++) {
			const struct where_pending *pending = &rank->pending.at[i];
			int ret;

			if (pending->is_done || pending->kind != kinds[k] || pending->comm == NONE)
				continue;
			ret = kinds[k] == REQUEST_COLL
				? wait_for_members(where, rank, pending->comm, pending->number)
				: partner_connect(where, rank, pending->comm, pending->peer);
			if (ret < 0)
				return -1;
			if (!rank->waits_for.n && kinds[k] != REQUEST_COLL)
				continue;
			if (rank->wait == WHERE_RUNS ||
				(rank->waits_for.n && kinds[k] == REQUEST_COLL)) {
				rank->wait = kinds[k] == REQUEST_COLL ? WHERE_REQUEST
								      : WHERE_MESSAGE;
				rank->comm = pending->comm;
				rank->region = pending->region;
				rank->number = pending->number;
			}
			if (rank->waits_for.n && kinds[k] == REQUEST_COLL)
				return 0;
		}
	return 0;
}

/* Members of NCCL's communicators that have called fewer collectives. */
static int nccl_connect(struct where *where, struct where_rank *rank)
{
	const struct merge *m = where->merge;

	for (uint32_t c = 0; c < m->nnccl_comms; c++)
		for (uint32_t i = 0; m->nccl_comms[c].slots && i < m->nccl_comms[c].size; i++) {
			uint32_t process = m->nccl_comms[c].slots[i].process, place;

			if (process == NONE || (place = where->place[process]) == NONE ||
				&where->ranks[place] == rank ||
				where->ranks[place].nccl[c].n >= rank->nccl[c].n)
				continue;
			if (wait_for(where, rank, place) < 0)
				return -1;
			rank->wait = WHERE_NCCL;
			rank->comm = c;
			if (!rank->number || where->ranks[place].nccl[c].n < rank->number)
				rank->number = where->ranks[place].nccl[c].n;
		}
	return 0;
}

static int rank_connect(struct where *where, struct where_rank *rank)
{
	rank->comm = NONE;
	if (!rank->call)
		return 0;
	switch (region_class(rank->call->region)) {
	case REGION_CLASS_MPI:
	case REGION_CLASS_TORCH:
		if (is_collective(rank->call->region))
			return collective_connect(where, rank);
		if (region_infos[rank->call->region].p2p)
			return message_connect(where, rank);
		return requests_connect(where, rank);
	case REGION_CLASS_CUDA:
	case REGION_CLASS_NCCL: return nccl_connect(where, rank);
	default: return 0;
	}
}

int where_connect(struct where *where)
{
	for (uint32_t i = 0; i < where->nranks; i++) {
		thread_choose(&where->ranks[i]);
		where->end = where->ranks[i].now > where->end ? where->ranks[i].now : where->end;
	}
	for (uint32_t i = 0; i < where->nchildren; i++)
		thread_choose(&where->children[i]);
	for (uint32_t i = 0; i < where->nranks; i++)
		if (rank_connect(where, &where->ranks[i]) < 0)
			return -1;
	return 0;
}
