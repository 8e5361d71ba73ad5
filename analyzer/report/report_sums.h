/*
 * report_sums.h - sums by number for the queries of the reports. SQLite groups by sorting, which
 * takes several times as long as adding up where groups are small numbers: rows and columns of a
 * map, bins, classes.
 */
#ifndef ANALYZER_REPORT_SUMS_H
#define ANALYZER_REPORT_SUMS_H

struct sqlite3;

/*
 * Adds two functions, which views and triggers cannot call. Returns SQLite's code.
 *
 * The aggregate sums(i, name, x) adds up x for each whole number i from 0 to 16,777,215 and each of
 * at most 64 names. Its result is a value for sum_of(). A row whose i or name is NULL adds nothing,
 * an x that is NULL adds 0. Without rows it is NULL. It takes 8 bytes per name up to the name's
 * largest i. A query copies the sums for each row that reads them, so a query that reads many rows
 * should have small sums, such as one column of a map.
 *
 * sum_of(sums, i, name) is the sum for i and the name, for all names if it is NULL; 0 if no row had
 * them. NULL without sums.
 */
int report_sums_add(struct sqlite3 *db);

#endif
