/*
 * report_icicle.c - a call tree as a picture: a row of boxes per depth, each box as wide as its
 * share of the time, its callees below it. Drawn here, as gnuplot has no such plot.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/report_page.h"

#define WIDTH	   1000.0
#define ROW	   18
#define LETTER	   6.7 /* width of one, about */
#define LEAST_TEXT 24  /* width of a box that a name fits into */

struct icicle {
	const struct result *rows;
	int place, caller, depth, share, time, function, line, code;
	double *x, *next; /* of each row: where it begins, and where its next callee does */
};

static double number_at(const struct icicle *icicle, size_t row, int column)
{
	return result_cell(icicle->rows, row, column)->number;
}

static const char *text_at(const struct icicle *icicle, size_t row, int column)
{
	const char *text = result_cell(icicle->rows, row, column)->text;

	return text ? text : "";
}

/* Row of the place that called; nrows: none, it is an outermost one. */
static size_t caller_find(const struct icicle *icicle, size_t row)
{
	double caller = number_at(icicle, row, icicle->caller);

	for (size_t i = 0; !result_cell(icicle->rows, row, icicle->caller)->null && i < row; i++)
		if (number_at(icicle, i, icicle->place) == caller)
			return i;
	return icicle->rows->nrows;
}

/* Callers come first, so each finds where it begins by the part before it. */
static void boxes_place(struct icicle *icicle)
{
	for (size_t row = 0; row < icicle->rows->nrows; row++) {
		size_t caller = caller_find(icicle, row);

		icicle->x[row] = icicle->next[row] = icicle->next[caller];
		icicle->next[caller] += number_at(icicle, row, icicle->share);
	}
}

/* Returns the last component of a path with the text after it. */
static const char *file_name(const char *line)
{
	const char *slash = strrchr(line, '/');

	return slash ? slash + 1 : line;
}

static void box_put(FILE *out, const struct icicle *icicle, size_t row)
{
	double x = WIDTH * icicle->x[row], width = WIDTH * number_at(icicle, row, icicle->share);
	int y = ROW
	*(int)number_at(icicle, row, icicle->depth);
	int letters = (int)(width / LETTER);
	const char *function = text_at(icicle, row, icicle->function);
	char time[64];

	fprintf(out, "<g class=\"%s\"><title>",
		strcmp(text_at(icicle, row, icicle->code), "own") == 0 ? "own" : "lib");
	text_html(out, function);
	fprintf(out, ", %s (%.1f %%)\n",
		number_format(time, sizeof(time), FORMAT_NS, number_at(icicle, row, icicle->time)),
		100 * number_at(icicle, row, icicle->share));
	text_html(out, text_at(icicle, row, icicle->line));
	fprintf(out, "</title><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"/>", x, y,
		width, ROW - 1);
	if (width >= LEAST_TEXT) {
		char label[256];
		int n = snprintf(label, sizeof(label), "%s  %s", function,
			file_name(text_at(icicle, row, icicle->line)));

		n = n < (int)sizeof(label) - 4 ? n : (int)sizeof(label) - 4;
		if (n > letters) {
			/* the function's name alone, if that fits; else its beginning */
			size_t length = strlen(function);

			n = (int)length <= letters ? (int)length : letters - 1;
			while (n > 0 &&
				((unsigned char)label[n] & 0xc0) == 0x80) /* no half letter */
				n--;
			strcpy(label + n, (int)length <= letters ? "" : "…");
		}
		fprintf(out, "<text x=\"%.2f\" y=\"%d\">", x + 3, y + ROW - 6);
		text_html(out, label);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

static int boxes_put(struct report_page *page, const struct report_part *part,
	struct icicle *icicle)
{
	FILE *out = page->out;
	int depth = 0;

	for (size_t row = 0; row < icicle->rows->nrows; row++)
		depth = (int)fmax(depth, number_at(icicle, row, icicle->depth));
	fputs("<h3>", out);
	text_html(out, part->title);
	fputs("</h3>\n<div class=\"scroll plot\" tabindex=\"0\" role=\"region\" aria-label=\"",
		out);
	text_html(out, part->title);
	fputs(" (plot)\"><svg class=\"icicle\" role=\"img\" aria-label=\"", out);
	text_html(out, part->title);
	fprintf(out, "\" viewBox=\"0 0 %.0f %d\" xmlns=\"http://www.w3.org/2000/svg\">\n", WIDTH,
		ROW * (depth + 1));
	boxes_place(icicle);
	for (size_t row = 0; row < icicle->rows->nrows; row++)
		box_put(out, icicle, row);
	fputs("</svg></div>\n", out);
	return part_data(page, part, icicle->rows);
}

int part_icicle(struct report_page *page, const struct report_part *part, const struct result *rows)
{
	struct icicle icicle = { .rows = rows,
		.place = result_column(rows, "Place"),
		.caller = result_column(rows, "Caller"),
		.depth = result_column(rows, "Depth"),
		.share = result_column(rows, "Share"),
		.time = result_column(rows, "Time"),
		.function = result_column(rows, "Function"),
		.line = result_column(rows, "Line"),
		.code = result_column(rows, "Code"),
		.x = calloc(rows->nrows + 1, sizeof(double)),
		.next = calloc(rows->nrows + 1, sizeof(double)) };
	int ret = -1;

	if (icicle.x && icicle.next)
		ret = boxes_put(page, part, &icicle);
	else
		log_error("out of memory");
	free(icicle.x);
	free(icicle.next);
	return ret;
}
