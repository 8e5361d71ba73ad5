/* print_table.c - rows of a query for people, in the width of their terminal; see print.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/term_table.h"
#include "base/log.h"
#include "cli/print.h"
#include "cli/print_table.h"
#include "base/text.h"
#include "base/text_function.h"
#include "base/containers.h"

/* bytes of a column's text; nothing has to fit after the last */
enum { CELL_MAX = 60, CELL_LAST_MAX = 400, CELL_LEAST = 28 };

struct cell {
	char *text;
	bool number;
};
typedef ARRAY_OF(struct cell) cells;

static bool ends(const char *name, const char *suffix)
{
	size_t len = strlen(name), tail = strlen(suffix);

	return len >= tail && strcmp(name + len - tail, suffix) == 0;
}

/* 1.234 s, 12.3 ms, 0.456 µs: three digits that mean something. */
static char *with_unit(double value, const char *const *units, double step, int n)
{
	char *text;
	int i = 0;

	while (i + 1 < n && fabs(value) >= step) {
		value /= step;
		i++;
	}
	return asprintf(&text, "%.*f %s",
		       i == 0 && value == floor(value) ? 0
			       : fabs(value) >= 100    ? 0
			       : fabs(value) >= 10     ? 1
						       : 2,
		       value, units[i]) < 0
		? NULL
		: text;
}

static char *people_number(const char *name, double value, bool whole)
{
	static const char *const times[] = { "ns", "µs", "ms", "s" };
	static const char *const sizes[] = { "B", "kB", "MB", "GB", "TB" };
	char *text;

	if (ends(name, "_ns"))
		return with_unit(value, times, 1000, 4);
	if (ends(name, "_bytes"))
		return with_unit(value, sizes, 1000, 5);
	return asprintf(&text, whole ? "%.0f" : "%.4g", value) < 0 ? NULL : text;
}

/* The beginning of a C++ name, which says more than its last template arguments. */
static char *people_function(const char *clean, int most)
{
	char *name = text_function(clean), *copy = NULL;
	int n = most - 1;

	if (!name || strlen(name) <= (size_t)most)
		return name;
	while (n > 0 && (name[n] & 0xc0) == 0x80)
		n--;
	if (asprintf(&copy, "%.*s…", n, name) < 0)
		copy = NULL;
	free(name);
	return copy;
}

/*
 * Control characters of a hostile name must not reach the terminal. Of what is too long for a
 * column the end stays, but of functions the beginning.
 */
static char *people_text(const char *text, int most)
{
	char *clean = text_clean(text, strlen(text)), *copy = NULL, *from, *at;
	size_t len = clean ? strlen(clean) : 0;

	if (len <= (size_t)most)
		return clean;
	if (text_is_function(clean) || ends(clean, "…")) { /* which one has shortened before */
		copy = people_function(clean, most);
		free(clean);
		return copy;
	}
	from = clean + len - most + 1;
	while ((*from & 0xc0) == 0x80)
		from++;
	/* not in the middle of a word, where one ends soon */
	at = from + strcspn(from, " /");
	if (*at && at - from < most / 2)
		from = at + (*at == ' ');
	if (asprintf(&copy, "…%s", from) < 0)
		copy = NULL;
	free(clean);
	return copy;
}

/* A column of sentences. Tables with several of them have these below their rows. */
static bool is_prose(sqlite3_stmt *statement, int column)
{
	static const char *const names[] = { "message", "advice", "confidence", "evidence" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(sqlite3_column_name(statement, column), names[i]) == 0)
			return true;
	return false;
}

static int prose_count(sqlite3_stmt *statement)
{
	int n = 0;

	for (int i = 0; i < sqlite3_column_count(statement); i++)
		n += is_prose(statement, i);
	return n;
}

/* Where a name stands in a list with commas; 0: nowhere. */
static int place_in(const char *list, const char *name)
{
	size_t length = strlen(name);
	int place = 1;

	for (const char *at = list; at && *at; place++) {
		size_t n = strcspn(at, ",");

		if (n == length && strncmp(at, name, n) == 0)
			return place;
		at += n;
		at += strspn(at, ", ");
	}
	return 0;
}

static struct cell cell_of(sqlite3_stmt *statement, int column, bool whole)
{
	const char *name = sqlite3_column_name(statement, column);
	int type = sqlite3_column_type(statement, column);

	if (type == SQLITE_NULL)
		return (struct cell){ strdup("-"), true };
	if (whole && type == SQLITE_TEXT) {
		const char *text = (const char *)sqlite3_column_text(statement, column);

		return (struct cell){ text_clean(text, strlen(text)), false };
	}
	if (type == SQLITE_TEXT || type == SQLITE_BLOB)
		return (struct cell){
			people_text((const char *)sqlite3_column_text(statement, column),
				column + 1 < sqlite3_column_count(statement) ? CELL_MAX
									     : CELL_LAST_MAX),
			false
		};
	return (struct cell){ people_number(name, sqlite3_column_double(statement, column),
				      type == SQLITE_INTEGER),
		true };
}

/* Columns on a terminal: UTF-8 continuation bytes take none. */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void pad(int n)
{
	while (n-- > 0)
		putchar(' ');
}

static void cell_print(const char *text, bool right, int width, bool last)
{
	int room = width - width_of(text);

	if (right)
		pad(room);
	fputs(text, stdout);
	if (!right && !last)
		pad(room);
	fputs(last ? "\n" : "  ", stdout);
}

/* Header without the unit's suffix, which the values carry. */
static char *header_of(const char *name)
{
	char *header = strdup(name);

	if (header && ends(header, "_ns"))
		header[strlen(header) - 3] = '\0';
	else if (header && ends(header, "_bytes"))
		header[strlen(header) - 6] = '\0';
	return header;
}

static const char *cell_text(const struct cell *cell)
{
	return cell->text ? cell->text : "";
}

/* Columns on a terminal of the widest cell of a column. */
static int column_width(const cells *all, int ncolumns, int column)
{
	int most = 0;

	for (size_t k = column; k < all->n; k += ncolumns) {
		int width = width_of(cell_text(&all->at[k]));

		most = width > most ? width : most;
	}
	return most;
}

/* A table for people, as it is laid out: its header is row 0. */
struct layout {
	cells all;
	int ncolumns, nshort; /* from `nshort` on the columns are sentences, below their rows */
	int *widths;	      /* of each; -1: left out */
	int *less;	      /* its place among the columns that may be, 0: it stays */
	bool prose_last;      /* the last column is one of sentences */
	bool headers_folded;  /* the last word of each below the others */
};

static const char *layout_text(const struct layout *layout, size_t row, int column)
{
	return cell_text(&layout->all.at[row * layout->ncolumns + column]);
}

static size_t layout_rows(const struct layout *layout)
{
	return layout->all.n / layout->ncolumns;
}

/* Where a header is folded; NULL: nowhere. */
static const char *header_fold(const struct layout *layout, int column)
{
	const char *at = layout->headers_folded ? strrchr(layout_text(layout, 0, column), '_')
						: NULL;

	return at && at[1] ? at : NULL;
}

/* The columns that a header takes, which are as many as its longer part where it is folded. */
static int header_width(const struct layout *layout, int column)
{
	const char *text = layout_text(layout, 0, column), *fold = header_fold(layout, column);
	int width = width_of(text), after = fold ? width_of(fold + 1) : 0;

	if (!fold)
		return width;
	return after > width - after - 1 ? after : width - after - 1;
}

static void headers_fold(struct layout *layout)
{
	layout->headers_folded = true;
	for (int i = 0; i < layout->nshort; i++) {
		int width = header_width(layout, i);

		if (layout->widths[i] < 0)
			continue;
		for (size_t row = 1; row < layout_rows(layout); row++) {
			int cell = width_of(layout_text(layout, row, i));

			width = cell > width ? cell : width;
		}
		layout->widths[i] = width;
	}
}

static int layout_width(const struct layout *layout)
{
	int width = 0, last = 0;

	for (int i = 0; i < layout->nshort; i++)
		if (layout->widths[i] >= 0)
			width += (last = layout->widths[i]) + 2;
	return width ? width - 2 : last;
}

/* Whether a column says nothing: NULL and 0 in all rows. */
static bool is_void(const struct layout *layout, int column)
{
	for (size_t row = 1; row < layout_rows(layout); row++) {
		const char *text = layout_text(layout, row, column);

		if (strcmp(text, "-") != 0 && strcmp(text, "0") != 0 && strncmp(text, "0 ", 2) != 0)
			return false;
	}
	return true;
}

/* Leaves columns out until the rest fits: of those that may be in their order. */
static void columns_drop(struct layout *layout, int room, bool only_void)
{
	for (int place = 1; place <= layout->ncolumns; place++)
		for (int i = 0; i < layout->nshort && layout_width(layout) > room; i++)
			if (layout->less[i] == place && layout->widths[i] >= 0 &&
				(!only_void || is_void(layout, i)))
				layout->widths[i] = -1;
}

/* The same of those of which nothing is said: what tells nothing first, then from the last but one on. */
static void columns_drop_any(struct layout *layout, int room)
{
	for (int pass = 0; pass < 2; pass++)
		for (int i = layout->nshort - 2; i > 0 && layout_width(layout) > room; i--)
			if (layout->widths[i] >= 0 && (pass || is_void(layout, i)))
				layout->widths[i] = -1;
}

static bool is_text(const struct layout *layout, int column)
{
	for (size_t row = 1; row < layout_rows(layout); row++)
		if (!layout->all.at[row * layout->ncolumns + column].number)
			return true;
	return false;
}

/* Shortens the texts of the widest column until the table fits. False: none can be any more. */
static bool texts_shorten(struct layout *layout, int room, int least)
{
	int widest = -1, width;

	for (int i = 0; i < layout->nshort; i++)
		if (layout->widths[i] > least && is_text(layout, i) &&
			(widest < 0 || layout->widths[i] > layout->widths[widest]))
			widest = i;
	if (widest < 0 || layout_width(layout) <= room)
		return false;
	width = layout->widths[widest] - (layout_width(layout) - room);
	width = width < least ? least : width;
	for (size_t row = 1; row < layout_rows(layout); row++) {
		struct cell *cell = &layout->all.at[row * layout->ncolumns + widest];
		char *text = cell->text && width_of(cell->text) > width
			? people_text(cell->text, width)
			: NULL;

		if (!text)
			continue;
		free(cell->text);
		cell->text = text;
	}
	layout->widths[widest] = column_width(&layout->all, layout->ncolumns, widest);
	return layout->widths[widest] <= width;
}

static void layout_fit(struct layout *layout, int room)
{
	/* one sentence at the end of a row goes below it rather than lose its beginning */
	if (layout->nshort == layout->ncolumns && layout->prose_last && layout_width(layout) > room)
		layout->nshort--;
	columns_drop(layout, room, true);
	while (texts_shorten(layout, room, CELL_LEAST))
		;
	if (layout_width(layout) > room)
		headers_fold(layout);
	columns_drop(layout, room, false);
	while (texts_shorten(layout, room, CELL_LEAST / 2))
		;
	columns_drop_any(layout, room);
}

/* The sentences of row `row`, each after its column's name. */
static void prose_print(const struct layout *layout, size_t row)
{
	int indent = 0, width = terminal_width(stdout);

	for (int i = layout->nshort; i < layout->ncolumns; i++)
		if (layout->widths[i] >= 0 && width_of(layout_text(layout, 0, i)) > indent)
			indent = width_of(layout_text(layout, 0, i));
	for (int i = layout->nshort; i < layout->ncolumns; i++) {
		const char *name = layout_text(layout, 0, i);

		if (layout->widths[i] < 0)
			continue;
		printf("  %s", name);
		pad(indent - width_of(name) + 2);
		text_wrap(layout_text(layout, row, i), indent + 4, width);
	}
	putchar('\n');
}

/* A cell; of a folded header one of its lines. */
static void layout_cell(const struct layout *layout, size_t row, int column, int line, bool last)
{
	const char *text = layout_text(layout, row, column);
	const char *fold = row ? NULL : header_fold(layout, column);
	bool right = layout_rows(layout) > 1 && layout->all.at[layout->ncolumns + column].number;
	char *part = NULL;

	if (!row && line && fold)
		part = strndup(text, fold - text);
	else if (!row)
		part = strdup(line ? "" : fold ? fold + 1 : text);
	cell_print(part ? part : text, right, layout->widths[column], last);
	free(part);
}

static void row_print(const struct layout *layout, size_t row)
{
	int last = layout->nshort - 1;

	while (last >= 0 && layout->widths[last] < 0)
		last--;
	for (int line = !row && layout->headers_folded; line >= 0; line--)
		for (int i = 0; i <= last; i++)
			if (layout->widths[i] >= 0)
				layout_cell(layout, row, i, line, i == last);
}

/* Which columns are not shown. */
static void left_out_print(const struct layout *layout)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool any = false;

	for (int i = 0; out && i < layout->nshort; i++)
		if (layout->widths[i] < 0) {
			fprintf(out, "%s%s", any ? ", " : "(too narrow for ",
				layout_text(layout, 0, i));
			any = true;
		}
	if (out && any)
		fputs(": --format csv has them)", out);
	if (out && fclose(out) == 0 && any)
		text_wrap(text, 0, terminal_width(stdout));
	free(text);
}

static void layout_print(struct layout *layout)
{
	for (size_t row = 0; row < layout_rows(layout); row++) {
		row_print(layout, row);
		if (row && layout->nshort < layout->ncolumns)
			prose_print(layout, row);
	}
	left_out_print(layout);
}

/* 0, or -1 without memory. */
static int layout_begin(struct layout *layout, sqlite3_stmt *statement, const struct print *print)
{
	int nprose = prose_count(statement), n = sqlite3_column_count(statement);

	layout->ncolumns = n;
	layout->nshort = n - (nprose > 1 ? nprose : 0);
	layout->prose_last = is_prose(statement, n - 1);
	layout->widths = calloc(n, sizeof(*layout->widths));
	layout->less = calloc(n, sizeof(*layout->less));
	for (int i = 0; layout->widths && layout->less && i < n; i++) {
		struct cell *cell = ARRAY_ADD(&layout->all);

		if (!cell)
			return -1;
		*cell = (struct cell){ header_of(sqlite3_column_name(statement, i)), false };
		layout->less[i] = place_in(print->less, sqlite3_column_name(statement, i));
		if (i >= layout->nshort && layout->less[i] && print->titled)
			layout->widths[i] = -1;
	}
	return layout->widths && layout->less ? 0 : -1;
}

static void layout_free(struct layout *layout)
{
	for (size_t i = 0; i < layout->all.n; i++)
		free(layout->all.at[i].text);
	free(layout->all.at);
	free(layout->widths);
	free(layout->less);
}

/* All rows are kept to align them: a table for people is short. Sentences are the last columns. */
int print_table(struct print *print, sqlite3_stmt *statement, const char *title)
{
	struct layout layout = { 0 };
	int code = SQLITE_DONE, rows = layout_begin(&layout, statement, print);

	while (rows >= 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		struct cell *cell = NULL;

		for (int i = 0; i < layout.ncolumns && (cell = ARRAY_ADD(&layout.all)); i++)
			*cell = cell_of(statement, i, i >= layout.nshort);
		rows = cell ? rows + 1 : -1;
	}
	if (code != SQLITE_DONE)
		rows = -1;
	for (int i = 0; rows >= 0 && i < layout.nshort; i++)
		layout.widths[i] = column_width(&layout.all, layout.ncolumns, i);
	if (rows > 0)
		layout_fit(&layout, terminal_width(stdout));
	if (rows > 0 && print->titled) {
		fputs(print->any ? "\n" : "", stdout);
		text_wrap(title, 0, terminal_width(stdout));
		putchar('\n');
	}
	if (rows > 0 || (rows == 0 && !print->titled))
		layout_print(&layout);
	layout_free(&layout);
	print->any |= rows > 0;
	return rows < 0 ? -1 : 0;
}
