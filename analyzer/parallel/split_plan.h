/* split_plan.h - who reads which locations; see split.h. */
#ifndef ANALYZER_SPLIT_PLAN_H
#define ANALYZER_SPLIT_PLAN_H

#include <stdint.h>

struct engine;

/*
 * Divides the families of locations among at most `wished` readers, by their
 * numbers of events, neighbours together. Sets the owners of split.h and
 * returns how many readers there are; below 2 the work is not shared. -1
 * without memory (reported).
 */
int split_plan(struct engine *engine, int wished);

/* In a reader: who has the members of each communicator. 0, or -1 without memory (reported). */
int split_plan_comms(struct engine *engine);
void split_plan_free(struct engine *engine);

/* Events of all locations, as defined. */
uint64_t split_plan_events(const struct engine *engine);

#endif
