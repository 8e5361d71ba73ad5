/* clock_sync.c - see merge_sync.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "merge/clock/clock_solve.h"
#include "base/log.h"
#include "base/par.h"
#include "merge/walk/walk_regions.h"
#include "merge/clock/clock_sync.h"

/* over all processes; thinned to every 2nd, 4th… collective */
#define POINTS_IN_ALL 2000000
#define POINTS_LEAST  256 /* of a process */

/*
 * What is sure of a call: others cannot leave before it was entered, it cannot end before others
 * entered, both.
 */
enum gate { GATE_NONE, GATE_ENTER, GATE_LEAVE, GATE_BOTH }; /* bits */

static enum gate gate_of(const struct merge *m, uint32_t comm, uint32_t region, uint64_t sent,
	uint64_t received)
{
	if (m->comms[comm].kind == COMM_INTER)
		return GATE_NONE;
	switch (region_infos[region].collective) {
	case OTF2_COLLECTIVE_OP_BARRIER: return GATE_BOTH;
	case OTF2_COLLECTIVE_OP_ALLREDUCE:
	case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
	case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
	case OTF2_COLLECTIVE_OP_ALLGATHER:
	case OTF2_COLLECTIVE_OP_ALLGATHERV:
	case OTF2_COLLECTIVE_OP_ALLTOALL:
	case OTF2_COLLECTIVE_OP_BCAST: /* only the root sends */
	case OTF2_COLLECTIVE_OP_SCATTER:
	case OTF2_COLLECTIVE_OP_SCATTERV:
	case OTF2_COLLECTIVE_OP_REDUCE: /* only the root receives */
	case OTF2_COLLECTIVE_OP_GATHER:
	case OTF2_COLLECTIVE_OP_GATHERV:
		/* without any bytes, nobody waits */
		return (sent ? GATE_ENTER : GATE_NONE) | (received ? GATE_LEAVE : GATE_NONE);
	default: /* of MPI_Alltoallv nobody knows who sends to whom */ return GATE_NONE;
	}
}

/* Keeps every other one of the points, by a rule that is the same on all processes. */
static void points_thin(struct process *p)
{
	uint32_t n = 0;

	p->sync_stride = 2 * p->sync_stride;
	for (uint32_t i = 0; i < p->syncs.n; i++)
		if (p->syncs.at[i].key.seq % p->sync_stride == 0)
			p->syncs.at[n++] = p->syncs.at[i];
	p->syncs.n = n;
}

static uint32_t points_most(const struct merge *m)
{
	uint32_t most = POINTS_IN_ALL / m->nprocesses;

	return most > POINTS_LEAST ? most : POINTS_LEAST;
}

static int point_add(struct merge *m, struct process *p, struct sync_point point)
{
	if (!p->sync_stride)
		p->sync_stride = 1;
	if (point.key.seq % p->sync_stride)
		return 0;
	if (p->syncs.n >= points_most(m))
		points_thin(p);
	if (!spool_table_reserve((void **)&p->syncs.at, &p->nsyncs_room, p->syncs.n,
		    sizeof(*p->syncs.at)))
		return -1;
	p->syncs.at[p->syncs.n++] = point;
	return 0;
}

/*
 * Non-blocking and persistent ones: nobody's are complete before all were posted, whatever others
 * did between. They are counted apart: key.tag is 1, or 1 + which persistent one it is.
 */
static int requests_add(struct merge *m, struct process *p, const struct group *g,
	const struct entry *e)
{
	for (uint32_t i = 0; i < e->nrequests; i++) {
		const struct walk_request *r = &g->requests[e->first_request + i];
		bool completes = entry_completes(e);
		uint32_t comm = r->kind == REQUEST_COLL ? process_comm(p, r->handle) : NONE;
		uint32_t seq = r->place ? (uint32_t)r->place : r->seq;
		uint32_t which = 1 + (uint32_t)(r->place >> 32);
		struct sync_point point = { { comm, NONE, NONE, which, seq },
			completes ? 0 : r->start, completes ? e->end : UINT64_MAX };

		if (comm == NONE ||
			!(gate_of(m, comm, r->region, r->sent, r->received) &
				(completes ? GATE_LEAVE : GATE_ENTER)))
			continue;
		if (point_add(m, p, point) < 0)
			return -1;
	}
	return 0;
}

static bool is_blocking(const struct entry *e)
{
	return e->type == SPOOL_COLL || (e->type == SPOOL_COLL_FULL && e->rec[5] >> 32 == 0);
}

int sync_add(struct merge *m, struct process *p, const struct group *g, const struct entry *e)
{
	uint32_t comm, seq;
	enum gate gate;

	if (m->nnodes < 2 || e->is_truncated)
		return 0;
	if (e->nrequests)
		return requests_add(m, p, g, e);
	if (!is_blocking(e))
		return 0;
	comm = process_comm(p, spool_a(e->rec[0]));
	if (comm == NONE)
		return 0;
	if (!p->sync_seq)
		p->sync_seq = calloc(m->ncomms, sizeof(*p->sync_seq));
	if (!p->sync_seq) {
		log_error("out of memory");
		return -1;
	}
	seq = p->sync_seq[comm]++;
	gate = gate_of(m, comm, e->region, e->rec[3],
		e->type == SPOOL_COLL_FULL ? e->rec[4] : e->rec[3]);
	if (gate == GATE_NONE)
		return 0;
	return point_add(m, p,
		(struct sync_point){ { comm, NONE, NONE, 0, seq }, gate & GATE_ENTER ? e->start : 0,
			gate & GATE_LEAVE ? e->end : UINT64_MAX });
}

int sync_message(struct merge *m, struct process *p, const struct entry *e,
	const struct message_end *message, uint64_t seq)
{
	const struct merge_channel *c = &message->channel;
	struct sync_event_key key = { c->comm, c->source, c->dest, c->tag, (uint32_t)seq };

	if (m->nnodes < 2 || e->is_truncated)
		return 0;
	if (message->is_send)
		return point_add(m, p, (struct sync_point){ key, e->start, UINT64_MAX });
	return point_add(m, p, (struct sync_point){ key, 0, e->end });
}

int sync_point(struct merge *m, struct process *p, struct sync_event_key key, uint64_t enter,
	uint64_t leave)
{
	return point_add(m, p, (struct sync_point){ key, enter, leave });
}

/* Communicators of NCCL have numbers apart: their hash, folded, after all of MPI's. */
int sync_operation(struct merge *m, struct process *p, uint64_t comm_hash, uint32_t seq,
	uint64_t start, uint64_t end)
{
	uint32_t comm = (uint32_t)(comm_hash ^ comm_hash >> 32) | 0x80000000u;

	if (m->nnodes < 2 || comm == NONE)
		return 0;
	return point_add(m, p, (struct sync_point){ { comm, NONE, NONE, 0, seq }, start, end });
}

/* The points that this process has as parts in sync_events, `base` subtracted: a double holds the rest exactly. */
static struct clock_part *parts_read(const struct merge *m, int64_t base, uint32_t *n)
{
	struct clock_part *all;
	size_t room = 1;

	for (uint32_t i = 0; i < m->nprocesses; i++)
		room += m->processes[i].syncs.n;
	all = room < UINT32_MAX ? malloc(room * sizeof(*all)) : NULL;
	*n = 0;
	for (uint32_t i = 0; all && i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];
		const struct clock *clock = &m->nodes[p->node].clock;
		int hint = 0;

		for (uint32_t k = 0; k < p->syncs.n; k++) {
			const struct sync_point *point = &p->syncs.at[k];
			struct clock_part *part = &all[(*n)++];

			*part = (struct clock_part){ point->key, p->node, -INFINITY, INFINITY };
			if (point->enter)
				part->enter = (double)(clock_ns(clock, point->enter, &hint) - base);
			if (point->leave != UINT64_MAX)
				part->leave = (double)(clock_ns(clock, point->leave, &hint) - base);
		}
	}
	return all;
}

/* Rank 0 gets the parts of all, which are too many to be told to everybody, and shows what follows from them. */
static double solve_together(const struct merge *m, const struct clock_part *parts, uint32_t n,
	struct clock_tie *ties)
{
	struct clock_tie *told = NULL;
	char *all = NULL, *worst = NULL;
	size_t bytes, *sizes = NULL, *ignored = NULL;
	double own = -1;

	if (par_any_failed(!parts || !ties) ||
		par_collect(parts, n * sizeof(*parts), &all, &bytes) < 0)
		return -1;
	if (par_rank() == 0)
		own = clock_solve((struct clock_part *)(void *)all,
			(uint32_t)(bytes / sizeof(*parts)), ties, m->nnodes);
	free(all);
	if (par_allgather(&own, sizeof(own), &worst, &ignored) < 0)
		return -1;
	memcpy(&own, worst, sizeof(own));
	free(worst);
	free(ignored);
	if (par_allgather(ties, par_rank() ? 0 : m->nnodes * sizeof(*ties), (char **)&told,
		    &sizes) < 0)
		return -1;
	memcpy(ties, told, m->nnodes * sizeof(*ties));
	free(told);
	free(sizes);
	return own;
}

int merge_sync(struct merge *m)
{
	struct clock_tie *ties;
	struct clock_part *parts;
	int64_t base = m->nodes[0].clock.piece[0].ns;
	double worst = -1;
	uint32_t n;

	for (uint32_t i = 0; i < m->nnodes; i++)
		m->nodes[i].clock_residual_ns = -1;
	if (m->nnodes < 2)
		return 0;
	parts = parts_read(m, base, &n);
	ties = calloc(m->nnodes, sizeof(*ties));
	if (par_size() > 1)
		worst = solve_together(m, parts, n, ties);
	else if (parts && ties)
		worst = clock_solve(parts, n, ties, m->nnodes);
	for (uint32_t i = 0; worst >= 0 && i < m->nnodes; i++) {
		if (!ties[i].is_tied)
			continue;
		clock_bend(&m->nodes[i].clock, base, &ties[i].quad);
		m->nodes[i].clock_residual_ns = (int64_t)ceil(ties[i].residual + worst);
	}
	free(parts);
	free(ties);
	if (worst < 0 && !par_is_lost())
		log_error("out of memory");
	return worst < 0 ? -1 : 0;
}
