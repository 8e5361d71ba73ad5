/*
 * result_print.c - a result for people, in the width of their terminal; see result.h. A column whose name
 * ends in _ns or _bytes has that unit.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "base/text_function.h"
#include "result/result.h"

/* bytes of a column's text; the last column may be longer */
enum { CELL_MAX = 60, CELL_LAST_MAX = 400, CELL_LEAST = 28 };

static bool ends(const char *name, const char *suffix)
{
	size_t len = strlen(name), tail = strlen(suffix);

	return len >= tail && strcmp(name + len - tail, suffix) == 0;
}

static enum result_format format_of(const struct result_column *column)
{
	return column->format != FORMAT_TEXT	? column->format
		: ends(column->title, "_ns")	? FORMAT_NS
		: ends(column->title, "_bytes") ? FORMAT_BYTES
						: FORMAT_TEXT;
}

/* The beginning of a C++ name, which identifies it better than its last template arguments. */
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

/* Shortens a text to `most` bytes: keeps the end, but the beginning of a function. */
static char *people_text(const char *text, int most)
{
	char *copy = NULL;
	const char *from, *at;
	size_t len = strlen(text);

	if (len <= (size_t)most)
		return strdup(text);
	if (text_is_function(text) || ends(text, "…")) /* shortened before */
		return people_function(text, most);
	from = text + len - most + 1;
	while ((*from & 0xc0) == 0x80)
		from++;
	/* begin with a whole word if one begins soon */
	at = from + strcspn(from, " /");
	if (*at && at - from < most / 2)
		from = at + (*at == ' ');
	if (asprintf(&copy, "…%s", from) < 0)
		copy = NULL;
	return copy;
}

/* True for a column of sentences. Several such columns are printed below their row. */
static bool is_prose(const struct result *r, int column)
{
	static const char *const names[] = { "message", "advice", "confidence", "evidence" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(r->columns[column].title, names[i]) == 0)
			return true;
	return false;
}

static int prose_count(const struct result *r)
{
	int n = 0;

	for (int i = 0; i < r->ncols; i++)
		n += is_prose(r, i);
	return n;
}

/* The place of a name in a list with commas; 0: it is not in the list. */
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

/* A cell's text, to be freed; of a column `in_line` no longer than fits beside the others. */
static char *cell_make(const struct result *r, size_t row, int column, bool in_line)
{
	const struct result_cell *cell = result_cell(r, row, column);
	enum result_format format = format_of(&r->columns[column]);
	char buf[64];

	if (cell->null)
		return strdup("-");
	if (!cell->is_number)
		return in_line
			? people_text(cell->text, column + 1 < r->ncols ? CELL_MAX : CELL_LAST_MAX)
			: strdup(cell->text);
	if (format != FORMAT_TEXT)
		number_format(buf, sizeof(buf), format, cell->number);
	else if (cell->is_real)
		snprintf(buf, sizeof(buf), "%.4g", cell->number);
	else
		snprintf(buf, sizeof(buf), "%" PRId64, cell->whole);
	return strdup(buf);
}

static void pad(int n)
{
	while (n-- > 0)
		putchar(' ');
}

static void cell_print(const char *text, bool right, int width, bool last)
{
	int room = width - text_columns(text);

	if (right)
		pad(room);
	fputs(text, stdout);
	if (!right && !last)
		pad(room);
	fputs(last ? "\n" : "  ", stdout);
}

/* Header without the unit's suffix, which the values carry. */
static char *header_of(const struct result_column *column)
{
	size_t length = strlen(column->title);

	if (column->format == FORMAT_TEXT && ends(column->title, "_ns"))
		length -= strlen("_ns");
	else if (column->format == FORMAT_TEXT && ends(column->title, "_bytes"))
		length -= strlen("_bytes");
	return strndup(column->title, length);
}

/* The layout of a table: its header is row 0. */
struct layout {
	const struct result *r;
	const struct result_look *look;
	size_t nrows;	      /* with the header */
	int ncolumns, nshort; /* from `nshort` on the columns are sentences, below their rows */
	char **texts;	      /* nrows × ncolumns */
	int *widths;	      /* of each column; -1: left out */
	int *less;	      /* its place in look->less; 0: it stays */
	bool headers_folded;  /* the last word of each below the others */
};

static const char *layout_text(const struct layout *layout, size_t row, int column)
{
	const char *text = layout->texts[row * layout->ncolumns + column];

	return text ? text : "";
}

/* Columns on a terminal of the widest cell of a column. */
static int column_width(const struct layout *layout, int column, size_t first)
{
	int most = 0;

	for (size_t row = first; row < layout->nrows; row++) {
		int width = text_columns(layout_text(layout, row, column));

		most = width > most ? width : most;
	}
	return most;
}

/* Where a header is folded; NULL: nowhere. */
static const char *header_fold(const struct layout *layout, int column)
{
	const char *at = layout->headers_folded ? strrchr(layout_text(layout, 0, column), '_')
						: NULL;

	return at && at[1] ? at : NULL;
}

/* The width of a header: if it is folded, that of its longer part. */
static int header_width(const struct layout *layout, int column)
{
	const char *text = layout_text(layout, 0, column), *fold = header_fold(layout, column);
	int width = text_columns(text), after = fold ? text_columns(fold + 1) : 0;

	if (!fold)
		return width;
	return after > width - after - 1 ? after : width - after - 1;
}

static void headers_fold(struct layout *layout)
{
	layout->headers_folded = true;
	for (int i = 0; i < layout->nshort; i++) {
		int header = header_width(layout, i), width = column_width(layout, i, 1);

		if (layout->widths[i] >= 0)
			layout->widths[i] = header > width ? header : width;
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

/* True if a column has NULL or 0 in all rows. */
static bool is_void(const struct layout *layout, int column)
{
	for (size_t row = 1; row < layout->nrows; row++) {
		const char *text = layout_text(layout, row, column);

		if (strcmp(text, "-") != 0 && strcmp(text, "0") != 0 && strncmp(text, "0 ", 2) != 0)
			return false;
	}
	return true;
}

/* Leaves out columns of look->less in its order until the table fits. */
static void columns_drop(struct layout *layout, int room, bool only_void)
{
	for (int place = 1; place <= layout->ncolumns; place++)
		for (int i = 0; i < layout->nshort && layout_width(layout) > room; i++)
			if (layout->less[i] == place && layout->widths[i] >= 0 &&
				(!only_void || is_void(layout, i)))
				layout->widths[i] = -1;
}

/* The same for any column: first the void ones, then from the last but one to the left. */
static void columns_drop_any(struct layout *layout, int room)
{
	for (int pass = 0; pass < 2; pass++)
		for (int i = layout->nshort - 2; i > 0 && layout_width(layout) > room; i--)
			if (layout->widths[i] >= 0 && (pass || is_void(layout, i)))
				layout->widths[i] = -1;
}

static bool is_text(const struct layout *layout, int column)
{
	for (size_t row = 0; row < layout->r->nrows; row++) {
		const struct result_cell *cell = result_cell(layout->r, row, column);

		if (!cell->null && !cell->is_number)
			return !format_is_number(layout->r->columns[column].format);
	}
	return false;
}

/* True for numbers: by the column's format, else by its first row. */
static bool is_right(const struct layout *layout, int column)
{
	if (format_is_number(layout->r->columns[column].format) || !layout->r->nrows)
		return layout->r->nrows;
	return result_cell(layout->r, 0, column)->null ||
		result_cell(layout->r, 0, column)->is_number;
}

/* Shortens the texts of the widest column. False: the table fits, or no text can be shorter. */
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
	for (size_t row = 1; row < layout->nrows; row++) {
		char **cell = &layout->texts[row * layout->ncolumns + widest];
		char *text = *cell && text_columns(*cell) > width ? people_text(*cell, width)
								  : NULL;

		if (!text)
			continue;
		free(*cell);
		*cell = text;
	}
	layout->widths[widest] = column_width(layout, widest, 0);
	return layout->widths[widest] <= width;
}

static void layout_fit(struct layout *layout, int room)
{
	/* a sentence at the end of a row moves below it, as it must not lose its beginning */
	if (layout->nshort == layout->ncolumns && is_prose(layout->r, layout->ncolumns - 1) &&
		layout_width(layout) > room)
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

/* Prints the sentences of a row, each after the name of its column. */
static void prose_print(const struct layout *layout, size_t row)
{
	int indent = 0, width = terminal_width(stdout);

	for (int i = layout->nshort; i < layout->ncolumns; i++)
		if (layout->widths[i] >= 0 && text_columns(layout_text(layout, 0, i)) > indent)
			indent = text_columns(layout_text(layout, 0, i));
	for (int i = layout->nshort; i < layout->ncolumns; i++) {
		const char *name = layout_text(layout, 0, i);

		if (layout->widths[i] < 0)
			continue;
		printf("  %s", name);
		pad(indent - text_columns(name) + 2);
		text_wrap(layout_text(layout, row, i), indent + 4, width);
	}
	putchar('\n');
}

/* Prints a cell, or one line of a folded header. */
static void layout_cell(const struct layout *layout, size_t row, int column, int line, bool last)
{
	const char *text = layout_text(layout, row, column);
	const char *fold = row ? NULL : header_fold(layout, column);
	bool right = is_right(layout, column);
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

	while (last > 0 && (layout->widths[last] < 0 || !*layout_text(layout, row, last)))
		last--;
	for (int line = !row && layout->headers_folded; line >= 0; line--) {
		pad(layout->look->indent);
		for (int i = 0; i <= last; i++)
			if (layout->widths[i] >= 0)
				layout_cell(layout, row, i, line, i == last);
	}
}

/* Names the columns that are left out. */
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
		fprintf(out, ": --format %s has them)", layout->look->whole);
	if (out && fclose(out) == 0 && any)
		text_wrap(text, 0, terminal_width(stdout));
	free(text);
}

static void layout_print(struct layout *layout)
{
	for (size_t row = 0; row < layout->nrows; row++) {
		row_print(layout, row);
		if (row && layout->nshort < layout->ncolumns)
			prose_print(layout, row);
	}
	left_out_print(layout);
}

/* 0, or -1 without memory. */
static int layout_begin(struct layout *layout)
{
	const struct result *r = layout->r;
	int nprose = prose_count(r);
	size_t n = (size_t)r->ncols;

	layout->nrows = r->nrows + 1;
	layout->ncolumns = r->ncols;
	layout->nshort = r->ncols - (nprose > 1 ? nprose : 0);
	layout->texts = calloc(layout->nrows * n, sizeof(*layout->texts));
	layout->widths = calloc(n, sizeof(*layout->widths));
	layout->less = calloc(n, sizeof(*layout->less));
	if (!layout->texts || !layout->widths || !layout->less)
		return -1;
	for (int i = 0; i < r->ncols; i++) {
		layout->texts[i] = header_of(&r->columns[i]);
		for (size_t row = 0; row < r->nrows; row++)
			layout->texts[(row + 1) * r->ncols + i] = cell_make(r, row, i,
				i < layout->nshort);
		layout->less[i] = place_in(layout->look->less, r->columns[i].title);
		if (i < layout->nshort)
			layout->widths[i] = column_width(layout, i, 0);
		else if (layout->less[i] && layout->look->overview)
			layout->widths[i] = -1;
	}
	return 0;
}

int result_print(const struct result *r, const struct result_look *look)
{
	struct layout layout = { .r = r, .look = look };
	int ret = layout_begin(&layout);

	if (ret == 0 && r->nrows)
		layout_fit(&layout, terminal_width(stdout) - look->indent);
	if (ret == 0)
		layout_print(&layout);
	for (size_t i = 0; layout.texts && i < layout.nrows * layout.ncolumns; i++)
		free(layout.texts[i]);
	free(layout.texts);
	free(layout.widths);
	free(layout.less);
	return ret;
}
