/* evidence.h - whether the times that a finding's message states are in the rows of its evidence. */
#ifndef TESTS_UNIT_EVIDENCE_H
#define TESTS_UNIT_EVIDENCE_H

#include <sqlite3.h>
#include <stdbool.h>

/*
 * `select` stands on the first row; its columns in seconds are called s or end in _s, as well with ms and
 * us. A time is there as a value, or as the sum or mean of a column. Prints those that are not.
 */
bool evidence_has_times(sqlite3_stmt *select, const char *message);

/* Rules (RULE/VARIANT) whose message has times that are made of more than their evidence shows. */
bool evidence_is_partial(const char *rule);

#endif
