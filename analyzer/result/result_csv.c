/* result_csv.c - a result as CSV; see result.h. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/result.h"

static void text_put(FILE *out, const char *text, size_t size)
{
	if (size)
		text_put_csv(out, text, size);
	else
		fputs("\"\"", out);
}

static void field_end(FILE *out, const struct result *r, int column)
{
	fputs(column + 1 < r->ncols ? "," : "\r\n", out);
}

void result_csv_head(FILE *out, const struct result *r)
{
	for (int i = 0; i < r->ncols; i++) {
		const char *title = r->columns[i].format == FORMAT_WHY ? "Reason"
								       : r->columns[i].title;

		text_put(out, title, strlen(title));
		field_end(out, r, i);
	}
}

static void cell_put(FILE *out, const struct result_cell *cell, bool clean)
{
	char number[TEXT_NUMBER], *text;

	if (cell->is_number && !cell->is_real)
		fprintf(out, "%" PRId64, cell->whole);
	else if (cell->is_real)
		fputs(text_number(number, cell->number), out);
	else if (cell->text && clean) {
		text = text_clean(cell->text, cell->size);
		text_put(out, text ? text : "", text ? strlen(text) : 0);
		free(text);
	} else if (cell->text)
		text_put(out, cell->text, cell->size);
}

void result_csv_rows(FILE *out, const struct result *r)
{
	for (size_t row = 0; row < r->nrows; row++)
		for (int i = 0; i < r->ncols; i++) {
			cell_put(out, result_cell(r, row, i), r->for_terminal);
			field_end(out, r, i);
		}
}
