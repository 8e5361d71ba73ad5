/*
 * merge_whole.h - the quick way through a run: all that its threads have recorded as totals, as a bounded
 * spool has of what it gave up, and nothing in detail but MPI_Init and what follows MPI_Finalize.
 */
#ifndef ANALYZER_MERGE_WHOLE_H
#define ANALYZER_MERGE_WHOLE_H

#include "merge/merge_model.h"

/*
 * Whether this merge writes totals: if they are asked for, or else (struct merge_options) if the records are more
 * than can be analysed soon, and no devices have any.
 */
void whole_choose(struct merge *m, int jobs);

/*
 * Before the first pass over a process. Threads with what totals have no place for (lost records, damage,
 * captures, counters) stay as they are. 0, or -1 without memory (reported).
 */
int whole_sum(struct process *process);

#endif
