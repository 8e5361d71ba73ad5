/*
 * db_sum.h - SQLite's sum() refuses whole numbers that add up to more than 2^63. The times of many
 * ranks do after 292 years of them all together: a month of 3,500 ranks.
 */
#ifndef ANALYZER_DB_SUM_H
#define ANALYZER_DB_SUM_H

struct sqlite3;

/* Puts one in its place that gives a real number then. SQLite's code. */
int db_sum_add(struct sqlite3 *db);

#endif
