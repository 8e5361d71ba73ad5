/* print.h - rows of a query on stdout: aligned for people, or csv or json for programs. */
#ifndef ANALYZER_PRINT_H
#define ANALYZER_PRINT_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/json.h"
#include "report/report_db.h"

enum print_format { PRINT_TABLE, PRINT_CSV, PRINT_JSON };
#define PRINT_FORMATS "table|csv|json" /* their names, in this order */

/* What is printed: one table, or several, which are titled. */
struct print {
	enum print_format format;
	bool titled;
	bool any; /* one was printed */
	/* columns that a table for people does without when it is too wide, these first; NULL: none.
	 * Sentences among them are not in overviews. */
	const char *less;
	struct json json;
};

void print_begin(struct print *print, enum print_format format, bool titled);

/*
 * Prints all rows of a prepared statement. Where there are several tables empty ones are passed over,
 * and json is a member `name` of an object. PRINT_TABLE has `title` above them, shows columns
 * ending in _ns as durations, _bytes with their unit, others to 4 digits, and keeps to the
 * width of the terminal: texts are shortened, then columns left out, which is said; the
 * other formats give values as they are. 0, or -1 when the rows cannot be read.
 */
int print_rows(struct print *print, sqlite3_stmt *statement, const char *name, const char *title);

/* The same of the query `query` of reports/, whose failure is reported. */
int print_query(struct print *print, struct report_db *db, const char *query, const char *name,
	const char *title);

/* A result alone, above which PRINT_TABLE has the title (NULL: none). 0, or -1 without memory. */
int print_result(enum print_format format, const struct result *result, const char *title);

void print_end(struct print *print);

#endif
