/* merge_sync.c - see merge_sync.h. */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock_offset.h"
#include "log.h"
#include "merge_regions.h"
#include "merge_sync.h"

/* over all processes; thinned to every 2nd, 4th… collective */
#define POINTS_IN_ALL	2000000
#define POINTS_LEAST	256		/* of a process */
#define SWEEPS_MOST	10		/* two or three are the rule */

/*
 * What is sure of a call: others cannot leave before it was entered, it cannot end before others
 * entered, both.
 */
enum gate { GATE_NONE, GATE_ENTER, GATE_LEAVE, GATE_BOTH };

static enum gate gate_of(const struct merge *m, uint32_t comm, const struct entry *e)
{
	uint64_t sent = e->rec[3], received = e->type == SPOOL_COLL_FULL ? e->rec[4] : sent;

	if (e->is_cut || m->comms[comm].kind == COMM_INTER)
		return GATE_NONE;
	switch (e->region) {
	case REGION_MPI_Barrier:
		return GATE_BOTH;
	case REGION_MPI_Allreduce:
	case REGION_MPI_Allgather:
	case REGION_MPI_Alltoall:
		return sent ? GATE_BOTH : GATE_NONE;	/* without any bytes, nobody waits */
	case REGION_MPI_Bcast:
	case REGION_MPI_Scatter:			/* only the root sends */
		return sent ? GATE_ENTER : received ? GATE_LEAVE : GATE_NONE;
	case REGION_MPI_Reduce:
	case REGION_MPI_Gather:				/* only the root receives */
		return received ? GATE_LEAVE : sent ? GATE_ENTER : GATE_NONE;
	default:
		return GATE_NONE;
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

int sync_add(struct merge *m, struct process *p, const struct entry *e)
{
	uint32_t comm, seq;
	enum gate gate;

	if (m->nnodes < 2 || (e->type != SPOOL_COLL && e->type != SPOOL_COLL_FULL))
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
	gate = gate_of(m, comm, e);
	if (gate == GATE_NONE)
		return 0;
	return point_add(m, p, (struct sync_point){ { comm, NONE, NONE, 0, seq },
						    gate & GATE_ENTER ? e->start : 0,
						    gate & GATE_LEAVE ? e->end : UINT64_MAX });
}

int sync_message(struct merge *m, struct process *p, const struct entry *e,
		 const struct message *message, uint64_t seq)
{
	const struct channel *c = &message->channel;
	struct sync_key key = { c->comm, c->source, c->dest, c->tag, (uint32_t)seq };

	if (m->nnodes < 2 || e->is_cut)
		return 0;
	if (message->is_send)
		return point_add(m, p, (struct sync_point){ key, e->start, UINT64_MAX });
	return point_add(m, p, (struct sync_point){ key, 0, e->end });
}

/* Communicators of NCCL have numbers apart: their hash, folded, behind all of MPI's. */
int sync_operation(struct merge *m, struct process *p, uint64_t comm_hash, uint32_t seq,
		uint64_t start, uint64_t end)
{
	uint32_t comm = (uint32_t)(comm_hash ^ comm_hash >> 32) | 0x80000000u;

	if (m->nnodes < 2 || comm == NONE)
		return 0;
	return point_add(m, p, (struct sync_point){ { comm, NONE, NONE, 0, seq }, start, end });
}

/*
 * What a node did in one collective: its last entry and its first exit, in ns
 * since the base. Of a message: when it was sent, or when it had come.
 */
struct meeting {
	struct sync_key key;
	uint32_t node;
	double enter, leave;	/* -INFINITY, INFINITY: it has none */
};

struct meetings {
	struct meeting *at;
	size_t n;
	int64_t base;		/* subtracted from all times: a double holds the rest exactly */
};

static int compare_meetings(const void *a, const void *b)
{
	const struct meeting *x = a, *y = b;
	int order = memcmp(&x->key, &y->key, sizeof(x->key));

	return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* Puts the ranks of a node in one collective together. */
static void meetings_fold(struct meetings *all)
{
	size_t n = 0;

	qsort(all->at, all->n, sizeof(*all->at), compare_meetings);
	for (size_t i = 0; i < all->n; i++) {
		struct meeting *last = n ? &all->at[n - 1] : NULL;

		if (!last || compare_meetings(last, &all->at[i]) != 0) {
			all->at[n++] = all->at[i];
			continue;
		}
		if (all->at[i].enter > last->enter)
			last->enter = all->at[i].enter;
		if (all->at[i].leave < last->leave)
			last->leave = all->at[i].leave;
	}
	all->n = n;
}

static int meetings_read(const struct merge *m, struct meetings *all)
{
	size_t n = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++)
		n += m->processes[i].syncs.n;
	all->at = malloc((n + 1) * sizeof(*all->at));
	if (!all->at) {
		log_error("out of memory");
		return -1;
	}
	all->base = m->nodes[0].clock.piece[0].ns;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];
		const struct clock *clock = &m->nodes[p->node].clock;
		int hint = 0;

		for (uint32_t k = 0; k < p->syncs.n; k++) {
			const struct sync_point *point = &p->syncs.at[k];
			struct meeting *meeting = &all->at[all->n++];

			*meeting = (struct meeting){ point->key, p->node, -INFINITY, INFINITY };
			if (point->enter)
				meeting->enter = (double)(clock_ns(clock, point->enter, &hint) -
							  all->base);
			if (point->leave != UINT64_MAX)
				meeting->leave = (double)(clock_ns(clock, point->leave, &hint) -
							  all->base);
		}
	}
	meetings_fold(all);
	return 0;
}

/*
 * The correction of a node. Nodes are tied in rounds: first those that share
 * collectives with node 0, then those that share some with these, and so on;
 * a node is tied only to nodes of earlier rounds, whose error it inherits.
 * What nodes of one round say about each other is heard afterwards, when all
 * are settled between all others.
 */
struct tie {
	unsigned round;		/* 0: not tied yet */
	struct clock_offset offset, first;	/* first: before it was settled */
	double error;		/* of `first` against node 0 */
	double moved;		/* from `first` */
};

#define EVERY_ROUND UINT_MAX

/* What the nodes are tied by, and room for the bounds of one of them. */
struct knot {
	struct meetings all;
	struct tie *ties;
	struct clock_bound *bounds;
	uint32_t nnodes;
};

static double corrected(const struct tie *tie, double ns)
{
	return isinf(ns) ? ns : ns + clock_offset_at(&tie->offset, ns);
}

/* What else is to be known of those that a node is fitted to. */
struct others {
	double error;		/* the largest of theirs */
	bool disagree;		/* their corrections leave no room between them */
};

/*
 * The bounds that one collective or message [from, to) sets to `node` against those tied before
 * `round`.
 */
static bool bound_of(const struct meeting *from, const struct meeting *to, const struct tie *ties,
		     uint32_t node, unsigned round, struct clock_bound *bound,
		     struct others *others)
{
	double enter = -INFINITY, leave = INFINITY;
	const struct meeting *own = NULL;

	for (const struct meeting *at = from; at < to; at++) {
		if (at->node == node) {
			own = at;
			continue;
		}
		if (!ties[at->node].round || ties[at->node].round >= round)
			continue;
		others->error = fmax(others->error, ties[at->node].error);
		enter = fmax(enter, corrected(&ties[at->node], at->enter));
		leave = fmin(leave, corrected(&ties[at->node], at->leave));
	}
	if (!own)
		return false;
	bound->at = isinf(own->enter) ? own->leave : own->enter;
	bound->low = enter - own->leave;
	bound->high = leave - own->enter;
	others->disagree |= bound->low > bound->high;
	return (isfinite(bound->low) || isfinite(bound->high)) && bound->low <= bound->high;
}

/* All bounds of a node. Returns how many they are. */
static size_t bounds_of(const struct knot *knot, uint32_t node, unsigned round,
			struct others *others)
{
	const struct meeting *at = knot->all.at;
	size_t n = 0;

	for (size_t i = 0, end; i < knot->all.n; i = end) {
		for (end = i + 1; end < knot->all.n &&
		     memcmp(&at[end].key, &at[i].key, sizeof(at[i].key)) == 0; end++)
			;
		n += bound_of(&at[i], &at[end], knot->ties, node, round, &knot->bounds[n], others);
	}
	return n;
}

/* One round over all nodes that are not tied yet. Returns how many it tied. */
static int round_tie(const struct knot *knot, unsigned round)
{
	int count = 0;

	for (uint32_t i = 0; i < knot->nnodes; i++) {
		struct tie *tie = &knot->ties[i];
		struct others others = { 0 };
		size_t n = tie->round ? 0 : bounds_of(knot, i, round, &others);

		if (n == 0 || clock_offset_fit(knot->bounds, n, &tie->offset) < 0)
			continue;
		tie->round = round;
		tie->first = tie->offset;
		tie->error = others.error + tie->offset.error + tie->offset.violation;
		count++;
	}
	return count;
}

/* Largest distance of two corrections over the time of n bounds, ns. */
static double distance(const struct clock_offset *a, const struct clock_offset *b,
		       const struct clock_bound *bounds, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(clock_offset_at(a, bounds[i].at) -
				       clock_offset_at(b, bounds[i].at)));
	return most;
}

/*
 * Fits every node but the first again, between all others where they are now. Returns whether no
 * bound was missed.
 */
static bool sweep(const struct knot *knot)
{
	bool is_settled = true;

	for (uint32_t i = 1; i < knot->nnodes; i++) {
		struct tie *tie = &knot->ties[i];
		struct clock_offset fit;
		struct others others = { 0 };
		size_t n = tie->round ? bounds_of(knot, i, EVERY_ROUND, &others) : 0;

		if (n == 0 || clock_offset_fit(knot->bounds, n, &fit) < 0)
			continue;
		tie->offset = fit;
		tie->moved = distance(&tie->first, &fit, knot->bounds, n);
		is_settled &= fit.violation == 0 && !others.disagree;
	}
	return is_settled;
}

static void knot_tie(const struct knot *knot)
{
	unsigned round = 1;

	knot->ties[0].round = round;
	while (round_tie(knot, ++round) > 0)
		;
	for (int i = 0; i < SWEEPS_MOST && !sweep(knot); i++)
		;
}

int merge_sync(struct merge *m)
{
	struct knot knot = { .nnodes = m->nnodes };
	int ret = -1;

	for (uint32_t i = 0; i < m->nnodes; i++)
		m->nodes[i].clock_residual_ns = -1;
	if (m->nnodes < 2)
		return 0;
	if (meetings_read(m, &knot.all) < 0)
		return -1;
	knot.ties = calloc(m->nnodes, sizeof(*knot.ties));
	knot.bounds = malloc((knot.all.n + 1) * sizeof(*knot.bounds));
	if (!knot.ties || !knot.bounds) {
		log_error("out of memory");
		goto out;
	}
	knot_tie(&knot);
	for (uint32_t i = 0; i < m->nnodes; i++) {
		const struct tie *tie = &knot.ties[i];

		if (!tie->round)
			continue;
		clock_bend(&m->nodes[i].clock, knot.all.base, &tie->offset);
		m->nodes[i].clock_residual_ns = (int64_t)ceil(tie->error + tie->moved);
	}
	ret = 0;
out:
	free(knot.all.at);
	free(knot.bounds);
	free(knot.ties);
	return ret;
}
