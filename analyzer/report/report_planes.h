/*
 * report_planes.h - columns of whole numbers for a page's script, small: the function planes() of the
 * queries of the reports.
 */
#ifndef ANALYZER_REPORT_PLANES_H
#define ANALYZER_REPORT_PLANES_H

struct sqlite3;

/*
 * Adds the aggregate planes(x, ...), which views and triggers cannot call. SQLite's code.
 *
 * Its columns are whole numbers of 32 bits with a sign, NULL is 0. Its result is text: base64 of
 * DEFLATE (report_deflate.h) of each column's lowest bytes, then the next ones, of each row: where
 * numbers are small or alike the bytes of a plane are. Of no row it is NULL.
 */
int report_planes_add(struct sqlite3 *db);

#endif
