/*
 * clock_solve.h - the clocks of several nodes on the axis of the first one, from
 * sync_events: of those who wait for each other, no one leaves before the last one
 * has entered. Pure arithmetic; which calls meet is merge_sync.c's business.
 */
#ifndef ANALYZER_CLOCK_SOLVE_H
#define ANALYZER_CLOCK_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "merge/clock/clock_offset.h"

/* The seq-th synchronising collective of a communicator, or the seq-th message of a channel. */
struct sync_event_key {
	uint32_t comm, source, dest, tag, seq; /* collective: source = dest = UINT32_MAX */
};

/*
 * A rank's part in a sync_event, on its node's clock (ns since any base): it entered, or -INFINITY;
 * it left, or INFINITY. Of a message: when it was sent, or when it had come.
 */
struct clock_part {
	struct sync_event_key key;
	uint32_t node;
	double enter, leave;
};

struct clock_tie {
	bool is_tied; /* sync_events lead from this node to the first one */
	struct clock_quad quad;
	double residual; /* corrected times are right to ± this many ns */
};

/*
 * Ties `nnodes` nodes together by n parts in sync_events, which it sorts and folds in place. Where
 * straight corrections leave an effect before its cause, they are bent. Returns by how many ns the
 * worst effect is still early, 0 as a rule; -1 without memory.
 */
double clock_solve(struct clock_part *parts, uint32_t n, struct clock_tie *ties, uint32_t nnodes);

#endif
