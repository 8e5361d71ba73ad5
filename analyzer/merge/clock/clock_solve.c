/* clock_solve.c - see clock_knot.h. */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "merge/clock/clock_solve.h"

#define SWEEPS_MOST 10	/* two or three are the rule */
#define PASSES	    20	/* over meetings in the wrong order, between those over all */
#define STALE_MOST  4	/* passes over all that make nothing better by a tenth */
#define VISITS_MOST 1e9 /* of parts in meetings, in all passes: seconds */
/* A cause is kept this far before its effect: times are rounded to whole ns. */
#define MARGIN_NS   2
#define EVERY_ROUND UINT_MAX

/*
 * A node. Nodes are tied in rounds: first those that share meetings with node 0, then those that
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
	struct clock_bow bow;
	struct clock_offset first; /* as it was tied, before it was settled */
	double error;		   /* of `first` against node 0, ns */
	double from, to;	   /* its first and its last meeting, on its own clock */
};

/*
 * The parts of nodes in meetings, meeting by meeting: those of meeting k are part[first[k]] up to
 * part[first[k + 1]]. Node i takes part in meeting[begin[i]] up to meeting[begin[i + 1]].
 */
struct knot {
	struct clock_part *part;
	uint32_t nparts, nmeetings, nnodes;
	uint32_t *first, *begin, *meeting;
	uint32_t *late, nlate; /* meetings that were in the wrong order when all were seen */
	struct strand *strands;
	struct clock_bound *bounds;   /* room for those of one node */
	struct clock_bound *chain[2]; /* by chains; those of node i from begin[i] on */
};

static int compare_parts(const void *a, const void *b)
{
	const struct clock_part *x = a, *y = b;
	int order = memcmp(&x->key, &y->key, sizeof(x->key));

	return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* Puts the ranks of a node in one meeting together: the last entry, the first exit. */
static void fold_nodes(struct knot *knot)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < knot->nparts; i++) {
		const struct clock_part *part = &knot->part[i];
		struct clock_part *last = n ? &knot->part[n - 1] : NULL;

		if (!last || compare_parts(last, part) != 0) {
			knot->part[n++] = *part;
			continue;
		}
		last->enter = fmax(last->enter, part->enter);
		last->leave = fmin(last->leave, part->leave);
	}
	knot->nparts = n;
}

/* Finds where meetings begin, and drops those within one node: they say nothing of others. */
static void find_meetings(struct knot *knot)
{
	struct clock_part *part = knot->part;
	uint32_t n = 0;

	for (uint32_t i = 0, end; i < knot->nparts; i = end) {
		for (end = i + 1; end < knot->nparts &&
			memcmp(&part[end].key, &part[i].key, sizeof(part->key)) == 0;
			end++)
			;
		if (end - i < 2)
			continue;
		memmove(&part[n], &part[i], (end - i) * sizeof(*part));
		knot->first[knot->nmeetings++] = n;
		n += end - i;
	}
	knot->first[knot->nmeetings] = n;
	knot->nparts = n;
}

/* Lists the meetings of each node. */
static void find_nodes(struct knot *knot)
{
	for (uint32_t i = 0; i < knot->nparts; i++)
		knot->begin[knot->part[i].node + 1]++;
	for (uint32_t i = 0; i < knot->nnodes; i++)
		knot->begin[i + 1] += knot->begin[i];
	for (uint32_t k = 0; k < knot->nmeetings; k++)
		for (uint32_t i = knot->first[k]; i < knot->first[k + 1]; i++)
			knot->meeting[knot->begin[knot->part[i].node]++] = k;
	for (uint32_t i = knot->nnodes; i > 0; i--) /* each has come to the next one's */
		knot->begin[i] = knot->begin[i - 1];
	knot->begin[0] = 0;
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
	return isinf(ns) ? ns : ns + clock_bow_at(&strand->bow, ns);
}

/* What else is to be known of those that a node is fitted to. */
struct others {
	double error; /* the largest of theirs */
	double gap;   /* by which their corrections leave no room between them */
};

/*
 * The bounds that meeting k sets to `node` against those tied before `round`: as it left, and as it
 * entered. Returns how many.
 */
static size_t bounds_of_meeting(const struct knot *knot, uint32_t k, uint32_t node, unsigned round,
	struct clock_bound *bounds, struct others *others)
{
	double enter = -INFINITY, leave = INFINITY;
	const struct clock_part *own = NULL;
	size_t n = 0;

	for (uint32_t i = knot->first[k]; i < knot->first[k + 1]; i++) {
		const struct clock_part *part = &knot->part[i];
		const struct strand *strand = &knot->strands[part->node];

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
static size_t bounds_of(const struct knot *knot, uint32_t node, unsigned round,
	struct others *others)
{
	size_t n = 0;

	for (uint32_t i = knot->begin[node]; i < knot->begin[node + 1]; i++)
		n += bounds_of_meeting(knot, knot->meeting[i], node, round, &knot->bounds[n],
			others);
	return n;
}

/* Lays the bow of each node over the time in which it met others. */
static void bows_lay(const struct knot *knot)
{
	struct strand *strand = knot->strands, *end = strand + knot->nnodes;

	for (; strand < end; strand++) {
		strand->from = INFINITY;
		strand->to = -INFINITY;
	}
	for (uint32_t i = 0; i < knot->nparts; i++) {
		const struct clock_part *part = &knot->part[i];

		strand = &knot->strands[part->node];
		strand->from = fmin(strand->from, isinf(part->enter) ? part->leave : part->enter);
		strand->to = fmax(strand->to, isinf(part->leave) ? part->enter : part->leave);
	}
	for (strand = knot->strands; strand < end; strand++)
		clock_bow_lay(&strand->bow, strand->from, strand->to);
}

/* One round over all nodes that are not tied yet. Returns how many it tied. */
static int round_tie(const struct knot *knot, unsigned round)
{
	int count = 0;

	for (uint32_t i = 0; i < knot->nnodes; i++) {
		struct strand *strand = &knot->strands[i];
		struct others others = { 0 };
		size_t n = strand->round ? 0 : bounds_of(knot, i, round, &others);

		if (n == 0 || clock_offset_fit(knot->bounds, n, &strand->first) < 0)
			continue;
		strand->round = round;
		clock_bow_set(&strand->bow, &strand->first);
		strand->error = others.error + strand->first.error + strand->first.violation;
		count++;
	}
	return count;
}

/* What is known of a time of node i, on the axis of node 0: it is later than that, or earlier. */
static double chain_ns(const struct knot *knot, uint32_t i, double ns, bool above)
{
	const struct strand *strand = &knot->strands[i];
	struct clock_bound bound;

	if (strand->round)
		return corrected(strand, ns) + (above ? strand->error : -strand->error);
	bound = clock_bounds_at(knot->chain[above] + knot->begin[i], strand->chain[above].n, ns);
	return ns + (above ? bound.high : bound.low);
}

/*
 * What meeting k tells `node` by nodes that are tied, or at the end of chains of less than `links`:
 * causes of these bound it from below as it leaves, effects from above as it enters.
 */
static bool chain_bound(const struct knot *knot, uint32_t k, uint32_t node, bool above,
	unsigned links, struct clock_bound *bound)
{
	double own = INFINITY, best = above ? INFINITY : -INFINITY;

	for (uint32_t i = knot->first[k]; i < knot->first[k + 1]; i++) {
		const struct clock_part *part = &knot->part[i];
		const struct strand *strand = &knot->strands[part->node];
		double ns = above ? part->leave : part->enter;

		if (part->node == node) {
			own = above ? part->enter : part->leave;
		} else if (isfinite(ns) &&
			(strand->round ||
				(strand->chain[above].links &&
					strand->chain[above].links < links))) {
			ns = chain_ns(knot, part->node, ns, above);
			best = above ? smaller(best, ns) : larger(best, ns);
		}
	}
	*bound = (struct clock_bound){ own, above ? -INFINITY : best - own,
		above ? best - own : INFINITY };
	return isfinite(own) && isfinite(best);
}

/* Makes chains longer by one link. False: there are no more nodes that they could lead to. */
static bool chains_grow(const struct knot *knot, bool above, unsigned links)
{
	bool any = false;

	for (uint32_t i = 0; i < knot->nnodes; i++) {
		struct chain *chain = &knot->strands[i].chain[above];
		struct clock_bound *bounds = knot->chain[above] + knot->begin[i];

		if (knot->strands[i].round || chain->links)
			continue;
		for (uint32_t k = knot->begin[i]; k < knot->begin[i + 1]; k++)
			chain->n += chain_bound(knot, knot->meeting[k], i, above, links,
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
static int chains_tie(const struct knot *knot, unsigned round)
{
	int count = 0;

	for (int above = 0; above < 2; above++) {
		for (uint32_t i = 0; i < knot->nnodes; i++)
			knot->strands[i].chain[above] = (struct chain){ 0 };
		for (unsigned links = 1; chains_grow(knot, above, links); links++)
			;
	}
	for (uint32_t i = 0; i < knot->nnodes; i++) {
		struct strand *strand = &knot->strands[i];
		size_t n = 0;

		if (strand->round || !strand->chain[0].n || !strand->chain[1].n)
			continue;
		for (int above = 0; above < 2; n += strand->chain[above++].n)
			memcpy(knot->bounds + n, knot->chain[above] + knot->begin[i],
				strand->chain[above].n * sizeof(*knot->bounds));
		if (clock_offset_fit(knot->bounds, n, &strand->first) < 0)
			continue;
		strand->round = round;
		clock_bow_set(&strand->bow, &strand->first);
		strand->error = strand->first.error + strand->first.violation;
		count++;
	}
	return count;
}

/*
 * Fits every node but the first again, between all others where they are now. Returns by how much
 * the worst bound was missed, or by which others left no room between them, ns.
 */
static double sweep(const struct knot *knot)
{
	double missed = 0;

	for (uint32_t i = 1; i < knot->nnodes; i++) {
		struct strand *strand = &knot->strands[i];
		struct clock_offset fit;
		struct others others = { 0 };
		size_t n = strand->round ? bounds_of(knot, i, EVERY_ROUND, &others) : 0;

		if (n == 0 || clock_offset_fit(knot->bounds, n, &fit) < 0)
			continue;
		clock_bow_set(&strand->bow, &fit);
		missed = fmax(missed, fmax(others.gap, fit.violation));
	}
	return missed;
}

static void tie_lines(const struct knot *knot)
{
	double missed = INFINITY;
	unsigned round = 1;

	knot->strands[0].round = round;
	do {
		while (round_tie(knot, ++round) > 0)
			;
	} while (chains_tie(knot, round) > 0);
	for (int i = 0; i < SWEEPS_MOST && missed > 0; i++) {
		double now = sweep(knot);

		if (now > missed / 2)
			break;
		missed = now;
	}
}

/* One end of a pair: a time of a node, and the two corners of its bow that it lies between. */
struct end {
	uint32_t node;
	unsigned corner;
	double weight; /* of the second corner */
};

static struct end end_of(const struct strand *strands, uint32_t node, double ns)
{
	struct end end = { .node = node };

	end.corner = clock_bow_corner(&strands[node].bow, ns, &end.weight);
	return end;
}

/* How far a correction by 1 of both corners moves the end. The first node stays. */
static double end_lever(const struct end *end)
{
	return end->node == 0 ? 0
			      : (1 - end->weight) * (1 - end->weight) + end->weight * end->weight;
}

static void end_move(struct strand *strands, const struct end *end, double by)
{
	double *at = &strands[end->node].bow.at[end->corner];

	if (end->node == 0)
		return;
	at[0] += by * (1 - end->weight);
	at[1] += by * end->weight;
}

/*
 * By how many ns the first exit of meeting k is too early for the last entry, 0 if it is not. If so
 * the bows of both are moved: as little as puts them right, and half as much again
 * (S. Agmon, "The relaxation method for linear inequalities", 1954).
 */
static double meeting_relax(const struct knot *knot, uint32_t k)
{
	const struct clock_part *part = knot->part, *cause = NULL, *effect = NULL;
	double enter = -INFINITY, leave = INFINITY, early, lever, ns;
	struct end from, to;

	for (uint32_t i = knot->first[k]; i < knot->first[k + 1]; i++) {
		const struct strand *strand = &knot->strands[part[i].node];

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
	from = end_of(knot->strands, cause->node, cause->enter);
	to = end_of(knot->strands, effect->node, effect->leave);
	lever = end_lever(&from) + end_lever(&to);
	end_move(knot->strands, &from, -1.5 * early / lever);
	end_move(knot->strands, &to, 1.5 * early / lever);
	return early;
}

/* No piece of a bow may be steeper than clocks differ. */
static void bow_relax(struct clock_bow *bow)
{
	double most = CLOCK_DRIFT_MOST * bow->span;

	for (double *at = bow->at; at < bow->at + bow->n - 1; at++) {
		double excess = fabs(at[1] - at[0]) - most;

		if (excess <= 0)
			continue;
		at[0] += copysign(excess / 2, at[1] - at[0]);
		at[1] -= copysign(excess / 2, at[1] - at[0]);
	}
}

static void bows_relax(const struct knot *knot)
{
	for (uint32_t i = 1; i < knot->nnodes; i++)
		bow_relax(&knot->strands[i].bow);
}

/*
 * One pass over all meetings, and some more over those that were in the wrong order. Returns by how
 * much the worst effect was too early in the first one, ns. `visits` counts parts seen.
 */
static double relax(struct knot *knot, double *visits)
{
	double worst = 0, early;

	bows_relax(knot);
	knot->nlate = 0;
	for (uint32_t k = 0; k < knot->nmeetings; k++) {
		early = meeting_relax(knot, k);
		worst = fmax(worst, early);
		if (early > 0)
			knot->late[knot->nlate++] = k;
	}
	*visits += knot->nparts;
	early = worst;
	for (int pass = 0; pass < PASSES && early > 0; pass++) {
		bows_relax(knot);
		early = 0;
		for (uint32_t i = 0; i < knot->nlate; i++)
			early = fmax(early, meeting_relax(knot, knot->late[i]));
		*visits += (double)knot->nlate / knot->nmeetings * knot->nparts;
	}
	return worst;
}

static bool bows_split(const struct knot *knot)
{
	bool is_split = false;

	for (uint32_t i = 1; i < knot->nnodes; i++)
		is_split |= knot->strands[i].round && clock_bow_split(&knot->strands[i].bow);
	return is_split;
}

/*
 * Sweeps move one node at a time, and may stop where two would have to move together; and clocks
 * that are steered, each in its own way, do not differ by a line for long. Returns by how much the
 * worst effect is still early, ns.
 */
static double bend(struct knot *knot)
{
	double visits = 0, best, worst = INFINITY;

	do {
		best = worst;
		for (int stale = 0; stale < STALE_MOST && worst > 0 && visits < VISITS_MOST;) {
			worst = relax(knot, &visits);
			stale = worst < 0.9 * best ? 0 : stale + 1;
			best = fmin(best, worst);
		}
	} while (worst > 0 && visits < VISITS_MOST && bows_split(knot));
	return fmax(worst - MARGIN_NS, 0);
}

/* Largest distance of the bow from the line, ns: at a corner. */
static double moved(const struct clock_bow *bow, const struct clock_offset *line)
{
	double most = 0;

	for (unsigned i = 0; i < bow->n; i++)
		most = fmax(most,
			fabs(bow->at[i] - clock_offset_at(line, bow->from + i * bow->span)));
	return most;
}

/* How far a bow could move, piece by piece, before a bound stops it; INFINITY where none does. */
static double freedom(const struct clock_bow *bow, const struct clock_bound *bounds, size_t n)
{
	double up[CLOCK_CORNERS], down[CLOCK_CORNERS], most = 0, weight;

	for (unsigned i = 0; i < bow->n; i++)
		up[i] = down[i] = INFINITY;
	for (size_t i = 0; i < n; i++) {
		unsigned piece = clock_bow_corner(bow, bounds[i].at, &weight);
		double here = clock_bow_at(bow, bounds[i].at);

		up[piece] = fmin(up[piece], bounds[i].high - here);
		down[piece] = fmin(down[piece], here - bounds[i].low);
	}
	for (unsigned i = 0; i + 1 < bow->n; i++)
		most = fmax(most, fmax(up[i], down[i]));
	return most;
}

/* How much a bow turns at its corners, at most: a clock may do the same between them, unseen. */
static double turn(const struct clock_bow *bow)
{
	double most = 0;

	for (unsigned i = 1; i + 1 < bow->n; i++)
		most = fmax(most, fabs(bow->at[i - 1] - 2 * bow->at[i] + bow->at[i + 1]));
	return most;
}

/*
 * The residual of each node: what the fit of a line says, and how far it was moved since. Where
 * clocks are steered that is much too large; there, what the bounds leave open piece by piece.
 */
static void residuals(const struct knot *knot, struct clock_tie *ties)
{
	for (unsigned round = 1, found = 1; found; round++) {
		found = 0;
		for (uint32_t i = 0; i < knot->nnodes; i++) {
			struct strand *strand = &knot->strands[i];
			struct others others = { 0 };
			size_t n;

			if (strand->round != round)
				continue;
			found = 1;
			strand->error += moved(&strand->bow, &strand->first);
			if (strand->bow.n > 2) {
				n = bounds_of(knot, i, round, &others);
				strand->error = fmin(strand->error,
					others.error + freedom(&strand->bow, knot->bounds, n) +
						turn(&strand->bow));
			}
			ties[i].residual = strand->error;
		}
	}
}

static bool knot_new(struct knot *knot)
{
	size_t n = (size_t)knot->nparts + 1;

	knot->first = calloc(n, sizeof(*knot->first));
	knot->meeting = calloc(n, sizeof(*knot->meeting));
	knot->late = calloc(n, sizeof(*knot->late));
	knot->begin = calloc((size_t)knot->nnodes + 1, sizeof(*knot->begin));
	knot->strands = calloc(knot->nnodes, sizeof(*knot->strands));
	knot->bounds = calloc(2 * n, sizeof(*knot->bounds)); /* a part sets two at most */
	for (int above = 0; above < 2; above++)
		knot->chain[above] = calloc(n, sizeof(**knot->chain));
	return knot->first && knot->meeting && knot->late && knot->begin && knot->strands &&
		knot->bounds && knot->chain[0] && knot->chain[1];
}

static void knot_drop(struct knot *knot)
{
	free(knot->first);
	free(knot->meeting);
	free(knot->late);
	free(knot->begin);
	free(knot->strands);
	free(knot->bounds);
	free(knot->chain[0]);
	free(knot->chain[1]);
}

double clock_knot(struct clock_part *parts, uint32_t n, struct clock_tie *ties, uint32_t nnodes)
{
	struct knot knot = { .part = parts, .nparts = n, .nnodes = nnodes };
	double worst = -1;

	if (knot_new(&knot)) {
		qsort(parts, n, sizeof(*parts), compare_parts);
		fold_nodes(&knot);
		find_meetings(&knot);
		find_nodes(&knot);
		bows_lay(&knot);
		tie_lines(&knot);
		worst = bend(&knot);
		residuals(&knot, ties);
		for (uint32_t i = 0; i < nnodes; i++) {
			ties[i].is_tied = knot.strands[i].round != 0;
			ties[i].bow = knot.strands[i].bow;
		}
	}
	knot_drop(&knot);
	return worst;
}
