/*
 * result_html.h - a result as a table of HTML, and its parts for tables of another shape. Reasons of
 * NULLs are numbered notes below the table.
 */
#ifndef ANALYZER_RESULT_HTML_H
#define ANALYZER_RESULT_HTML_H

#include "result/result.h"

enum { HTML_NOTES = 20 };

/* Reasons below a table, numbered in the order of their first use. */
struct html_notes {
	const char *texts[HTML_NOTES];
	int count;
};

/* A table of rows [first, last) with its head and its notes. */
void result_html(FILE *out, const struct result *r, const char *caption, size_t first, size_t last);

/* The meanings of the columns, folded, as hovering does not work on paper and on phones. */
void result_html_meanings(FILE *out, const struct result *r);

/*
 * Begins a table; `is_rest`: it continues another one. Each region of a page has its own name:
 * sections have captions of tables as headings.
 */
void html_table_open(FILE *out, const char *caption, bool is_rest);

/* A cell; `why`: the reason of a NULL or a warning, which becomes a note, or NULL. */
void html_cell(FILE *out, const struct result_cell *cell, enum result_format format,
	const char *why, struct html_notes *notes);
void html_notes_put(FILE *out, const struct html_notes *notes);

/* A word with its meaning on hover, or (meaning) as an entry of a list. */
void html_term(FILE *out, const char *term, const char *meaning);
void html_meaning(FILE *out, const char *term, const char *meaning);

/* The reason for a cell's value: from the next column, or, for NULL, from the column of the row. */
const char *result_why(const struct result *r, size_t row, int col);

#endif
