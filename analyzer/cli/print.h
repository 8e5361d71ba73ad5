/* print.h - rows of a query on stdout: aligned for people, or csv or json for programs. */
#ifndef ANALYZER_PRINT_H
#define ANALYZER_PRINT_H

#include <sqlite3.h>
#include <stdbool.h>

enum print_format { PRINT_TABLE, PRINT_CSV, PRINT_JSON };
#define PRINT_FORMATS "table|csv|json" /* their names, in this order */

/*
 * Prints all rows of a prepared statement. With `name` it is one of several
 * tables: empty ones are passed over, `title` stands above, json is a member
 * `name` of an object (`first`: no comma before it). PRINT_TABLE shows columns
 * ending in _ns as durations, _bytes with their unit, others to 4 digits; the
 * other formats give values as they are. Returns the number of rows, or -1.
 */
int print_rows(sqlite3_stmt *statement, enum print_format format, const char *name,
	const char *title, bool first);

#endif
