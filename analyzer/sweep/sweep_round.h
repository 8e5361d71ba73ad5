/* sweep_round.h - runs of a study, one after the other. For sweep.c and sweep_search.c. */
#ifndef ANALYZER_SWEEP_ROUND_H
#define ANALYZER_SWEEP_ROUND_H

#include "sweep/sweep.h"

/* The runs `from` to `to` of the points that are in (NULL: all). As sweep_go(). */
int sweep_round(struct sweep *sweep, const bool *in, size_t from, size_t to);

/* How many runs ended so. */
size_t sweep_count(const struct sweep *sweep, enum sweep_end end);

#endif
