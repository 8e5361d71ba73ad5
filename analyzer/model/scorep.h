/*
 * scorep.h - what Score-P counts for a collective: a rank's bytes times the
 * ranks that they may go to or come from, whatever the operation does.
 */
#ifndef ANALYZER_SCOREP_H
#define ANALYZER_SCOREP_H

#include "model/model.h"

/*
 * The event with the rank's own bytes, as other tools report them: of an all-reduce among n ranks
 * count × size instead of n times that. In place it is n - 1 times; where both divide, n is taken:
 * then it is 1/n less than it was. Of other archives and events the same. `plain` is room for it.
 */
const struct event *scorep_plain(const struct model *model, const struct event *event,
	struct event *plain);

#endif
