/*
 * scorep.h - what Score-P counts for a collective: a rank's bytes times the
 * ranks that they may go to or come from, whatever the operation does.
 */
#ifndef ANALYZER_SCOREP_H
#define ANALYZER_SCOREP_H

#include "model/model.h"

/*
 * Returns the event with the rank's own bytes, as other tools report them: for an all-reduce among
 * n ranks count × size instead of n times that. In place Score-P counts n - 1 times; if the bytes
 * are divisible by both, n is assumed, and the result may be 1/n too small. In other archives
 * events are unchanged. `plain` is storage for the result.
 */
const struct event *scorep_plain(const struct model *model, const struct event *event,
	struct event *plain);

#endif
