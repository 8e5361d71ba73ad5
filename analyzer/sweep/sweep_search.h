/* sweep_search.h - the best of the points by successive halving, and how sure that is. */
#ifndef ANALYZER_SWEEP_SEARCH_H
#define ANALYZER_SWEEP_SEARCH_H

#include "sweep/sweep.h"

/* Runs that a point may get, and runs of the whole search. */
size_t sweep_search_depth(const struct study *study);
size_t sweep_search_planned(const struct study *study);

/*
 * Measures all points, keeps the better half by the median, measures these again, until two are left.
 * As sweep_go().
 */
int sweep_search(struct sweep *sweep);

/* 1 is the best, 0: the point has no measurement. */
size_t sweep_search_place(const struct sweep *sweep, size_t point);

/* What was tried and found, in sentences; to be freed, NULL without memory. */
char *sweep_search_text(const struct sweep *sweep);

#endif
