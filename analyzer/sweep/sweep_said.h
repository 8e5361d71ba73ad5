/* sweep_said.h - what a study found, in sentences: the best point, what larger ones lose, what to try next. */
#ifndef ANALYZER_SWEEP_SAID_H
#define ANALYZER_SWEEP_SAID_H

#include "sweep/sweep.h"

struct report_db;

/*
 * Fills the temporary tables sweep_said and sweep_point of the database of the runs in the middle, whose
 * numbers are `run_ids` by point, 0: none of it was done; scaling_compute() was called. 0, or -1 (reported).
 */
int sweep_said_make(const struct sweep *sweep, const long long *run_ids, struct report_db *db);

/* Prints them, no wider than the terminal. 0, or -1 (reported). */
int sweep_said_print(struct report_db *db);

#endif
