/* merge_sync.c - see merge_sync.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock_offset.h"
#include "log.h"
#include "merge_regions.h"
#include "merge_sync.h"

#define POINTS_IN_ALL	2000000		/* over all processes; thinned to every 2nd, 4th… collective */
#define POINTS_LEAST	256		/* of a process */

/* Whether it is sure that all members of the communicator waited for all in it. */
static bool synchronises(const struct merge *m, uint32_t comm, const struct entry *e)
{
	if (e->is_cut || m->comms[comm].kind == COMM_INTER)
		return false;
	switch (e->region) {
	case REGION_MPI_Barrier:
		return true;
	case REGION_MPI_Allreduce:
	case REGION_MPI_Allgather:
	case REGION_MPI_Alltoall:
		return e->rec[3] > 0;		/* bytes: without any, nobody waits */
	default:
		return false;
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
	if (!spool_table_reserve((void **)&p->syncs.at, &p->nsyncs_room, p->syncs.n, sizeof(*p->syncs.at)))
		return -1;
	p->syncs.at[p->syncs.n++] = point;
	return 0;
}

int sync_add(struct merge *m, struct process *p, const struct entry *e)
{
	uint32_t comm, seq;

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
	if (!synchronises(m, comm, e))
		return 0;
	return point_add(m, p, (struct sync_point){ { comm, NONE, NONE, 0, seq }, e->start, e->end });
}

int sync_message(struct merge *m, struct process *p, const struct entry *e, const struct message *message, uint64_t seq)
{
	const struct channel *c = &message->channel;
	struct sync_key key = { c->comm, c->source, c->dest, c->tag, (uint32_t)seq };

	if (m->nnodes < 2 || e->is_cut)
		return 0;
	if (message->is_send)
		return point_add(m, p, (struct sync_point){ key, e->start, UINT64_MAX });
	return point_add(m, p, (struct sync_point){ key, 0, e->end });
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
				meeting->enter = (double)(clock_ns(clock, point->enter, &hint) - all->base);
			if (point->leave != UINT64_MAX)
				meeting->leave = (double)(clock_ns(clock, point->leave, &hint) - all->base);
		}
	}
	meetings_fold(all);
	return 0;
}

/*
 * The correction of a node. Nodes are tied in rounds: first those that share
 * collectives with node 0, then those that share some with these, and so on;
 * a node is tied only to nodes of earlier rounds, whose error it inherits.
 */
struct tie {
	unsigned round;		/* 0: not tied yet */
	struct clock_offset offset;
	double error;		/* against node 0 */
};

static double corrected(const struct tie *tie, double ns)
{
	return isinf(ns) ? ns : ns + clock_offset_at(&tie->offset, ns);
}

/* The bounds that one collective or message [from, to) sets to `node` against the nodes tied before `round`. */
static bool bound_of(const struct meeting *from, const struct meeting *to, struct tie *ties, uint32_t node,
		     unsigned round, struct clock_bound *bound)
{
	double enter = -INFINITY, leave = INFINITY;
	const struct meeting *own = NULL;

	for (const struct meeting *at = from; at < to; at++) {
		if (at->node == node)
			own = at;
		if (!ties[at->node].round || ties[at->node].round >= round)
			continue;
		ties[node].error = fmax(ties[node].error, ties[at->node].error);
		enter = fmax(enter, corrected(&ties[at->node], at->enter));
		leave = fmin(leave, corrected(&ties[at->node], at->leave));
	}
	if (!own)
		return false;
	bound->at = isinf(own->enter) ? own->leave : own->enter;
	bound->low = enter - own->leave;
	bound->high = leave - own->enter;
	return (isfinite(bound->low) || isfinite(bound->high)) && bound->low <= bound->high;
}

/* Ties `node` to those of earlier rounds. Returns 1 when it could, 0 when nothing ties it, -1 without memory. */
static int node_tie(const struct meetings *all, struct tie *ties, uint32_t node, unsigned round)
{
	struct clock_bound *bounds = malloc((all->n + 1) * sizeof(*bounds));
	struct tie *tie = &ties[node];
	size_t n = 0;

	if (!bounds) {
		log_error("out of memory");
		return -1;
	}
	for (size_t i = 0, end; i < all->n; i = end) {
		for (end = i + 1; end < all->n &&
		     memcmp(&all->at[end].key, &all->at[i].key, sizeof(all->at[i].key)) == 0; end++)
			;
		n += bound_of(&all->at[i], &all->at[end], ties, node, round, &bounds[n]);
	}
	if (clock_offset_fit(bounds, n, &tie->offset) == 0) {
		tie->round = round;
		tie->error += tie->offset.error + tie->offset.violation;
	}
	free(bounds);
	return tie->round > 0;
}

/* One round over all nodes that are not tied yet. Returns how many it tied, -1 without memory. */
static int round_tie(const struct meetings *all, struct tie *ties, uint32_t nnodes, unsigned round)
{
	int count = 0;

	for (uint32_t i = 0; i < nnodes; i++) {
		int tied = ties[i].round ? 0 : node_tie(all, ties, i, round);

		if (tied < 0)
			return -1;
		count += tied;
	}
	return count;
}

int merge_sync(struct merge *m)
{
	struct meetings all = { 0 };
	struct tie *ties;
	unsigned round = 1;
	int tied = -1;

	for (uint32_t i = 0; i < m->nnodes; i++)
		m->nodes[i].clock_residual_ns = -1;
	if (m->nnodes < 2)
		return 0;
	ties = calloc(m->nnodes, sizeof(*ties));
	if (ties && meetings_read(m, &all) == 0) {
		ties[0].round = round;
		do
			tied = round_tie(&all, ties, m->nnodes, ++round);
		while (tied > 0);
	}
	for (uint32_t i = 0; tied == 0 && i < m->nnodes; i++) {
		if (!ties[i].round)
			continue;
		clock_bend(&m->nodes[i].clock, all.base, &ties[i].offset);
		m->nodes[i].clock_residual_ns = (int64_t)ceil(ties[i].error);
	}
	free(all.at);
	free(ties);
	return tied;
}
