/*
 * time_row.h - what ranks or devices did in each window, on its way into host_time or device_time.
 * Of steps these are most rows of the database; SQLite writes rows that come in the order of the
 * key in less than half of the time, and a window's name stands before its number in it. So
 * they are gathered, up to a limit, and written sorted.
 */
#ifndef ANALYZER_TIME_ROW_H
#define ANALYZER_TIME_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

struct db;

struct time_row { int64_t owner; const char *state; int64_t ns; };

struct time_window { char *name; size_t first, end; };	/* of its rows */

struct time_rows {
	const char *sql;		/* insert ... select ... from rows: c0 window, c1 owner, c2 state, c3 ns */
	ARRAY_OF(struct time_row) rows;
	ARRAY_OF(struct time_window) windows;
	bool failed;			/* out of memory (reported) */
};

/* One more row of the window that time_rows_end() will name; `state` stays valid. */
void time_row_add(struct time_rows *rows, int64_t owner, const char *state, int64_t ns);

/* The window has all its rows. */
void time_rows_end(struct db *db, struct time_rows *rows, const char *window);

/* Writes what has been gathered: before anybody reads the table. */
void time_rows_flush(struct db *db, struct time_rows *rows);
void time_rows_free(struct time_rows *rows);

#endif
