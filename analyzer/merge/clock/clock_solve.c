/* clock_solve.c - see clock_graph.h. */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "merge/clock/clock_solve.h"
#include "merge/clock/clock_sort.h"

#define SWEEPS_MOST 10	/* two or three are the rule */
#define PASSES	    20	/* over sync_events in the wrong order, between those over all */
#define STALE_MOST  4	/* passes over all that make nothing better by a tenth */
#define VISITS_MOST 1e9 /* of parts in sync_events, in all passes: seconds */
/* A cause is kept this far before its effect: times are rounded to whole ns. */
#define MARGIN_NS   2
#define EVERY_ROUND UINT_MAX

/*
 * A node. Nodes are tied in rounds: first those that share sync_events with node 0, then those that
 * share some with these, and so on; a node is tied only to nodes of earlier rounds, whose error it
 * inherits. What nodes of one round say about each other is heard afterwards, when all are settled
 * between all others. Those that such nodes say only one thing of, to be early or to be late
 * enough, are tied where a chain of others says the other one: messages may go round a ring.
 */
struct strand {
	unsigned round; /* 0: not tied yet */
	struct chain {
		unsigned links; /* to nodes that are tied; 0: none leads there */
		size_t n;
	} chain[2]; /* that bound it from below, from above */
	struct clock_quad quad;
	struct clock_offset first; /* as it was tied, before it was settled */
	double error;		   /* of `first` against node 0, ns */
	double from, to;	   /* its first and its last sync_event, on its own clock */
};

/*
 * The parts of nodes in sync_events, sync_event by sync_event: those of sync_event k are part[first[k]] up to
 * part[first[k + 1]]. Node i takes part in sync_event[begin[i]] up to sync_event[begin[i + 1]].
 */
struct graph {
	struct clock_part *part;
	uint32_t nparts, nsync_events, nnodes;
	uint32_t *first, *begin, *sync_event;
	uint32_t *late, nlate; /* sync_events that were in the wrong order when all were seen */
	struct strand *strands;
	struct clock_bound *bounds;   /* room for those of one node */
	struct clock_bound *chain[2]; /* by chains; those of node i from begin[i] on */
};

/* Puts the ranks of a node in one sync_event together: the last entry, the first exit. */
static void fold_nodes(struct graph *graph)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < graph->nparts; i++) {
		const struct clock_part *part = &graph->part[i];
		struct clock_part *last = n ? &graph->part[n - 1] : NULL;

		if (!last || clock_parts_compare(last, part) != 0) {
			graph->part[n++] = *part;
			continue;
		}
		last->enter = fmax(last->enter, part->enter);
		last->leave = fmin(last->leave, part->leave);
	}
	graph->nparts = n;
}

/* Finds where sync_events begin, and drops those within one node: they say nothing of others. */
static void find_sync_events(struct graph *graph)
{
	struct clock_part *part = graph->part;
	uint32_t n = 0;

	for (uint32_t i = 0, end; i < graph->nparts; i = end) {
		for (end = i + 1; end < graph->nparts &&
			memcmp(&part[end].key, &part[i].key, sizeof(part->key)) == 0;
			end++)
			;
		if (end - i < 2)
			continue;
		memmove(&part[n], &part[i], (end - i) * sizeof(*part));
		graph->first[graph->nsync_events++] = n;
		n += end - i;
	}
	graph->first[graph->nsync_events] = n;
	graph->nparts = n;
}

/* Lists the sync_events of each node. */
static void find_nodes(struct graph *graph)
{
	for (uint32_t i = 0; i < graph->nparts; i++)
		graph->begin[graph->part[i].node + 1]++;
	for (uint32_t i = 0; i < graph->nnodes; i++)
		graph->begin[i + 1] += graph->begin[i];
	for (uint32_t k = 0; k < graph->nsync_events; k++)
		for (uint32_t i = graph->first[k]; i < graph->first[k + 1]; i++)
			graph->sync_event[graph->begin[graph->part[i].node]++] = k;
	for (uint32_t i = graph->nnodes; i > 0; i--) /* each has come to the next one's */
		graph->begin[i] = graph->begin[i - 1];
	graph->begin[0] = 0;
}

/* As fmax and fmin, of numbers only: those are calls. */
static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double corrected(const struct strand *strand, double ns)
{
	return isinf(ns) ? ns : ns + clock_quad_at(&strand->quad, ns);
}

/* What else is to be known of those that a node is fitted to. */
struct others {
	double error; /* the largest of theirs */
	double gap;   /* by which their corrections leave no room between them */
};

/*
 * The bounds that sync_event k sets to `node` against those tied before `round`: as it left, and as it
 * entered. Returns how many.
 */
static size_t bounds_of_sync_event(const struct graph *graph, uint32_t k, uint32_t node,
	unsigned round, struct clock_bound *bounds, struct others *others)
{
	double enter = -INFINITY, leave = INFINITY;
	const struct clock_part *own = NULL;
	size_t n = 0;

	for (uint32_t i = graph->first[k]; i < graph->first[k + 1]; i++) {
		const struct clock_part *part = &graph->part[i];
		const struct strand *strand = &graph->strands[part->node];

		if (part->node == node) {
			own = part;
			continue;
		}
		if (!strand->round || strand->round >= round)
			continue;
		others->error = larger(others->error, strand->error);
		enter = larger(enter, corrected(strand, part->enter));
		leave = smaller(leave, corrected(strand, part->leave));
	}
	if (leave - own->enter < enter - own->leave) {
		others->gap = larger(others->gap, enter - own->leave - (leave - own->enter));
		return 0;
	}
	if (isfinite(enter) && isfinite(own->leave))
		bounds[n++] = (struct clock_bound){ own->leave, enter - own->leave, INFINITY };
	if (isfinite(leave) && isfinite(own->enter))
		bounds[n++] = (struct clock_bound){ own->enter, -INFINITY, leave - own->enter };
	return n;
}

/* All bounds of a node. Returns how many they are. */
static size_t bounds_of(const struct graph *graph, uint32_t node, unsigned round,
	struct others *others)
{
	size_t n = 0;

	for (uint32_t i = graph->begin[node]; i < graph->begin[node + 1]; i++)
		n += bounds_of_sync_event(graph, graph->sync_event[i], node, round,
			&graph->bounds[n], others);
	return n;
}

/* Lays the quad of each node over the time in which it met others. */
static void quads_lay(const struct graph *graph)
{
	struct strand *strand = graph->strands, *end = strand + graph->nnodes;

	for (; strand < end; strand++) {
		strand->from = INFINITY;
		strand->to = -INFINITY;
	}
	for (uint32_t i = 0; i < graph->nparts; i++) {
		const struct clock_part *part = &graph->part[i];

		strand = &graph->strands[part->node];
		strand->from = fmin(strand->from, isinf(part->enter) ? part->leave : part->enter);
		strand->to = fmax(strand->to, isinf(part->leave) ? part->enter : part->leave);
	}
	for (strand = graph->strands; strand < end; strand++)
		clock_quad_lay(&strand->quad, strand->from, strand->to);
}

/* One round over all nodes that are not tied yet. Returns how many it tied. */
static int round_tie(const struct graph *graph, unsigned round)
{
	int count = 0;

	for (uint32_t i = 0; i < graph->nnodes; i++) {
		struct strand *strand = &graph->strands[i];
		struct others others = { 0 };
		size_t n = strand->round ? 0 : bounds_of(graph, i, round, &others);

		if (n == 0 || clock_offset_fit(graph->bounds, n, &strand->first) < 0)
			continue;
		strand->round = round;
		clock_quad_set(&strand->quad, &strand->first);
		strand->error = others.error + strand->first.error + strand->first.violation;
		count++;
	}
	return count;
}

/* What is known of a time of node i, on the axis of node 0: it is later than that, or earlier. */
static double chain_ns(const struct graph *graph, uint32_t i, double ns, bool above)
{
	const struct strand *strand = &graph->strands[i];
	struct clock_bound bound;

	if (strand->round)
		return corrected(strand, ns) + (above ? strand->error : -strand->error);
	bound = clock_bounds_at(graph->chain[above] + graph->begin[i], strand->chain[above].n, ns);
	return ns + (above ? bound.high : bound.low);
}

/*
 * What sync_event k says to `node` by nodes that are tied, or at the end of chains of less than
 * `links`: causes of these bound it from below as it leaves, effects from above as it enters.
 */
static bool chain_bound(const struct graph *graph, uint32_t k, uint32_t node, bool above,
	unsigned links, struct clock_bound *bound)
{
	double own = INFINITY, best = above ? INFINITY : -INFINITY;

	for (uint32_t i = graph->first[k]; i < graph->first[k + 1]; i++) {
		const struct clock_part *part = &graph->part[i];
		const struct strand *strand = &graph->strands[part->node];
		double ns = above ? part->leave : part->enter;

		if (part->node == node) {
			own = above ? part->enter : part->leave;
		} else if (isfinite(ns) &&
			(strand->round ||
				(strand->chain[above].links &&
					strand->chain[above].links < links))) {
			ns = chain_ns(graph, part->node, ns, above);
			best = above ? smaller(best, ns) : larger(best, ns);
		}
	}
	*bound = (struct clock_bound){ own, above ? -INFINITY : best - own,
		above ? best - own : INFINITY };
	return isfinite(own) && isfinite(best);
}

/* Makes chains longer by one link. False: there are no more nodes that they could lead to. */
static bool chains_grow(const struct graph *graph, bool above, unsigned links)
{
	bool any = false;

	for (uint32_t i = 0; i < graph->nnodes; i++) {
		struct chain *chain = &graph->strands[i].chain[above];
		struct clock_bound *bounds = graph->chain[above] + graph->begin[i];

		if (graph->strands[i].round || chain->links)
			continue;
		for (uint32_t k = graph->begin[i]; k < graph->begin[i + 1]; k++)
			chain->n += chain_bound(graph, graph->sync_event[k], i, above, links,
				&bounds[chain->n]);
		if (!chain->n)
			continue;
		clock_bounds_tighten(bounds, chain->n);
		chain->links = links;
		any = true;
	}
	return any;
}

/* Ties nodes that chains bound from both sides. Returns how many. */
static int chains_tie(const struct graph *graph, unsigned round)
{
	int count = 0;

	for (int above = 0; above < 2; above++) {
		for (uint32_t i = 0; i < graph->nnodes; i++)
			graph->strands[i].chain[above] = (struct chain){ 0 };
		for (unsigned links = 1; chains_grow(graph, above, links); links++)
			;
	}
	for (uint32_t i = 0; i < graph->nnodes; i++) {
		struct strand *strand = &graph->strands[i];
		size_t n = 0;

		if (strand->round || !strand->chain[0].n || !strand->chain[1].n)
			continue;
		for (int above = 0; above < 2; n += strand->chain[above++].n)
			memcpy(graph->bounds + n, graph->chain[above] + graph->begin[i],
				strand->chain[above].n * sizeof(*graph->bounds));
		if (clock_offset_fit(graph->bounds, n, &strand->first) < 0)
			continue;
		strand->round = round;
		clock_quad_set(&strand->quad, &strand->first);
		strand->error = strand->first.error + strand->first.violation;
		count++;
	}
	return count;
}

/*
 * Fits every node but the first again, between all others where they are now. Returns by how much
 * the worst bound was missed, or by which others left no room between them, ns.
 */
static double sweep(const struct graph *graph)
{
	double missed = 0;

	for (uint32_t i = 1; i < graph->nnodes; i++) {
		struct strand *strand = &graph->strands[i];
		struct clock_offset fit;
		struct others others = { 0 };
		size_t n = strand->round ? bounds_of(graph, i, EVERY_ROUND, &others) : 0;

		if (n == 0 || clock_offset_fit(graph->bounds, n, &fit) < 0)
			continue;
		clock_quad_set(&strand->quad, &fit);
		missed = fmax(missed, fmax(others.gap, fit.violation));
	}
	return missed;
}

static void tie_lines(const struct graph *graph)
{
	double missed = INFINITY;
	unsigned round = 1;

	graph->strands[0].round = round;
	do {
		while (round_tie(graph, ++round) > 0)
			;
	} while (chains_tie(graph, round) > 0);
	for (int i = 0; i < SWEEPS_MOST && missed > 0; i++) {
		double now = sweep(graph);

		if (now > missed / 2)
			break;
		missed = now;
	}
}

/* One end of a pair: a time of a node, and the two corners of its quad that it is between. */
struct quad_end {
	uint32_t node;
	unsigned corner;
	double weight; /* of the second corner */
};

static struct quad_end end_of(const struct strand *strands, uint32_t node, double ns)
{
	struct quad_end end = { .node = node };

	end.corner = clock_quad_corner(&strands[node].quad, ns, &end.weight);
	return end;
}

/* How far a correction by 1 of both corners moves the end. The first node stays. */
static double end_lever(const struct quad_end *end)
{
	return end->node == 0 ? 0
			      : (1 - end->weight) * (1 - end->weight) + end->weight * end->weight;
}

static void end_move(struct strand *strands, const struct quad_end *end, double by)
{
	double *at = &strands[end->node].quad.at[end->corner];

	if (end->node == 0)
		return;
	at[0] += by * (1 - end->weight);
	at[1] += by * end->weight;
}

/*
 * By how many ns the first exit of sync_event k is too early for the last entry, 0 if it is not. If so
 * the quads of both are moved: as little as puts them right, and half as much again
 * (S. Agmon, "The relaxation method for linear inequalities", 1954).
 */
static double sync_event_relax(const struct graph *graph, uint32_t k)
{
	const struct clock_part *part = graph->part, *cause = NULL, *effect = NULL;
	double enter = -INFINITY, leave = INFINITY, early, lever, ns;
	struct quad_end from, to;

	for (uint32_t i = graph->first[k]; i < graph->first[k + 1]; i++) {
		const struct strand *strand = &graph->strands[part[i].node];

		if (!strand->round)
			continue;
		ns = corrected(strand, part[i].enter);
		if (ns > enter) {
			enter = ns;
			cause = &part[i];
		}
		ns = corrected(strand, part[i].leave);
		if (ns < leave) {
			leave = ns;
			effect = &part[i];
		}
	}
	early = enter - leave + MARGIN_NS;
	if (!(early > 0) || cause->node == effect->node)
		return 0;
	from = end_of(graph->strands, cause->node, cause->enter);
	to = end_of(graph->strands, effect->node, effect->leave);
	lever = end_lever(&from) + end_lever(&to);
	end_move(graph->strands, &from, -1.5 * early / lever);
	end_move(graph->strands, &to, 1.5 * early / lever);
	return early;
}

/* No piece of a quad may be steeper than clocks differ. */
static void quad_relax(struct clock_quad *quad)
{
	double most = CLOCK_DRIFT_MOST * quad->span;

	for (double *at = quad->at; at < quad->at + quad->n - 1; at++) {
		double excess = fabs(at[1] - at[0]) - most;

		if (excess <= 0)
			continue;
		at[0] += copysign(excess / 2, at[1] - at[0]);
		at[1] -= copysign(excess / 2, at[1] - at[0]);
	}
}

static void quads_relax(const struct graph *graph)
{
	for (uint32_t i = 1; i < graph->nnodes; i++)
		quad_relax(&graph->strands[i].quad);
}

/*
 * One pass over all sync_events, and some more over those that were in the wrong order. Returns by how
 * much the worst effect was too early in the first one, ns. `visits` counts parts seen.
 */
static double relax(struct graph *graph, double *visits)
{
	double worst = 0, early;

	quads_relax(graph);
	graph->nlate = 0;
	for (uint32_t k = 0; k < graph->nsync_events; k++) {
		early = sync_event_relax(graph, k);
		worst = fmax(worst, early);
		if (early > 0)
			graph->late[graph->nlate++] = k;
	}
	*visits += graph->nparts;
	early = worst;
	for (int pass = 0; pass < PASSES && early > 0; pass++) {
		quads_relax(graph);
		early = 0;
		for (uint32_t i = 0; i < graph->nlate; i++)
			early = fmax(early, sync_event_relax(graph, graph->late[i]));
		*visits += (double)graph->nlate / graph->nsync_events * graph->nparts;
	}
	return worst;
}

static bool quads_split(const struct graph *graph)
{
	bool is_split = false;

	for (uint32_t i = 1; i < graph->nnodes; i++)
		is_split |= graph->strands[i].round && clock_quad_split(&graph->strands[i].quad);
	return is_split;
}

/*
 * Sweeps move one node at a time, and may stop where two would have to move together; and clocks
 * that are steered, each in its own way, do not differ by a line for long. Returns by how much the
 * worst effect is still early, ns.
 */
static double bend(struct graph *graph)
{
	double visits = 0, best, worst = INFINITY;

	do {
		best = worst;
		for (int stale = 0; stale < STALE_MOST && worst > 0 && visits < VISITS_MOST;) {
			worst = relax(graph, &visits);
			stale = worst < 0.9 * best ? 0 : stale + 1;
			best = fmin(best, worst);
		}
	} while (worst > 0 && visits < VISITS_MOST && quads_split(graph));
	return fmax(worst - MARGIN_NS, 0);
}

/* Largest distance of the quad from the line, ns: at a corner. */
static double moved(const struct clock_quad *quad, const struct clock_offset *line)
{
	double most = 0;

	for (unsigned i = 0; i < quad->n; i++)
		most = fmax(most,
			fabs(quad->at[i] - clock_offset_at(line, quad->from + i * quad->span)));
	return most;
}

/* How far a quad could move, piece by piece, before a bound stops it; INFINITY where none does. */
static double freedom(const struct clock_quad *quad, const struct clock_bound *bounds, size_t n)
{
	double up[CLOCK_CORNERS], down[CLOCK_CORNERS], most = 0, weight;

	for (unsigned i = 0; i < quad->n; i++)
		up[i] = down[i] = INFINITY;
	for (size_t i = 0; i < n; i++) {
		unsigned piece = clock_quad_corner(quad, bounds[i].at, &weight);
		double here = clock_quad_at(quad, bounds[i].at);

		up[piece] = fmin(up[piece], bounds[i].high - here);
		down[piece] = fmin(down[piece], here - bounds[i].low);
	}
	for (unsigned i = 0; i + 1 < quad->n; i++)
		most = fmax(most, fmax(up[i], down[i]));
	return most;
}

/* How much a quad turns at its corners, at most: a clock may do the same between them, unseen. */
static double turn(const struct clock_quad *quad)
{
	double most = 0;

	for (unsigned i = 1; i + 1 < quad->n; i++)
		most = fmax(most, fabs(quad->at[i - 1] - 2 * quad->at[i] + quad->at[i + 1]));
	return most;
}

/*
 * The residual of each node: what the fit of a line says, and how far it was moved since. Where
 * clocks are steered that is much too large; there, what the bounds leave open piece by piece.
 */
static void residuals(const struct graph *graph, struct clock_tie *ties)
{
	for (unsigned round = 1, found = 1; found; round++) {
		found = 0;
		for (uint32_t i = 0; i < graph->nnodes; i++) {
			struct strand *strand = &graph->strands[i];
			struct others others = { 0 };
			size_t n;

			if (strand->round != round)
				continue;
			found = 1;
			strand->error += moved(&strand->quad, &strand->first);
			if (strand->quad.n > 2) {
				n = bounds_of(graph, i, round, &others);
				strand->error = fmin(strand->error,
					others.error + freedom(&strand->quad, graph->bounds, n) +
						turn(&strand->quad));
			}
			ties[i].residual = strand->error;
		}
	}
}

static bool graph_new(struct graph *graph)
{
	size_t n = (size_t)graph->nparts + 1;

	graph->first = calloc(n, sizeof(*graph->first));
	graph->sync_event = calloc(n, sizeof(*graph->sync_event));
	graph->late = calloc(n, sizeof(*graph->late));
	graph->begin = calloc((size_t)graph->nnodes + 1, sizeof(*graph->begin));
	graph->strands = calloc(graph->nnodes, sizeof(*graph->strands));
	graph->bounds = calloc(2 * n, sizeof(*graph->bounds)); /* a part sets two at most */
	for (int above = 0; above < 2; above++)
		graph->chain[above] = calloc(n, sizeof(**graph->chain));
	return graph->first && graph->sync_event && graph->late && graph->begin && graph->strands &&
		graph->bounds && graph->chain[0] && graph->chain[1];
}

static void graph_drop(struct graph *graph)
{
	free(graph->first);
	free(graph->sync_event);
	free(graph->late);
	free(graph->begin);
	free(graph->strands);
	free(graph->bounds);
	free(graph->chain[0]);
	free(graph->chain[1]);
}

double clock_solve(struct clock_part *parts, uint32_t n, struct clock_tie *ties, uint32_t nnodes)
{
	struct graph graph = { .part = parts, .nparts = n, .nnodes = nnodes };
	double worst = -1;

	if (graph_new(&graph)) {
		clock_parts_sort(parts, n);
		fold_nodes(&graph);
		find_sync_events(&graph);
		find_nodes(&graph);
		quads_lay(&graph);
		tie_lines(&graph);
		worst = bend(&graph);
		residuals(&graph, ties);
		for (uint32_t i = 0; i < nnodes; i++) {
			ties[i].is_tied = graph.strands[i].round != 0;
			ties[i].quad = graph.strands[i].quad;
		}
	}
	graph_drop(&graph);
	return worst;
}
