/*
 * report_planes.h - columns of whole numbers for a page's script, small: the function planes() of the
 * queries of the reports.
 */
#ifndef ANALYZER_REPORT_PLANES_H
#define ANALYZER_REPORT_PLANES_H

struct sqlite3;

/*
 * Adds the aggregate planes(x, ...), which views and triggers cannot call. Returns SQLite's code.
 * Its columns are signed 32-bit integers, NULL is 0. Its result is text: base64 of DEFLATE
 * (report_deflate.h) of each column's lowest bytes of all rows, then the next higher bytes. If
 * numbers are small or similar, the bytes of a plane are equal. Without rows the result is NULL.
 */
int report_planes_add(struct sqlite3 *db);

#endif
