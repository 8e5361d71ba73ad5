/*
 * result.h - a table for people and programs: columns with a unit and a meaning, and rows. It is read
 * from a statement, or made cell by cell. One writer per form of output prints it; result_html.h has HTML.
 */
#ifndef ANALYZER_RESULT_H
#define ANALYZER_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "result/format.h"

struct sqlite3_stmt;

/*
 * A column's alias in SQL is "Title|format|definition": its format (RESULT_FORMATS) and its
 * meaning; a title alone means text.
 */
struct result_column {
	char *title;
	char *definition; /* NULL: none */
	enum result_format format;
};

struct result_cell {
	bool null, is_number;
	bool is_real;  /* a number that need not be whole */
	bool left_out; /* writers of JSON and of lists pass it over */
	double number;
	int64_t whole; /* the same, unless it is_real */
	char *text; /* NULL when null; of numbers only result_read() and result_put_whole() have it */
	size_t size; /* its bytes, of which some may be 0 where the text is as it is in the database */
};

struct result {
	int ncols;
	size_t nrows;
	struct result_column *columns;
	struct result_cell *cells; /* nrows × ncols */
	bool borrowed;		   /* the texts are SQLite's */
	bool for_terminal;	   /* CSV has texts without control characters */
	size_t room;		   /* rows in `cells` */
	int nput;		   /* cells of the last row that were put */
};

/*
 * All rows of a statement, their texts text_clean()ed. SQLite's last code: SQLITE_DONE after the last
 * row. result_free() in any case.
 */
int result_read(struct result *result, struct sqlite3_stmt *stmt);

/*
 * The same row by row, for tables of any size: result_begin() reads the columns, 0, or -1 without
 * memory; result_next() makes the next row the only one, its texts as they are, until the next call.
 * SQLITE_ROW, or SQLite's last code.
 */
int result_begin(struct result *result, struct sqlite3_stmt *stmt);
int result_next(struct result *result, struct sqlite3_stmt *stmt);

/*
 * Columns with these aliases; then cell after cell, row by row: a text, a whole number, or one whose
 * NAN is NULL. Without memory a cell is empty.
 */
void result_columns(struct result *result, const char *const *aliases, int n);
void result_put(struct result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void result_put_whole(struct result *result, int64_t value);
void result_put_number(struct result *result, double value);

void result_free(struct result *result);

static inline const struct result_cell *result_cell(const struct result *r, size_t row, int col)
{
	return &r->cells[row * r->ncols + col];
}

/* Number of the column titled `title`, -1 when there is none. */
int result_column(const struct result *r, const char *title);

/*
 * A cell of the first row by its column's title: the number, NAN for NULL or none; the text, NULL
 * alike.
 */
double result_number(const struct result *r, const char *title);
const char *result_text(const struct result *r, const char *title);

/*
 * CSV (RFC 4180): the titles, and all rows. NULL is the empty field, an empty text is "". Numbers have as
 * few digits as read back the same.
 */
void result_csv_head(FILE *out, const struct result *r);
void result_csv_rows(FILE *out, const struct result *r);

/* JSON: a row as an object, all rows as an array of these. */
void result_json_row(struct json *json, const char *key, const struct result *r, size_t row);
void result_json(struct json *json, const char *key, const struct result *r);

/* A table of Markdown; a text as it is, so that no sign of Markdown and HTML has a meaning. */
void result_markdown(FILE *out, const struct result *r);
void markdown_put(FILE *out, const char *text);

/* The layout of a table for people. */
struct result_look {
	int indent; /* columns */
	/* columns that a table too wide for the terminal does without, these first; NULL: none */
	const char *less;
	bool overview;	   /* sentences among `less` are left out in any case */
	const char *whole; /* the form of output that has all columns: csv, json */
};

/*
 * A table for people on stdout, no wider than the terminal: texts are shortened, then columns are left
 * out with a message; sentences follow below their row. Numbers have the unit of their column. 0, or -1
 * without memory.
 */
int result_print(const struct result *r, const struct result_look *look);

#endif
