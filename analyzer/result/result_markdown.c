/* result_markdown.c - a result as a table of Markdown; see result.h. */
#include "config.h"

#include <string.h>

#include "result/result.h"

void markdown_put(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if (strchr("\\`*_[]|#~$", *text))
			fprintf(out, "\\%c", *text);
		else
			putc(*text, out);
	}
}

static void cell_put(FILE *out, const struct result_column *column, const struct result_cell *cell)
{
	const char *text = cell->text;
	char buf[64];

	if (cell->null)
		text = "–";
	else if (cell->is_number)
		text = number_format(buf, sizeof(buf), column->format, cell->number);
	for (; *text == ' '; text++) /* of a tree of names */
		fputs("&nbsp;", out);
	markdown_put(out, text);
}

void result_markdown(FILE *out, const struct result *r)
{
	for (int i = 0; i < r->ncols; i++) {
		fputs("| ", out);
		markdown_put(out, r->columns[i].title);
		fputs(*r->columns[i].title ? " " : "", out);
	}
	fputs("|\n", out);
	for (int i = 0; i < r->ncols; i++)
		fputs(format_is_number(r->columns[i].format) ? "|---:" : "|---", out);
	fputs("|\n", out);
	for (size_t row = 0; row < r->nrows; row++) {
		for (int i = 0; i < r->ncols; i++) {
			fputs("| ", out);
			cell_put(out, &r->columns[i], result_cell(r, row, i));
			putc(' ', out);
		}
		fputs("|\n", out);
	}
}
