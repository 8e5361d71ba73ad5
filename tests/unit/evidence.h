/* evidence.h - whether the times that a finding's message states are in the rows of its evidence. */
#ifndef TESTS_UNIT_EVIDENCE_H
#define TESTS_UNIT_EVIDENCE_H

#include <sqlite3.h>
#include <stdbool.h>

/*
 * `select` is at the first row; its columns in seconds are called s or end in _s, and likewise with
 * ms and us. A time counts as present as a value, or as the sum or mean of a column. Prints the
 * times that are not.
 */
bool evidence_has_times(sqlite3_stmt *select, const char *message);

/*
 * Rules (RULE/VARIANT) with times in their message that are made of more than their evidence shows.
 */
bool evidence_is_partial(const char *rule);

#endif
