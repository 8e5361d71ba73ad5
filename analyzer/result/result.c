/* result.c - see result.h. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/result.h"

/* FORMAT_COUNT_OF: there is no such format; an empty one means text. */
static enum result_format format_find(const char *name, size_t length)
{
	static const char *const names[] = {
#define FORMAT(id, text, number) text,
		RESULT_FORMATS(FORMAT)
#undef FORMAT
	};
	int i = 0;

	if (length == 0 && name[1] && name[1] != ' ')
		return FORMAT_TEXT;
	while (i < FORMAT_COUNT_OF &&
		(strlen(names[i]) != length || strncmp(names[i], name, length) != 0))
		i++;
	return i;
}

/* An alias of another form, as of an expression with ||, is a title. */
static int column_parse(struct result_column *column, const char *alias)
{
	const char *bar = strchr(alias, '|');
	char *rest;

	column->title = strdup(alias);
	if (!column->title)
		return -1;
	column->format = bar ? format_find(bar + 1, strcspn(bar + 1, "|")) : FORMAT_TEXT;
	if (column->format == FORMAT_COUNT_OF)
		column->format = FORMAT_TEXT;
	else if (bar) {
		rest = column->title;
		strsep(&rest, "|");
		strsep(&rest, "|");
		column->definition = rest; /* in the title's memory */
	}
	return 0;
}

int result_begin(struct result *r, sqlite3_stmt *stmt)
{
	*r = (struct result){ .ncols = sqlite3_column_count(stmt) };
	r->columns = calloc(r->ncols, sizeof(*r->columns));
	for (int i = 0; r->columns && i < r->ncols; i++)
		if (column_parse(&r->columns[i], sqlite3_column_name(stmt, i)) < 0)
			return -1;
	return r->columns ? 0 : -1;
}

static struct result_cell cell_read(sqlite3_stmt *stmt, int i)
{
	int type = sqlite3_column_type(stmt, i);
	struct result_cell cell = { .null = type == SQLITE_NULL,
		.is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT,
		.is_real = type == SQLITE_FLOAT,
		.number = NAN };

	if (cell.is_real)
		cell.number = sqlite3_column_double(stmt, i);
	else if (cell.is_number)
		cell.number = (double)(cell.whole = sqlite3_column_int64(stmt, i));
	return cell;
}

/* size 0: it is cleaned. */
static void text_take(struct result_cell *cell, char *text, int size)
{
	cell->text = text;
	cell->size = size || !text ? (size_t)size : strlen(text);
}

int result_next(struct result *r, sqlite3_stmt *stmt)
{
	int status;

	r->borrowed = true;
	r->nrows = 0;
	if (!r->cells)
		r->cells = calloc(r->ncols, sizeof(*r->cells));
	if (!r->cells)
		return SQLITE_NOMEM;
	status = sqlite3_step(stmt);
	if (status != SQLITE_ROW)
		return status;
	r->nrows = 1;
	for (int i = 0; i < r->ncols; i++) {
		r->cells[i] = cell_read(stmt, i);
		if (!r->cells[i].null && !r->cells[i].is_number)
			text_take(&r->cells[i], (char *)sqlite3_column_text(stmt, i),
				sqlite3_column_bytes(stmt, i));
	}
	return status;
}

/* Adds a row of NULLs. 0, or -1 without memory. */
static int row_add(struct result *r)
{
	if (r->nrows == r->room) {
		size_t larger = r->room ? 2 * r->room : 16;
		struct result_cell *cells = reallocarray(r->cells, larger * r->ncols,
			sizeof(*cells));

		if (!cells)
			return -1;
		r->cells = cells;
		r->room = larger;
	}
	for (int i = 0; i < r->ncols; i++)
		r->cells[r->nrows * r->ncols + i] = (struct result_cell){ .null = true,
			.number = NAN };
	r->nrows++;
	return 0;
}

static int row_read(struct result *r, sqlite3_stmt *stmt)
{
	if (row_add(r) < 0)
		return -1;
	for (int i = 0; i < r->ncols; i++) {
		struct result_cell *cell = &r->cells[(r->nrows - 1) * r->ncols + i];
		const char *text;

		*cell = cell_read(stmt, i);
		if (cell->null)
			continue;
		text = (const char *)sqlite3_column_text(stmt, i);
		text_take(cell, text_clean(text ? text : "", sqlite3_column_bytes(stmt, i)), 0);
		if (!cell->text)
			return -1;
	}
	return 0;
}

int result_read(struct result *r, sqlite3_stmt *stmt)
{
	int status;

	if (result_begin(r, stmt) < 0)
		return SQLITE_NOMEM;
	while ((status = sqlite3_step(stmt)) == SQLITE_ROW)
		if (row_read(r, stmt) < 0)
			return SQLITE_NOMEM;
	return status;
}

void result_columns(struct result *r, const char *const *aliases, int n)
{
	*r = (struct result){ .ncols = n, .nput = n, .columns = calloc(n, sizeof(*r->columns)) };
	for (int i = 0; r->columns && i < n; i++)
		column_parse(&r->columns[i], aliases[i]);
}

/* The next cell; NULL without memory. */
static struct result_cell *cell_add(struct result *r)
{
	if (r->nput == r->ncols && row_add(r) == 0)
		r->nput = 0;
	return r->nput < r->ncols ? &r->cells[(r->nrows - 1) * r->ncols + r->nput++] : NULL;
}

void result_put(struct result *r, const char *format, ...)
{
	struct result_cell *cell = cell_add(r);
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (cell && text)
		text_take(cell, text_clean(text, strlen(text)), 0);
	if (cell)
		cell->null = !cell->text;
	free(text);
}

void result_put_whole(struct result *r, int64_t value)
{
	struct result_cell *cell;

	result_put(r, "%" PRId64, value);
	cell = r->nrows ? &r->cells[(r->nrows - 1) * r->ncols + r->nput - 1] : NULL;
	if (cell && cell->text) {
		cell->is_number = true;
		cell->number = (double)(cell->whole = value);
	}
}

void result_put_number(struct result *r, double value)
{
	struct result_cell *cell = cell_add(r);

	if (!cell || isnan(value))
		return;
	*cell = (struct result_cell){ .is_number = true, .is_real = true, .number = value };
}

void result_free(struct result *r)
{
	for (size_t i = 0; !r->borrowed && i < r->nrows * r->ncols; i++)
		free(r->cells[i].text);
	for (int i = 0; r->columns && i < r->ncols; i++)
		free(r->columns[i].title);
	free(r->cells);
	free(r->columns);
	*r = (struct result){ 0 };
}

int result_column(const struct result *r, const char *title)
{
	for (int i = 0; i < r->ncols; i++)
		if (strcmp(r->columns[i].title, title) == 0)
			return i;
	return -1;
}

double result_number(const struct result *r, const char *title)
{
	int i = result_column(r, title);

	return i < 0 || !r->nrows ? NAN : result_cell(r, 0, i)->number;
}

const char *result_text(const struct result *r, const char *title)
{
	int i = result_column(r, title);

	return i < 0 || !r->nrows ? NULL : result_cell(r, 0, i)->text;
}
