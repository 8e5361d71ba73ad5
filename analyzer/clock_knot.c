/* clock_knot.c - see clock_knot.h. */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "clock_knot.h"

#define SWEEPS_MOST	10		/* two or three are the rule */
#define PASSES		20		/* that have to make the worst order better by a tenth */
#define VISITS_MOST	500000000.0	/* of meetings, in all passes: seconds */
/* A cause is kept this far before its effect: times are rounded to whole ns. */
#define MARGIN_NS	2
#define EVERY_ROUND	UINT_MAX

/*
 * A node. Nodes are tied in rounds: first those that share
 * meetings with node 0, then those that share some with these, and so on;
 * a node is tied only to nodes of earlier rounds, whose error it inherits.
 * What nodes of one round say about each other is heard afterwards, when all
 * are settled between all others.
 */
struct strand {
	unsigned round;		/* 0: not tied yet */
	struct clock_bow bow;
	struct clock_offset first;	/* as it was tied, before it was settled */
	double error;		/* of `first` against node 0, ns */
};

/* The meetings, the strands, and room for the bounds of one of them. */
struct knot {
	struct clock_meeting *at;
	size_t n;
	struct strand *strands;
	struct clock_bound *bounds;
	uint32_t nnodes;
};

static int compare_meetings(const void *a, const void *b)
{
	const struct clock_meeting *x = a, *y = b;
	int order = memcmp(&x->key, &y->key, sizeof(x->key));

	return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* The first of another meeting behind `at`. */
static const struct clock_meeting *meeting_end(const struct knot *knot,
					       const struct clock_meeting *at)
{
	const struct clock_meeting *end = at + 1;

	while (end < knot->at + knot->n && memcmp(&end->key, &at->key, sizeof(at->key)) == 0)
		end++;
	return end;
}

/* Puts the ranks of a node in one meeting together: the last entry, the first exit. */
static void fold_nodes(struct knot *knot)
{
	size_t n = 0;

	for (size_t i = 0; i < knot->n; i++) {
		struct clock_meeting *last = n ? &knot->at[n - 1] : NULL;

		if (!last || compare_meetings(last, &knot->at[i]) != 0) {
			knot->at[n++] = knot->at[i];
			continue;
		}
		last->enter = fmax(last->enter, knot->at[i].enter);
		last->leave = fmin(last->leave, knot->at[i].leave);
	}
	knot->n = n;
}

/* Drops what happened within one node: it says nothing of others. */
static void drop_alone(struct knot *knot)
{
	const struct clock_meeting *stop = knot->at + knot->n, *end;
	size_t n = 0;

	for (const struct clock_meeting *at = knot->at; at < stop; at = end) {
		end = meeting_end(knot, at);
		if (end - at < 2)
			continue;
		memmove(&knot->at[n], at, (size_t)(end - at) * sizeof(*at));
		n += (size_t)(end - at);
	}
	knot->n = n;
}

static double corrected(const struct strand *strand, double ns)
{
	return isinf(ns) ? ns : ns + clock_bow_at(&strand->bow, ns);
}

/* What else is to be known of those that a node is fitted to. */
struct others {
	double error;		/* the largest of theirs */
	bool disagree;		/* their corrections leave no room between them */
};

/*
 * The bounds that one meeting [from, to) sets to `node` against those tied before `round`: as it
 * left, and as it entered. Returns how many.
 */
static size_t bounds_of_meeting(const struct clock_meeting *from, const struct clock_meeting *to,
				const struct strand *strands, uint32_t node, unsigned round,
				struct clock_bound *bounds, struct others *others)
{
	double enter = -INFINITY, leave = INFINITY;
	const struct clock_meeting *own = NULL;
	size_t n = 0;

	for (const struct clock_meeting *at = from; at < to; at++) {
		if (at->node == node) {
			own = at;
			continue;
		}
		if (!strands[at->node].round || strands[at->node].round >= round)
			continue;
		others->error = fmax(others->error, strands[at->node].error);
		enter = fmax(enter, corrected(&strands[at->node], at->enter));
		leave = fmin(leave, corrected(&strands[at->node], at->leave));
	}
	if (!own)
		return 0;
	if (leave - own->enter < enter - own->leave) {
		others->disagree = true;
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
	const struct clock_meeting *stop = knot->at + knot->n, *end;
	size_t n = 0;

	for (const struct clock_meeting *at = knot->at; at < stop; at = end) {
		end = meeting_end(knot, at);
		n += bounds_of_meeting(at, end, knot->strands, node, round, &knot->bounds[n],
				       others);
	}
	return n;
}

/* Lays the bow of each node over the time in which it met others; false without memory. */
static bool bows_lay(const struct knot *knot)
{
	double *from = malloc(2 * knot->nnodes * sizeof(*from)), *to = from + knot->nnodes;

	if (!from)
		return false;
	for (uint32_t i = 0; i < knot->nnodes; i++) {
		from[i] = INFINITY;
		to[i] = -INFINITY;
	}
	for (const struct clock_meeting *at = knot->at; at < knot->at + knot->n; at++) {
		from[at->node] = fmin(from[at->node], isinf(at->enter) ? at->leave : at->enter);
		to[at->node] = fmax(to[at->node], isinf(at->leave) ? at->enter : at->leave);
	}
	for (uint32_t i = 0; i < knot->nnodes; i++)
		clock_bow_lay(&knot->strands[i].bow, from[i], to[i]);
	free(from);
	return true;
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

/*
 * Fits every node but the first again, between all others where they are now. Returns whether no
 * bound was missed.
 */
static bool sweep(const struct knot *knot)
{
	bool is_settled = true;

	for (uint32_t i = 1; i < knot->nnodes; i++) {
		struct strand *strand = &knot->strands[i];
		struct clock_offset fit;
		struct others others = { 0 };
		size_t n = strand->round ? bounds_of(knot, i, EVERY_ROUND, &others) : 0;

		if (n == 0 || clock_offset_fit(knot->bounds, n, &fit) < 0)
			continue;
		clock_bow_set(&strand->bow, &fit);
		is_settled &= fit.violation == 0 && !others.disagree;
	}
	return is_settled;
}

static void tie_lines(const struct knot *knot)
{
	unsigned round = 1;

	knot->strands[0].round = round;
	while (round_tie(knot, ++round) > 0)
		;
	for (int i = 0; i < SWEEPS_MOST && !sweep(knot); i++)
		;
}

/* One end of a pair: a time of a node, and the two corners of its bow that it lies between. */
struct end {
	uint32_t node;
	unsigned corner;
	double weight;		/* of the second corner */
	double ns;		/* corrected */
};

static struct end end_of(const struct strand *strands, uint32_t node, double ns)
{
	const struct clock_bow *bow = &strands[node].bow;
	struct end end = { .node = node, .ns = ns };

	if (isinf(ns))
		return end;
	end.corner = clock_bow_corner(bow, ns, &end.weight);
	end.ns += clock_bow_at(bow, ns);
	return end;
}

/* How far a correction by 1 of both corners moves the end. The first node stays. */
static double end_lever(const struct end *end)
{
	return end->node == 0 ? 0 :
	       (1 - end->weight) * (1 - end->weight) + end->weight * end->weight;
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
 * By how many ns the first exit of the meeting [from, to) is too early for the last entry, 0 if it
 * is not. If so the bows of both are moved: as little as puts them right, and half as much again
 * (S. Agmon, "The relaxation method for linear inequalities", 1954).
 */
static double meeting_relax(const struct clock_meeting *from, const struct clock_meeting *to,
			    struct strand *strands)
{
	struct end cause = { .ns = -INFINITY }, effect = { .ns = INFINITY };
	double early, lever;

	for (const struct clock_meeting *at = from; at < to; at++) {
		struct end enter = end_of(strands, at->node, at->enter);
		struct end leave = end_of(strands, at->node, at->leave);

		if (!strands[at->node].round)
			continue;
		if (enter.ns > cause.ns)
			cause = enter;
		if (leave.ns < effect.ns)
			effect = leave;
	}
	early = cause.ns - effect.ns + MARGIN_NS;
	lever = end_lever(&cause) + end_lever(&effect);
	if (cause.node == effect.node || !(early > 0) || lever == 0)
		return 0;
	end_move(strands, &cause, -1.5 * early / lever);
	end_move(strands, &effect, 1.5 * early / lever);
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

/* One pass over all meetings. Returns by how much the worst effect was too early, ns. */
static double relax(const struct knot *knot)
{
	const struct clock_meeting *stop = knot->at + knot->n, *end;
	double worst = 0;

	for (uint32_t i = 1; i < knot->nnodes; i++)
		bow_relax(&knot->strands[i].bow);
	for (const struct clock_meeting *at = knot->at; at < stop; at = end) {
		end = meeting_end(knot, at);
		worst = fmax(worst, meeting_relax(at, end, knot->strands));
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
static double bend(const struct knot *knot)
{
	double visits = 0, before, worst = INFINITY;

	do {
		do {
			before = worst;
			for (int i = 0; i < PASSES && worst > 0; i++)
				worst = relax(knot);
			visits += PASSES * (double)knot->n;
		} while (worst > 0 && worst < 0.9 * before && visits < VISITS_MOST);
	} while (worst > 0 && visits < VISITS_MOST && bows_split(knot));
	return fmax(worst - MARGIN_NS, 0);
}

/* Largest distance of the bow from the line, ns: at a corner. */
static double moved(const struct clock_bow *bow, const struct clock_offset *line)
{
	double most = 0;

	for (unsigned i = 0; i < bow->n; i++)
		most = fmax(most, fabs(bow->at[i] -
				       clock_offset_at(line, bow->from + i * bow->span)));
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
				strand->error = fmin(strand->error, others.error +
						     freedom(&strand->bow, knot->bounds, n) +
						     turn(&strand->bow));
			}
			ties[i].residual = strand->error;
		}
	}
}

double clock_knot(struct clock_meeting *meetings, size_t n, struct clock_tie *ties, uint32_t nnodes)
{
	struct knot knot = { .at = meetings, .n = n, .nnodes = nnodes };
	double worst = -1;

	qsort(meetings, n, sizeof(*meetings), compare_meetings);
	fold_nodes(&knot);
	drop_alone(&knot);
	knot.strands = calloc(nnodes, sizeof(*knot.strands));
	knot.bounds = malloc((2 * knot.n + 1) * sizeof(*knot.bounds));
	if (knot.strands && knot.bounds && bows_lay(&knot)) {
		tie_lines(&knot);
		worst = bend(&knot);
		residuals(&knot, ties);
		for (uint32_t i = 0; i < nnodes; i++) {
			ties[i].is_tied = knot.strands[i].round != 0;
			ties[i].bow = knot.strands[i].bow;
		}
	}
	free(knot.strands);
	free(knot.bounds);
	return worst;
}
