/* print.c - see print.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/term_table.h"
#include "base/log.h"
#include "cli/print.h"
#include "base/text.h"
#include "base/containers.h"

/* bytes of a column's text; nothing has to fit behind the last */
enum { CELL_MAX = 60, CELL_LAST_MAX = 400 };

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

/*
 * Control characters of a hostile name must not reach the terminal. Of what is too long for a
 * column the end stays.
 */
static char *people_text(const char *text, int most)
{
	char *clean = text_clean(text, strlen(text)), *copy = NULL, *from;
	size_t len = clean ? strlen(clean) : 0;

	if (len <= (size_t)most)
		return clean;
	from = clean + len - most + 1;
	while ((*from & 0xc0) == 0x80)
		from++;
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

/* The sentences of row `row`, each behind its column's name. */
static void prose_print(const cells *all, int ncolumns, int nshort, size_t row)
{
	int indent = 0, width = terminal_width(stdout);

	for (int i = nshort; i < ncolumns; i++)
		if (width_of(cell_text(&all->at[i])) > indent)
			indent = width_of(cell_text(&all->at[i]));
	for (int i = nshort; i < ncolumns; i++) {
		const char *name = cell_text(&all->at[i]);

		printf("  %s", name);
		pad(indent - width_of(name) + 2);
		text_wrap(cell_text(&all->at[row * ncolumns + i]), indent + 4, width);
	}
	putchar('\n');
}

/* The last columns, from `nshort` on, are sentences. 0, or -1 without memory. */
static int table_layout(const cells *all, int ncolumns, int nshort)
{
	bool any = all->n / ncolumns > 1;
	int *widths = calloc(ncolumns, sizeof(*widths));

	for (int i = 0; widths && i < nshort; i++)
		widths[i] = column_width(all, ncolumns, i);
	for (size_t row = 0; widths && row < all->n / ncolumns; row++) {
		for (int i = 0; i < nshort; i++)
			cell_print(cell_text(&all->at[row * ncolumns + i]),
				any && all->at[ncolumns + i].number, widths[i], i + 1 == nshort);
		if (row && nshort < ncolumns)
			prose_print(all, ncolumns, nshort, row);
	}
	if (!widths)
		return -1;
	free(widths);
	return 0;
}

/* All rows are kept to align them: a table for people is short. Sentences are the last columns. */
static int print_table(sqlite3_stmt *statement, const char *title, bool first)
{
	int ncolumns = sqlite3_column_count(statement), code, rows = 0;
	int nprose = prose_count(statement), nshort = ncolumns - (nprose > 1 ? nprose : 0);
	cells all = { 0 };
	struct cell *cell = NULL;

	for (int i = 0; i < ncolumns && (cell = ARRAY_ADD(&all)); i++)
		*cell = (struct cell){ header_of(sqlite3_column_name(statement, i)), false };
	while (cell && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		for (int i = 0; i < ncolumns && (cell = ARRAY_ADD(&all)); i++)
			*cell = cell_of(statement, i, i >= nshort);
		rows++;
	}
	if (!cell || code != SQLITE_DONE)
		rows = -1;
	if (rows > 0 && title)
		printf("%s%s\n\n", first ? "" : "\n", title);
	if ((rows > 0 || (rows == 0 && !title)) && table_layout(&all, ncolumns, nshort) < 0)
		rows = -1;
	for (size_t i = 0; i < all.n; i++)
		free(all.at[i].text);
	free(all.at);
	return rows;
}

/* Programs get text as it is, a terminal does not. */
static void csv_text(const char *text)
{
	char *clean = isatty(STDOUT_FILENO) ? text_clean(text, strlen(text)) : NULL;
	const char *c = clean ? clean : text;
	bool quoted = c[strcspn(c, ",\"\r\n")] != '\0';

	if (quoted)
		putchar('"');
	for (; *c; c++) {
		if (*c == '"')
			putchar('"');
		putchar(*c);
	}
	if (quoted)
		putchar('"');
	free(clean);
}

/* RFC 4180; NULL is the empty field. */
static int print_csv(sqlite3_stmt *statement, const char *name, bool first)
{
	int ncolumns = sqlite3_column_count(statement), rows = 0, code;

	while ((code = sqlite3_step(statement)) == SQLITE_ROW ||
		(rows == 0 && !name && code == SQLITE_DONE)) {
		if (rows == 0 && name)
			printf("%s# %s\n", first ? "" : "\n", name);
		for (int i = 0; rows == 0 && i < ncolumns; i++) {
			csv_text(sqlite3_column_name(statement, i));
			fputs(i + 1 < ncolumns ? "," : "\r\n", stdout);
		}
		if (code == SQLITE_DONE)
			break;
		for (int i = 0; i < ncolumns; i++) {
			const char *text = (const char *)sqlite3_column_text(statement, i);

			csv_text(text ? text : "");
			fputs(i + 1 < ncolumns ? "," : "\r\n", stdout);
		}
		rows++;
	}
	return code == SQLITE_DONE ? rows : -1;
}

/* Length of the well-formed UTF-8 sequence at `c`, 0 when it is none. */
static int utf8_length(const unsigned char *c)
{
	int n = *c < 0x80		  ? 1
		: *c >= 0xc2 && *c < 0xe0 ? 2
		: *c >= 0xe0 && *c < 0xf0 ? 3
		: *c >= 0xf0 && *c < 0xf5 ? 4
					  : 0;

	for (int i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static void json_text(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	putchar('"');
	while (*c) {
		int n = utf8_length(c);

		if (n == 0 || *c < ' ' || *c == 127) {
			printf("\\u%04x", n ? *c : 0xfffd);
			c++;
			continue;
		}
		if ((c[0] == 0xc2 && c[1] < 0xa0) ||
			(c[0] == 0xe2 && (c[1] == 0x80 || c[1] == 0x81))) {
			printf("\\u%04x",
				n == 2 ? c[1] : 0x2000 | (c[1] & 0x3f) << 6 | (c[2] & 0x3f));
			c += n; /* terminals obey these as well */
			continue;
		}
		if (*c == '"' || *c == '\\')
			putchar('\\');
		fwrite(c, 1, n, stdout);
		c += n;
	}
	putchar('"');
}

static void json_value(sqlite3_stmt *statement, int column)
{
	double number = sqlite3_column_double(statement, column);

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL: fputs("null", stdout); break;
	case SQLITE_INTEGER:
		fputs((const char *)sqlite3_column_text(statement, column), stdout);
		break;
	case SQLITE_FLOAT:
		if (isfinite(number))
			printf("%.17g", number);
		else
			fputs("null", stdout);
		break;
	default: json_text((const char *)sqlite3_column_text(statement, column));
	}
}

static int print_json(sqlite3_stmt *statement, const char *name, bool first)
{
	int ncolumns = sqlite3_column_count(statement), rows = 0, code;

	if (name) {
		fputs(first ? "\n" : ",\n", stdout);
		json_text(name);
		fputs(": ", stdout);
	}
	putchar('[');
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		fputs(rows++ ? ",\n  {" : "\n  {", stdout);
		for (int i = 0; i < ncolumns; i++) {
			fputs(i ? ", " : "", stdout);
			json_text(sqlite3_column_name(statement, i));
			fputs(": ", stdout);
			json_value(statement, i);
		}
		putchar('}');
	}
	fputs(name ? "\n]" : "\n]\n", stdout);
	return code == SQLITE_DONE ? rows : -1;
}

int print_rows(sqlite3_stmt *statement, enum print_format format, const char *name,
	const char *title, bool first)
{
	int rows;

	switch (format) {
	case PRINT_CSV: return print_csv(statement, name, first);
	case PRINT_JSON: /* every table is a member, also an empty one */
		rows = print_json(statement, name, first);
		return rows < 0 ? -1 : 1;
	default: return print_table(statement, title, first);
	}
}
