/*
 * window_row.h - figures of many windows on their way into host_time, device_time and metric.
 * Figures of steps are most of the database's rows. SQLite takes less than half of the time for
 * rows in the order of the key, whose first part is the window's name. So rows are gathered, up to
 * a limit, and written sorted.
 */
#ifndef ANALYZER_WINDOW_ROW_H
#define ANALYZER_WINDOW_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "db/db.h"
#include "base/containers.h"

/* The tables, for struct window_rows and for single rows. */
extern const struct db_table host_time_table, device_time_table, metric_table;

struct row_window {
	char *name;
	size_t first, end;
}; /* of its rows */

struct window_rows {
	const struct db_table *table; /* gathered: all columns but the run and the window */
	bool named; /* the columns begin with two names, else a number and one: its key */
	ARRAY_OF(union db_value) values; /* row by row */
	ARRAY_OF(struct row_window) windows;
	bool failed; /* out of memory (reported) */
};

/*
 * One more row, made by DB_GATHERED(), of the window that window_rows_end() will name; texts stay
 * valid until the flush.
 */
void window_row_add(struct window_rows *rows, const union db_value *columns);

/* The window has all its rows. */
void window_rows_end(struct db *db, struct window_rows *rows, const char *window);

/* Writes the gathered rows, before the table is read. */
void window_rows_flush(struct db *db, struct window_rows *rows);
void window_rows_free(struct window_rows *rows);

#endif
