/*
 * sweep_said.h - findings of a study, in sentences: the best point, the loss of larger ones, the
 * next values to try.
 */
#ifndef ANALYZER_SWEEP_SAID_H
#define ANALYZER_SWEEP_SAID_H

#include "sweep/sweep.h"

struct report_db;

/*
 * Fills the temporary tables sweep_said and sweep_point of the database of the runs in the middle.
 * `run_ids` has their numbers by point, 0: none of it was done; scaling_compute() was called. 0, or
 * -1 (reported).
 */
int sweep_said_make(const struct sweep *sweep, const long long *run_ids, struct report_db *db);

/* Prints them, no wider than the terminal. 0, or -1 (reported). */
int sweep_said_print(struct report_db *db);

#endif
