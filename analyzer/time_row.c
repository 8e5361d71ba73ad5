/* time_row.c - see time_row.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "time_row.h"

enum { MAX_ROWS = 1 << 19 };

void time_row_add(struct time_rows *rows, int64_t owner, const char *state, int64_t ns)
{
	struct time_row *row = ARRAY_ADD(&rows->rows);

	if (row)
		*row = (struct time_row){ owner, state, ns };
	rows->failed |= !row;
}

/* Through the windows in their order. */
struct scan { const struct time_rows *from; size_t window, row; };

static bool scan_next(void *user, union db_value *values)
{
	struct scan *scan = user;
	const struct time_window *window = &scan->from->windows.at[scan->window];
	const struct time_row *row;

	while (scan->row == window->end) {
		if (++scan->window == scan->from->windows.n)
			return false;
		scan->row = (++window)->first;
	}
	row = &scan->from->rows.at[scan->row++];
	values[0].s = window->name;
	values[1].i = row->owner;
	values[2].s = row->state;
	values[3].i = row->ns;
	return true;
}

static int compare_windows(const void *a, const void *b)
{
	return strcmp(((const struct time_window *)a)->name, ((const struct time_window *)b)->name);
}

void time_rows_flush(struct db *db, struct time_rows *rows)
{
	struct scan scan = { .from = rows };

	if (rows->windows.n) {
		qsort(rows->windows.at, rows->windows.n, sizeof(*rows->windows.at), compare_windows);
		scan.row = rows->windows.at[0].first;
		db_put_rows(db, rows->sql, &(struct db_rows){ "sisi", scan_next, &scan });
	}
	for (size_t i = 0; i < rows->windows.n; i++)
		free(rows->windows.at[i].name);
	rows->windows.n = rows->rows.n = 0;
	db->failed |= rows->failed;
}

void time_rows_end(struct db *db, struct time_rows *rows, const char *window)
{
	size_t first = rows->windows.n ? rows->windows.at[rows->windows.n - 1].end : 0;
	struct time_window *last = ARRAY_ADD(&rows->windows);
	char *name = strdup(window);

	if (last && name) {
		*last = (struct time_window){ name, first, rows->rows.n };
	} else {
		free(name);
		rows->windows.n -= last != NULL;
		rows->failed = true;
	}
	if (rows->rows.n >= MAX_ROWS)
		time_rows_flush(db, rows);
}

void time_rows_free(struct time_rows *rows)
{
	for (size_t i = 0; i < rows->windows.n; i++)
		free(rows->windows.at[i].name);
	free(rows->windows.at);
	free(rows->rows.at);
}
