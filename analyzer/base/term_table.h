/*
 * term_table.h - small tables and sentences on a terminal, within its width: for commands that
 * format cells one by one (print.h prints the rows of a query as they are).
 */
#ifndef ANALYZER_TERM_TABLE_H
#define ANALYZER_TERM_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/containers.h"

/* Cells row by row, the first row being the header. Starts as { .ncols = N }. */
struct term_table {
	int ncols;
	ARRAY_OF(char *) cells;
};

/* One more cell. Without memory it is empty. */
void term_table_cell(struct term_table *grid, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Prints the table on stdout and empties it. The first column and the last are set left, those
 * between right; the last is truncated to the width, which "…" shows.
 */
void term_table_print(struct term_table *grid, int width);

/* Columns of the terminal that `out` is, else $COLUMNS, else 100. */
int terminal_width(FILE *out);

/* Columns of a UTF-8 text. */
int text_columns(const char *text);

/*
 * Prints a text broken between words, and ends the line. The first line has begun, with `indent`
 * columns; the others are indented by as many.
 */
void text_wrap(const char *text, int indent, int width);

#endif
