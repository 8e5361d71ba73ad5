/* result_html.c - a result as a table of HTML; see result_html.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_function.h"
#include "result/result_html.h"

static bool column_is_shown(enum result_format format)
{
	return format != FORMAT_WHY && format != FORMAT_STATE;
}

static int note_number(struct html_notes *notes, const char *text)
{
	for (int i = 0; i < notes->count; i++)
		if (strcmp(notes->texts[i], text) == 0)
			return i + 1;
	if (notes->count == HTML_NOTES)
		return 0;
	notes->texts[notes->count++] = text;
	return notes->count;
}

void html_notes_put(FILE *out, const struct html_notes *notes)
{
	if (!notes->count)
		return;
	fputs("<ol class=\"reasons\">", out);
	for (int i = 0; i < notes->count; i++) {
		fputs("<li>", out);
		text_html(out, notes->texts[i]);
		fputs("</li>", out);
	}
	fputs("</ol>\n", out);
}

/* The class that colours an efficiency; the mark has the same meaning without colour. */
static const char *efficiency_class(double value, const char **mark)
{
	value = round(100 * value) / 100; /* as it is shown */
	*mark = value < 0.6 ? "▼" : value < 0.8 ? "▽" : "";
	return value < 0.6 ? " low" : value < 0.8 ? " fair" : " good";
}

/* Names in fixed width that may break. */
static bool is_name(enum result_format format)
{
	return format == FORMAT_PATH || format == FORMAT_FUNCTION;
}

static void put_function(FILE *out, const char *name)
{
	char *text = text_function(name);

	if (text && strcmp(text, name) != 0) {
		fputs("<span title=\"", out);
		text_html(out, name);
		fputs("\">", out);
		text_html(out, text);
		fputs("</span>", out);
	} else {
		text_html(out, name);
	}
	free(text);
}

/* Text of a cell; paths may break after their slashes. */
static void html_name(FILE *out, const char *text, enum result_format format)
{
	char part[512];
	size_t n;

	if (format == FORMAT_FUNCTION) {
		put_function(out, text);
		return;
	}
	for (; format == FORMAT_PATH && (n = strcspn(text, "/")) < strlen(text) &&
		n + 2 < sizeof(part);
		text += n + 1) {
		snprintf(part, n + 2, "%s", text);
		text_html(out, part);
		fputs("<wbr>", out);
	}
	text_html(out, text);
}

/* "2026-11-26 18:10:56", which shall not break at its hyphens */
static bool is_date(const struct result_cell *cell)
{
	int year, month, day;

	return !cell->null && !cell->is_number && cell->text &&
		sscanf(cell->text, "%4d-%2d-%2d", &year, &month, &day) == 3;
}

void html_cell(FILE *out, const struct result_cell *cell, enum result_format format,
	const char *why, struct html_notes *notes)
{
	const char *mark = "", *class = "";
	char buf[64];

	if (!cell->null && format == FORMAT_EFFICIENCY)
		class = efficiency_class(cell->number, &mark);
	fprintf(out, "<td class=\"%s%s%s\">",
		format_is_number(format)  ? "n"
			: is_name(format) ? "path"
			: is_date(cell)	  ? "whole"
					  : "t",
		format == FORMAT_EFFICIENCY ? " e" : "", class);
	if (cell->null)
		fputs(format_is_number(format) ? "–" : "", out);
	else if (cell->is_number && format_is_number(format))
		fprintf(out, "%s%s%s%s", *mark ? "<span class=\"mark\">" : "", mark,
			*mark ? "</span> " : "",
			number_format(buf, sizeof(buf), format, cell->number));
	else
		html_name(out, cell->text, format);
	if (why && notes)
		fprintf(out, "<sup>%d</sup>", note_number(notes, why));
	fputs("</td>", out);
}

const char *result_why(const struct result *r, size_t row, int col)
{
	int whole = result_column(r, "*");

	if (col + 1 < r->ncols && r->columns[col + 1].format == FORMAT_WHY && col + 1 != whole)
		return result_cell(r, row, col + 1)->text;
	if (whole < 0 || !format_is_number(r->columns[col].format) ||
		!result_cell(r, row, col)->null)
		return NULL;
	return result_cell(r, row, whole)->text;
}

static void put_row(FILE *out, const struct result *r, size_t row, struct html_notes *notes)
{
	bool first = true;

	fputs("<tr>", out);
	for (int i = 0; i < r->ncols; i++) {
		if (!column_is_shown(r->columns[i].format))
			continue;
		const struct result_cell *cell = result_cell(r, row, i);

		if (first && !format_is_number(r->columns[i].format) && !cell->null) {
			fprintf(out, "<th scope=\"row\"%s>",
				is_name(r->columns[i].format) ? " class=\"path\"" : "");
			html_name(out, cell->text, r->columns[i].format);
			fputs("</th>", out);
		} else {
			html_cell(out, cell, r->columns[i].format, result_why(r, row, i), notes);
		}
		first = false;
	}
	fputs("</tr>\n", out);
}

void html_term(FILE *out, const char *term, const char *meaning)
{
	if (meaning) {
		fputs("<abbr title=\"", out);
		text_html(out, meaning);
		fputs("\">", out);
	}
	text_html(out, term);
	if (meaning)
		fputs("</abbr>", out);
}

static void put_head(FILE *out, const struct result *r)
{
	fputs("<thead><tr>", out);
	for (int i = 0; i < r->ncols; i++) {
		if (!column_is_shown(r->columns[i].format))
			continue;
		fprintf(out, "<th scope=\"col\"%s>",
			format_is_number(r->columns[i].format) ? " class=\"n\"" : "");
		html_term(out, r->columns[i].title, r->columns[i].definition);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

void html_table_open(FILE *out, const char *caption, bool is_rest)
{
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
	text_html(out, caption);
	fputs(is_rest ? " (more rows)" : " (table)", out);
	fputs("\"><table><caption>", out);
	text_html(out, caption);
	fputs("</caption>\n", out);
}

void result_html(FILE *out, const struct result *r, const char *caption, size_t first, size_t last)
{
	struct html_notes notes = { .count = 0 };

	html_table_open(out, caption, first > 0);
	put_head(out, r);
	fputs("<tbody>\n", out);
	for (size_t row = first; row < last; row++)
		put_row(out, r, row, &notes);
	fputs("</tbody></table></div>\n", out);
	html_notes_put(out, &notes);
}

void html_meaning(FILE *out, const char *term, const char *meaning)
{
	fputs("<dt>", out);
	text_html(out, term);
	fputs("</dt><dd>", out);
	text_html(out, meaning);
	fputs("</dd>\n", out);
}

void result_html_meanings(FILE *out, const struct result *r)
{
	bool any = false;

	for (int i = 0; i < r->ncols; i++) {
		if (!r->columns[i].definition || !column_is_shown(r->columns[i].format))
			continue;
		if (!any)
			fputs("<details class=\"small\"><summary>What the columns "
			      "mean</summary><dl>\n",
				out);
		any = true;
		html_meaning(out, r->columns[i].title, r->columns[i].definition);
	}
	if (any)
		fputs("</dl></details>\n", out);
}
