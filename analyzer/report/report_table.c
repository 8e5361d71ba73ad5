/* report_table.c - results of queries as HTML tables, bars and lists. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text_function.h"
#include "report/report_page.h"
#include "base/rundir.h"

#define MAX_NOTES   20
#define MAX_WINDOWS 32
#define MOST_ROWS   1000 /* of a table for people; its data have all */

/* Reasons below a table, numbered as they come up. */
struct notes {
	const char *texts[MAX_NOTES];
	int count;
};

static bool is_shown(enum result_format format)
{
	return format != FORMAT_WHY && format != FORMAT_STATE;
}

static int note_number(struct notes *notes, const char *text)
{
	for (int i = 0; i < notes->count; i++)
		if (strcmp(notes->texts[i], text) == 0)
			return i + 1;
	if (notes->count == MAX_NOTES)
		return 0;
	notes->texts[notes->count++] = text;
	return notes->count;
}

static void put_notes(FILE *out, const struct notes *notes)
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
static void put_text(FILE *out, const char *text, enum result_format format)
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

/* A cell's content, `why` being the reason of a NULL or a warning, or NULL. */
static void put_cell(FILE *out, const struct result_cell *cell, enum result_format format,
	const char *why, struct notes *notes)
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
		put_text(out, cell->text, format);
	if (why && notes)
		fprintf(out, "<sup>%d</sup>", note_number(notes, why));
	fputs("</td>", out);
}

/*
 * The reason for a cell's value: from the column after it, or, for NULL, from the column of the
 * whole row.
 */
static const char *why_of(const struct result *r, size_t row, int col)
{
	int whole = result_column(r, "*");

	if (col + 1 < r->ncols && r->columns[col + 1].format == FORMAT_WHY && col + 1 != whole)
		return result_cell(r, row, col + 1)->text;
	if (whole < 0 || !format_is_number(r->columns[col].format) ||
		!result_cell(r, row, col)->null)
		return NULL;
	return result_cell(r, row, whole)->text;
}

static void put_row(FILE *out, const struct result *r, size_t row, struct notes *notes)
{
	bool first = true;

	fputs("<tr>", out);
	for (int i = 0; i < r->ncols; i++) {
		if (!is_shown(r->columns[i].format))
			continue;
		const struct result_cell *cell = result_cell(r, row, i);

		if (first && !format_is_number(r->columns[i].format) && !cell->null) {
			fprintf(out, "<th scope=\"row\"%s>",
				is_name(r->columns[i].format) ? " class=\"path\"" : "");
			put_text(out, cell->text, r->columns[i].format);
			fputs("</th>", out);
		} else {
			put_cell(out, cell, r->columns[i].format, why_of(r, row, i), notes);
		}
		first = false;
	}
	fputs("</tr>\n", out);
}

/* A word with its meaning on hover. */
static void put_term(FILE *out, const char *term, const char *meaning)
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
		if (!is_shown(r->columns[i].format))
			continue;
		fprintf(out, "<th scope=\"col\"%s>",
			format_is_number(r->columns[i].format) ? " class=\"n\"" : "");
		put_term(out, r->columns[i].title, r->columns[i].definition);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

/* Each region of the page has its own name: sections have captions of tables as headings. */
static void table_open(FILE *out, const char *caption, bool is_rest)
{
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
	text_html(out, caption);
	fputs(is_rest ? " (more rows)" : " (table)", out);
	fputs("\"><table><caption>", out);
	text_html(out, caption);
	fputs("</caption>\n", out);
}

void table_rows(FILE *out, const struct result *r, const char *caption, size_t first, size_t last)
{
	struct notes notes = { .count = 0 };

	table_open(out, caption, first > 0);
	put_head(out, r);
	fputs("<tbody>\n", out);
	for (size_t row = first; row < last; row++)
		put_row(out, r, row, &notes);
	fputs("</tbody></table></div>\n", out);
	put_notes(out, &notes);
}

/* Definitions of the columns, as hovering does not work on paper and on phones. */
static void put_definitions(FILE *out, const struct result *r)
{
	bool any = false;

	for (int i = 0; i < r->ncols; i++) {
		if (!r->columns[i].definition || !is_shown(r->columns[i].format))
			continue;
		if (!any)
			fputs("<details class=\"small\"><summary>What the columns "
			      "mean</summary><dl>\n",
				out);
		any = true;
		fputs("<dt>", out);
		text_html(out, r->columns[i].title);
		fputs("</dt><dd>", out);
		text_html(out, r->columns[i].definition);
		fputs("</dd>\n", out);
	}
	if (any)
		fputs("</dl></details>\n", out);
}

/* Where the reason of whole rows has a definition, a column without a figure is left out. */
static void empty_columns_drop(const struct result *r)
{
	int whole = result_column(r, "*");

	for (int col = 0; whole >= 0 && r->columns[whole].definition && col < r->ncols; col++) {
		bool any = !format_is_number(r->columns[col].format);

		for (size_t row = 0; row < r->nrows && !any; row++)
			any = !result_cell(r, row, col)->null;
		if (!any)
			r->columns[col].format = FORMAT_STATE;
	}
}

int part_table(struct report_page *page, const struct report_part *part, const struct result *rows)
{
	size_t shown = part->size > 0 && rows->nrows > (size_t)part->size ? (size_t)part->size
									  : rows->nrows;
	size_t last = rows->nrows < MOST_ROWS ? rows->nrows : MOST_ROWS;

	empty_columns_drop(rows);
	fprintf(page->out, "<div class=\"part\" id=\"table-%s\">\n", part->name);
	if (part->folded) {
		fputs("<details><summary>", page->out);
		text_html(page->out, part->title);
		fprintf(page->out, " (%zu)</summary>\n", rows->nrows);
	}
	table_rows(page->out, rows, part->title, 0, shown < last ? shown : last);
	if (shown < last) {
		fprintf(page->out, "<details><summary>%zu more</summary>\n", rows->nrows - shown);
		table_rows(page->out, rows, part->title, shown, last);
		fputs("</details>\n", page->out);
	}
	if (last < rows->nrows)
		fprintf(page->out, "<p class=\"small\">%zu more rows are in the CSV file.</p>\n",
			rows->nrows - last);
	if (part->folded)
		fputs("</details>\n", page->out);
	fputs("</div>\n", page->out);
	put_definitions(page->out, rows);
	return part_data(page, part, rows);
}

/* Windows (columns of a pivot) in the order of the first figure's rows; their number. */
static int pivot_windows(const struct result *r, int label, int window)
{
	size_t n = 1;

	while (n < r->nrows && n < MAX_WINDOWS &&
		strcmp(result_cell(r, n, label)->text, result_cell(r, 0, label)->text) == 0 &&
		strcmp(result_cell(r, n, window)->text, result_cell(r, 0, window)->text) != 0)
		n++;
	return n;
}

static void put_figure_row(FILE *out, const struct result *r, size_t row, int nwindows,
	struct notes *notes)
{
	int value = result_column(r, "Value");

	fprintf(out, "<tr><th scope=\"row\" class=\"d%d\">",
		(int)result_cell(r, row, result_column(r, "Depth"))->number);
	put_term(out, result_cell(r, row, result_column(r, "Figure"))->text,
		result_cell(r, row, result_column(r, "Meaning"))->text);
	fputs("</th>", out);
	for (int i = 0; i < nwindows && row + i < r->nrows; i++) {
		const struct result_cell *cell = result_cell(r, row + i, value);
		const char *why = why_of(r, row + i, value);

		put_cell(out, cell, FORMAT_EFFICIENCY,
			cell->null && !why ? "not computed for this phase" : why, notes);
	}
	fputs("</tr>\n", out);
}

int part_pivot(struct report_page *page, const struct report_part *part, const struct result *r)
{
	int figure = result_column(r, "Figure"), window = result_column(r, "Window"),
	    meaning = result_column(r, "Meaning");
	int nwindows = pivot_windows(r, figure, window);
	struct notes notes = { .count = 0 };
	FILE *out = page->out;

	table_open(out, part->title, false);
	fputs("<thead><tr><th scope=\"col\">Figure</th>", out);
	for (int i = 0; i < nwindows; i++) {
		fputs("<th scope=\"col\" class=\"n\">", out);
		text_html(out, result_cell(r, i, window)->text);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	for (size_t row = 0; row < r->nrows; row += nwindows)
		put_figure_row(out, r, row, nwindows, &notes);
	fputs("</tbody></table></div>\n", out);
	put_notes(out, &notes);
	fputs("<p class=\"small\"><span class=\"key low\">▼ below 0.60</span> <span class=\"key "
	      "fair\">▽ below 0.80</span> "
	      "<span class=\"key good\">0.80 and above</span></p>\n"
	      "<details class=\"small\"><summary>Definitions</summary><dl>\n",
		out);
	for (size_t row = 0; row < r->nrows; row += nwindows) {
		fputs("<dt>", out);
		text_html(out, result_cell(r, row, figure)->text);
		fputs("</dt><dd>", out);
		text_html(out, result_cell(r, row, meaning)->text);
		fputs("</dd>\n", out);
	}
	fputs("</dl></details>\n", out);
	return part_data(page, part, r);
}

/* The colour class of a state: s-useful, s-io…; letters only, whatever the database contains. */
static void put_state(FILE *out, const char *key)
{
	fputs("s-", out);
	for (; key && *key; key++)
		fputc((*key >= 'a' && *key <= 'z') || *key == '_' ? *key : '-', out);
}

/* Names, shares and seconds of a bar's states, in its order. */
static void put_legend(FILE *out, const struct result *r)
{
	int state = result_column(r, "State"), key = result_column(r, "Key"),
	    share = result_column(r, "Share"), time = result_column(r, "Time"),
	    meaning = result_column(r, "Meaning");
	char buf[64];

	fputs("<ul class=\"legend\">\n", out);
	for (size_t i = 0; i < r->nrows; i++) {
		fputs("<li><span class=\"swatch ", out);
		put_state(out, result_cell(r, i, key)->text);
		fputs("\"></span>", out);
		put_term(out, result_cell(r, i, state)->text, result_cell(r, i, meaning)->text);
		fprintf(out, " <b>%s</b>",
			number_format(buf, sizeof(buf), FORMAT_PERCENT,
				result_cell(r, i, share)->number));
		fprintf(out, " %s</li>\n",
			number_format(buf, sizeof(buf), FORMAT_NS,
				result_cell(r, i, time)->number));
	}
	fputs("</ul>\n", out);
}

static void put_bar(FILE *out, const struct result *r)
{
	int key = result_column(r, "Key"), share = result_column(r, "Share");

	fputs("<div class=\"bar\" aria-hidden=\"true\">", out);
	for (size_t i = 0; i < r->nrows; i++) {
		double value = result_cell(r, i, share)->number;

		fputs("<span class=\"", out);
		put_state(out, result_cell(r, i, key)->text);
		fprintf(out, "\" style=\"width:%.3f%%\">", isnan(value) ? 0 : 100 * value);
		if (value >= 0.06)
			fprintf(out, "<b>%.0f %%</b>", 100 * value);
		fputs("</span>", out);
	}
	fputs("</div>\n", out);
}

int part_shares(struct report_page *page, const struct report_part *part, const struct result *r)
{
	int state = result_column(r, "State"), meaning = result_column(r, "Meaning");
	FILE *out = page->out;

	fputs("<h3>", out);
	text_html(out, part->title);
	page_mark(page);
	fputs("</h3>\n", out);
	put_bar(out, r);
	put_legend(out, r);
	fputs("<details class=\"small\"><summary>What the states mean</summary><dl>\n", out);
	for (size_t i = 0; i < r->nrows; i++) {
		fputs("<dt>", out);
		text_html(out, result_cell(r, i, state)->text);
		fputs("</dt><dd>", out);
		text_html(out, result_cell(r, i, meaning)->text);
		fputs("</dd>\n", out);
	}
	fputs("</dl>\n", out);
	if (part_data(page, part, r) < 0)
		return -1;
	fputs("</details>\n", out);
	return 0;
}

/* A text of a row's column in an element of that class; nothing where it is NULL. */
/* A figure and its % sign stay on one line. */
static void put_sentence(FILE *out, const char *s)
{
	const char *at;

	while ((at = strstr(s, " %"))) {
		char *part = strndup(s, (size_t)(at - s));

		text_html(out, part ? part : "");
		fputs("&#160;", out);
		free(part);
		s = at + 1;
	}
	text_html(out, s);
}

static void put_advice(FILE *out, const struct result *r, size_t row, const char *title,
	const char *class)
{
	int column = result_column(r, title);
	const struct result_cell *cell = column < 0 ? NULL : result_cell(r, row, column);

	if (!cell || cell->null)
		return;
	fprintf(out, "<p class=\"%s\">", class);
	put_sentence(out, cell->text);
	fputs("</p>\n", out);
}

/* Names the page's tables with the rows of this finding, for tables.js. */
static void put_rows(FILE *out, const struct result *r, size_t row)
{
	int rows = result_column(r, "Rows");

	if (rows < 0 || result_cell(r, row, rows)->null)
		return;
	fputs(" data-rows=\"", out);
	text_html(out, result_cell(r, row, rows)->text);
	fputs("\"", out);
}

/* ≤ before seconds that are an upper bound, as in the summary. */
static void put_finding(FILE *out, const struct result *r, size_t row, const struct result *places)
{
	const struct result_cell *saves = result_cell(r, row, result_column(r, "Saves"));
	int evidence = result_column(r, "Evidence");
	bool bounded = !saves->null && result_cell(r, row, result_column(r, "Bound"))->number > 0;
	char buf[64];

	fprintf(out, "<li id=\"finding-%zu\"", row + 1);
	put_rows(out, r, row);
	fprintf(out, "><p class=\"saves\"><span>%s</span> %s%s%s</p>\n<div>",
		result_cell(r, row, result_column(r, "#"))->text, bounded ? "≤ " : "",
		saves->null ? "note" : number_format(buf, sizeof(buf), FORMAT_NS, saves->number),
		saves->null ? "" : " <span>saved</span>");
	put_advice(out, r, row, "Finding", "what");
	put_advice(out, r, row, "Advice", "do");
	put_advice(out, r, row, "How sure", "sure");
	put_advice(out, r, row, "Shared", "sure");
	if (row < places->nrows) {
		fputs("<span class=\"places small\">", out);
		page_place(out, places, row);
		fputs("</span>\n", out);
	}
	fputs("<details class=\"small\"><summary>Evidence</summary><code>", out);
	text_html(out,
		evidence < 0 || result_cell(r, row, evidence)->null
			? ""
			: result_cell(r, row, evidence)->text);
	fputs("</code></details></div></li>\n", out);
}

/* The first `size` in sight, the rest behind a fold. */
int part_advice(struct report_page *page, const struct report_part *part, const struct result *rows)
{
	size_t shown = (size_t)part->size < rows->nrows ? (size_t)part->size : rows->nrows;
	FILE *out = page->out;
	struct result places;

	if (report_db_query(page->db, "finding_places", &places) < 0)
		return -1;
	fputs("<ol class=\"advice\">\n", out);
	for (size_t i = 0; i < shown; i++)
		put_finding(out, rows, i, &places);
	fputs("</ol>\n", out);
	if (shown < rows->nrows) {
		fprintf(out,
			"<details><summary>%zu more</summary>\n<ol class=\"advice\" "
			"start=\"%zu\">\n",
			rows->nrows - shown, shown + 1);
		for (size_t i = shown; i < rows->nrows; i++)
			put_finding(out, rows, i, &places);
		fputs("</ol></details>\n", out);
	}
	result_free(&places);
	return part_data(page, part, rows);
}
