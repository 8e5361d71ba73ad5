/*
 * finding_units.h - what rules ask of every step and phase: sums over the ranks of each part of
 * the run. A run has a row of host_time per rank, step and state, so this is one scan in C.
 */
#ifndef ANALYZER_FINDING_UNITS_H
#define ANALYZER_FINDING_UNITS_H

#include <sqlite3.h>

/*
 * Registers the SQL function finding_units_fill(run_id). It fills temp.finding_sum with a row for
 * each row of temp.finding_unit, and needs temp.finding_fed, temp.finding_used and
 * temp.finding_without (reports/findings/parts.sql). SQLite's code.
 */
int finding_units_register(sqlite3 *handle);

#endif
