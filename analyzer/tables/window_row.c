/* window_row.c - see window_row.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tables/window_row.h"
#include "tables/host_time.def"
#include "tables/device_time.def"
#include "tables/metric.def"

enum { MAX_VALUES = 3 << 19, COLUMNS_MOST = 16 };

const struct db_table host_time_table = DB_TABLE(host_time, "insert", HOST_TIME_COLUMNS);
const struct db_table device_time_table = DB_TABLE(device_time, "insert", DEVICE_TIME_COLUMNS);
const struct db_table metric_table = DB_TABLE(metric, "insert", METRIC_COLUMNS);

/* Gathered ones: the first column is the run. */
static size_t columns_of(const struct window_rows *rows)
{
	return strlen(rows->table->letters) - 2;
}

/* How many of them are before the window. */
static size_t window_place(const struct window_rows *rows)
{
	return strcspn(rows->table->letters, "w") - 1;
}

void window_row_add(struct window_rows *rows, const union db_value *columns)
{
	for (size_t i = 0, n = columns_of(rows); i < n; i++) {
		union db_value *value = ARRAY_ADD(&rows->values);

		if (value)
			*value = columns[i];
		rows->failed |= !value;
	}
}

/* Through the windows in their order. */
struct window_row_scan {
	const struct window_rows *from;
	size_t ncolumns, place, window, row; /* place: of the window among the values */
};

static bool scan_next(void *user, union db_value *values)
{
	struct window_row_scan *scan = user;
	const struct row_window *window = &scan->from->windows.at[scan->window];
	const union db_value *gathered;

	while (scan->row == window->end) {
		if (++scan->window == scan->from->windows.n)
			return false;
		scan->row = (++window)->first;
	}
	gathered = scan->from->values.at + scan->row++ * scan->ncolumns;
	memcpy(values, gathered, scan->place * sizeof(*values));
	values[scan->place].s = window->name;
	memcpy(values + scan->place + 1, gathered + scan->place,
		(scan->ncolumns - scan->place) * sizeof(*values));
	return true;
}

static int compare_windows(const void *a, const void *b)
{
	return strcmp(((const struct row_window *)a)->name, ((const struct row_window *)b)->name);
}

static int compare_names(const void *a, const void *b)
{
	const union db_value *x = a, *y = b;
	int order = strcmp(x[0].s, y[0].s);

	return order ? order : strcmp(x[1].s, y[1].s);
}

/* Orders rows by number, then by name. */
static bool is_before(const union db_value *a, const union db_value *b)
{
	return a[0].i != b[0].i ? a[0].i < b[0].i : strcmp(a[1].s, b[1].s) < 0;
}

/* Numbers come in their order, with few names each. */
static void numbered_sort(union db_value *rows, size_t n, size_t ncolumns)
{
	union db_value row[COLUMNS_MOST];
	size_t size = ncolumns * sizeof(*rows);

	for (size_t i = 1; i < n; i++) {
		size_t k = i;

		if (!is_before(&rows[i * ncolumns], &rows[(i - 1) * ncolumns]))
			continue;
		memcpy(row, &rows[i * ncolumns], size);
		for (; k > 0 && is_before(row, &rows[(k - 1) * ncolumns]); k--)
			memcpy(&rows[k * ncolumns], &rows[(k - 1) * ncolumns], size);
		memcpy(&rows[k * ncolumns], row, size);
	}
}

void window_rows_flush(struct db *db, struct window_rows *rows)
{
	struct window_row_scan scan = { .from = rows,
		.ncolumns = columns_of(rows),
		.place = window_place(rows) };

	db->failed |= rows->failed;
	if (rows->windows.n && !db->failed) {
		qsort(rows->windows.at, rows->windows.n, sizeof(*rows->windows.at),
			compare_windows);
		scan.row = rows->windows.at[0].first;
		db_put_rows(db, rows->table, scan_next, &scan);
	}
	for (size_t i = 0; i < rows->windows.n; i++)
		free(rows->windows.at[i].name);
	rows->windows.n = rows->values.n = 0;
}

void window_rows_end(struct db *db, struct window_rows *rows, const char *window)
{
	size_t n = columns_of(rows),
	       first = rows->windows.n ? rows->windows.at[rows->windows.n - 1].end : 0;
	size_t end = rows->values.n / n;
	struct row_window *last = end > first ? ARRAY_ADD(&rows->windows) : NULL;
	char *name = last ? strdup(window) : NULL;

	if (end == first)
		return;
	if (name) {
		*last = (struct row_window){ name, first, end };
		if (!rows->named)
			numbered_sort(rows->values.at + first * n, end - first, n);
		else
			qsort(rows->values.at + first * n, end - first,
				n * sizeof(*rows->values.at), compare_names);
	} else {
		rows->windows.n -= last != NULL;
		rows->failed = true;
	}
	if (rows->values.n >= MAX_VALUES)
		window_rows_flush(db, rows);
}

void window_rows_free(struct window_rows *rows)
{
	for (size_t i = 0; i < rows->windows.n; i++)
		free(rows->windows.at[i].name);
	free(rows->windows.at);
	free(rows->values.at);
}
