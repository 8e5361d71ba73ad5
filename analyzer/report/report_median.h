/*
 * report_median.h - median(x) for the queries of the reports: SQLite's own shell has it since 3.47,
 * its library has not, and a median by row numbers sorts whole rows.
 */
#ifndef ANALYZER_REPORT_MEDIAN_H
#define ANALYZER_REPORT_MEDIAN_H

struct sqlite3;

/*
 * Adds the aggregate median(x): the middle one of its numbers, the mean of the middle two where
 * there is none; NULLs do not count, of no number it is NULL. Its memory is 8 bytes per number of a
 * group. SQLite's code.
 */
int report_median_add(struct sqlite3 *db);

#endif
