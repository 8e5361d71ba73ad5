/*
 * report_sums.h - sums by number for the queries of the reports. SQLite groups by sorting, which
 * takes several times as long as adding up where groups are small numbers: rows and columns of a
 * map, bins, classes.
 */
#ifndef ANALYZER_REPORT_SUMS_H
#define ANALYZER_REPORT_SUMS_H

struct sqlite3;

/*
 * Adds two functions, which views and triggers cannot call. SQLite's code.
 *
 * The aggregate sums(i, name, x): the sums of x of each whole number i from 0 to 16,777,215 and
 * each of at most 64 names, as something that sum_of() reads. A row whose i or name is NULL adds
 * nothing, an x that is NULL adds 0. Of no row it is NULL. Its memory is 8 bytes per name up to the
 * name's largest i. A query copies sums for each row that it reads them with: they should be small
 * where it reads many, as of one column of a map.
 *
 * sum_of(sums, i, name): the sum of i and the name, of all names when it is NULL; 0 where there was
 * none. NULL without sums.
 */
int report_sums_add(struct sqlite3 *db);

#endif
