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

/* bytes of a column's text; nothing has to fit after the last */
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

/* The sentences of row `row`, each after its column's name. */
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
static int print_table(struct print *print, sqlite3_stmt *statement, const char *title)
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
	if (rows > 0 && print->titled)
		printf("%s%s\n\n", print->any ? "\n" : "", title);
	if ((rows > 0 || (rows == 0 && !print->titled)) && table_layout(&all, ncolumns, nshort) < 0)
		rows = -1;
	for (size_t i = 0; i < all.n; i++)
		free(all.at[i].text);
	free(all.at);
	print->any |= rows > 0;
	return rows < 0 ? -1 : 0;
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

/* NULL is the empty field. */
static void csv_value(sqlite3_stmt *statement, int column)
{
	const char *text;
	char number[TEXT_NUMBER];

	if (sqlite3_column_type(statement, column) == SQLITE_FLOAT)
		text = text_number(number, sqlite3_column_double(statement, column));
	else
		text = (const char *)sqlite3_column_text(statement, column);
	csv_text(text ? text : "");
}

static void csv_header(sqlite3_stmt *statement, int ncolumns)
{
	for (int i = 0; i < ncolumns; i++) {
		csv_text(sqlite3_column_name(statement, i));
		fputs(i + 1 < ncolumns ? "," : "\r\n", stdout);
	}
}

/* RFC 4180. An empty table has its header where it is the only one. */
static int print_csv(struct print *print, sqlite3_stmt *statement, const char *name)
{
	int ncolumns = sqlite3_column_count(statement), rows = 0, code;

	if (!print->titled)
		csv_header(statement, ncolumns);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		if (rows == 0 && print->titled) {
			printf("%s# %s\n", print->any ? "\n" : "", name);
			csv_header(statement, ncolumns);
		}
		for (int i = 0; i < ncolumns; i++) {
			csv_value(statement, i);
			fputs(i + 1 < ncolumns ? "," : "\r\n", stdout);
		}
		rows++;
	}
	print->any |= rows > 0;
	return code == SQLITE_DONE ? 0 : -1;
}

static void json_value(struct json *json, sqlite3_stmt *statement, int column)
{
	const char *key = sqlite3_column_name(statement, column), *text;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL: json_null(json, key); break;
	case SQLITE_INTEGER:
		json_integer(json, key, sqlite3_column_int64(statement, column));
		break;
	case SQLITE_FLOAT: json_number(json, key, sqlite3_column_double(statement, column)); break;
	default:
		text = (const char *)sqlite3_column_text(statement, column);
		json_text(json, key, text ? text : "");
	}
}

/* Every table is a member, also an empty one. */
static int print_json(struct print *print, sqlite3_stmt *statement, const char *name)
{
	int ncolumns = sqlite3_column_count(statement), code;

	json_array(&print->json, print->titled ? name : NULL, JSON_LINES);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		json_object(&print->json, NULL, JSON_INLINE);
		for (int i = 0; i < ncolumns; i++)
			json_value(&print->json, statement, i);
		json_end(&print->json);
	}
	json_end(&print->json);
	return code == SQLITE_DONE ? 0 : -1;
}

void print_begin(struct print *print, enum print_format format, bool titled)
{
	*print = (struct print){ .format = format, .titled = titled, .json = { .out = stdout } };
	if (format == PRINT_JSON && titled)
		json_object(&print->json, NULL, JSON_LINES);
}

int print_rows(struct print *print, sqlite3_stmt *statement, const char *name, const char *title)
{
	switch (print->format) {
	case PRINT_CSV: return print_csv(print, statement, name);
	case PRINT_JSON: return print_json(print, statement, name);
	default: return print_table(print, statement, title);
	}
}

void print_end(struct print *print)
{
	if (print->format == PRINT_JSON && print->titled)
		json_end(&print->json);
}
