/* report_table.c - parts made of HTML: tables (result/result_html.c), the efficiency pivot, bars and lists. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/report_page.h"
#include "result/result_html.h"

#define MAX_WINDOWS 32
#define MOST_ROWS   1000 /* of a table for people; its data have all */

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
	result_html(page->out, rows, part->title, 0, shown < last ? shown : last);
	if (shown < last) {
		fprintf(page->out, "<details><summary>%zu more</summary>\n", rows->nrows - shown);
		result_html(page->out, rows, part->title, shown, last);
		fputs("</details>\n", page->out);
	}
	if (last < rows->nrows)
		fprintf(page->out, "<p class=\"small\">%zu more rows are in the CSV file.</p>\n",
			rows->nrows - last);
	if (part->folded)
		fputs("</details>\n", page->out);
	fputs("</div>\n", page->out);
	result_html_meanings(page->out, rows);
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
	struct html_notes *notes)
{
	int value = result_column(r, "Value");

	fprintf(out, "<tr><th scope=\"row\" class=\"d%d\">",
		(int)result_cell(r, row, result_column(r, "Depth"))->number);
	html_term(out, result_cell(r, row, result_column(r, "Figure"))->text,
		result_cell(r, row, result_column(r, "Meaning"))->text);
	fputs("</th>", out);
	for (int i = 0; i < nwindows && row + i < r->nrows; i++) {
		const struct result_cell *cell = result_cell(r, row + i, value);
		const char *why = result_why(r, row + i, value);

		html_cell(out, cell, FORMAT_EFFICIENCY,
			cell->null && !why ? "not computed for this phase" : why, notes);
	}
	fputs("</tr>\n", out);
}

int part_pivot(struct report_page *page, const struct report_part *part, const struct result *r)
{
	int figure = result_column(r, "Figure"), window = result_column(r, "Window"),
	    meaning = result_column(r, "Meaning");
	int nwindows = pivot_windows(r, figure, window);
	struct html_notes notes = { .count = 0 };
	FILE *out = page->out;

	html_table_open(out, part->title, false);
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
	html_notes_put(out, &notes);
	fputs("<p class=\"small\"><span class=\"key low\">▼ below 0.60</span> <span class=\"key "
	      "fair\">▽ below 0.80</span> "
	      "<span class=\"key good\">0.80 and above</span></p>\n"
	      "<details class=\"small\"><summary>Definitions</summary><dl>\n",
		out);
	for (size_t row = 0; row < r->nrows; row += nwindows) {
		html_meaning(out, result_cell(r, row, figure)->text,
			result_cell(r, row, meaning)->text);
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
		html_term(out, result_cell(r, i, state)->text, result_cell(r, i, meaning)->text);
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
		html_meaning(out, result_cell(r, i, state)->text, result_cell(r, i, meaning)->text);
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
