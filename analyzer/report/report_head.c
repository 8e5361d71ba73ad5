/* report_head.c - see report_head.h. And the first screen's parts: what costs most, how far to trust. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_head.h"

/* Facts on the run in one line: columns of head.sql, singular and plural, and what figures cover. */
static const struct {
	const char *column, *one, *many;
	enum result_format format;
	bool touched; /* changed by time that was not recorded */
} facts[] = {
	{ "Runs", " run", " runs", FORMAT_COUNT, false },
	{ "Ranks", " rank", " ranks", FORMAT_COUNT, false },
	{ "GPUs", " GPU", " GPUs", FORMAT_COUNT, false },
	{ "Emulated GPUs", " emulated GPU", " emulated GPUs", FORMAT_COUNT, false },
	{ "Nodes", " node", " nodes", FORMAT_COUNT, false },
	{ "Duration", "", "", FORMAT_NS, true },
	{ "Steps", " step", " steps", FORMAT_COUNT, true },
	{ "Samples/s", " samples/s", " samples/s", FORMAT_NUMBER, true },
	{ "MFU", " MFU", " MFU", FORMAT_PERCENT, true },
};

/* Why figures carry a mark, its own text; NULL: they do not. */
static char *touched_why(struct report_page *page)
{
	struct result r;
	char *why = NULL;

	if (!page->db->in_memory && report_db_query(page->db, "touched", &r) == 0) {
		if (r.nrows && result_cell(&r, 0, 0)->text)
			why = strdup(result_cell(&r, 0, 0)->text);
		result_free(&r);
	}
	return why;
}

static void put_mark(FILE *out, const char *why)
{
	if (!why)
		return;
	fputs("<abbr class=\"touched\" title=\"", out);
	text_html(out, why);
	fputs("\">†</abbr>", out);
}

void page_mark(struct report_page *page)
{
	char *why = touched_why(page);

	put_mark(page->out, why);
	free(why);
}

static void put_facts(FILE *out, const struct result *head, const char *why)
{
	const char *between = "", *started = result_text(head, "Started");
	char buf[64];

	fputs("<p class=\"facts\">", out);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		double value = result_number(head, facts[i].column);
		const char *phase = strcmp(facts[i].column, "Samples/s") == 0
			? result_text(head, "Phase")
			: NULL;
		const char *of = strcmp(facts[i].column, "MFU") == 0 ? result_text(head, "MFU of")
								     : phase;

		if (isnan(value) || (value == 0 && facts[i].format == FORMAT_COUNT))
			continue;
		fprintf(out, "%s<span>%s%s%s", between,
			number_format(buf, sizeof(buf), facts[i].format, value),
			value == 1 ? facts[i].one : facts[i].many, phase ? " in " : "");
		text_html(out, of ? of : "");
		if (facts[i].touched)
			put_mark(out, why);
		fputs("</span>", out);
		between = " · ";
	}
	if (started) {
		fprintf(out, "%s<span>started ", between);
		text_html(out, started);
		fputs("</span>", out);
	}
	fputs("</p>\n", out);
}

/* One sentence on the run, why it is so, what to do next. */
static void put_verdict(FILE *out, const struct result *lines)
{
	int line = result_column(lines, "Line"), level = result_column(lines, "Level"),
	    said = result_column(lines, "Sentence");

	for (size_t i = 0; i < lines->nrows; i++) {
		const char *name = result_cell(lines, i, line)->text;

		if (!result_cell(lines, i, said)->text)
			continue;
		if (strcmp(name, "verdict") == 0)
			fprintf(out, "<p class=\"verdict %s\">",
				result_cell(lines, i, level)->text);
		else
			fprintf(out, "<p class=\"because\"><b>%s</b> ", name);
		text_html(out, result_cell(lines, i, said)->text);
		fputs("</p>\n", out);
	}
}

static void put_head(struct report_page *page, const struct result *head,
	const struct result *verdict)
{
	const char *command = result_text(head, "Command");
	char *why = touched_why(page);

	if (command) {
		fputs("<p class=\"command\" title=\"", page->out);
		text_html(page->out, command);
		fputs("\"><code>", page->out);
		text_html(page->out, command);
		fputs("</code></p>\n", page->out);
	}
	put_facts(page->out, head, why);
	put_verdict(page->out, verdict);
	if (why) {
		fputs("<p class=\"small touched\">† ", page->out);
		text_html(page->out, why);
		fputs(". <a href=\"#verdict\">See below</a> how far to trust them.</p>\n",
			page->out);
	}
	if (result_number(head, "Emulated GPUs") > 0)
		fputs("<p class=\"banner bad\"><strong>Emulated GPUs.</strong> Their figures are "
		      "not measurements of a real GPU.</p>\n",
			page->out);
	if (page->plots_left_out)
		fputs("<p class=\"banner note\"><strong>No plots:</strong> GNUPLOT is empty.</p>\n",
			page->out);
	else if (!page->gnuplot)
		fputs("<p class=\"banner note\"><strong>No plots:</strong> gnuplot was not found. "
		      "Install it (<code>apt-get install gnuplot-nox</code>, "
		      "<code>dnf install gnuplot</code>) and run "
		      "<code>tacho report</code> again.</p>\n",
			page->out);
	free(why);
}

static void put_foot(FILE *out, const struct result *head)
{
	if (!result_text(head, "Archive")) {
		fputs("Written by tacho " PACKAGE_VERSION " from the databases of these runs.",
			out);
		return;
	}
	fputs("Written by tacho " PACKAGE_VERSION " from the database of tacho ", out);
	text_html(out, result_text(head, "Version") ? result_text(head, "Version") : "?");
	fputs(", analysed ", out);
	text_html(out, result_text(head, "Analysed") ? result_text(head, "Analysed") : "?");
	fputs(". Trace: <code>", out);
	text_html(out, result_text(head, "Archive") ? result_text(head, "Archive") : "?");
	fputs("</code>.", out);
}

int head_show(struct report_page *page, void *user)
{
	struct page_frame *f = user;
	struct result head, verdict = { 0 };
	size_t size;
	FILE *out;

	if (report_db_query(page->db, page->head, &head) < 0)
		return -1;
	if (page->verdict && report_db_query(page->db, page->verdict, &verdict) < 0) {
		result_free(&head);
		return -1;
	}
	out = open_memstream(&f->title, &size);
	text_html(out, result_text(&head, "Run"));
	fclose(out);
	page->out = open_memstream(&f->head, &size);
	put_head(page, &head, &verdict);
	fclose(page->out);
	out = open_memstream(&f->foot, &size);
	put_foot(out, &head);
	fclose(out);
	result_free(&head);
	result_free(&verdict);
	return 0;
}

/* A link that makes view.js show the place `where`; a person reads the text `said` and a number. */
static void put_place(FILE *out, const struct result *r, size_t row, const char *where,
	const char *said, double number)
{
	const struct result_cell *who = result_cell(r, row, result_column(r, "Row")),
				 *state = result_cell(r, row, result_column(r, "State"));

	fprintf(out, " <a class=\"place\" href=\"#timeline\" data-place=\"{&quot;n&quot;:%.0f%s",
		result_cell(r, row, result_column(r, "#"))->number, where);
	if (!who->null) {
		fputs(",&quot;row&quot;:&quot;", out);
		text_html(out, who->text);
		fputs("&quot;", out);
	}
	if (!state->null) {
		fputs(",&quot;state&quot;:&quot;", out);
		text_html(out, state->text);
		fputs("&quot;", out);
	}
	fprintf(out, "}\">%s", said);
	if (!isnan(number))
		fprintf(out, " %.0f", number);
	fputs("</a>", out);
}

void page_place(FILE *out, const struct result *r, size_t row)
{
	const struct result_cell *who = result_cell(r, row, result_column(r, "Row")),
				 *from = result_cell(r, row, result_column(r, "From")),
				 *to = result_cell(r, row, result_column(r, "To")),
				 *step = result_cell(r, row, result_column(r, "Step"));
	char where[128] = "";

	if (!from->null && !to->null)
		snprintf(where, sizeof(where), ",&quot;from&quot;:%.0f,&quot;to&quot;:%.0f",
			from->number, to->number);
	if (!who->null || *where)
		put_place(out, r, row, where, "see it in the timeline", NAN);
	if (!step->null) {
		snprintf(where, sizeof(where), ",&quot;step&quot;:%.0f", step->number);
		put_place(out, r, row, where, "in step", step->number);
	}
}

/* The findings that cost most, a line or two each; all of them have their own section. */
int part_top(struct report_page *page, const struct report_part *part, const struct result *r)
{
	int saves = result_column(r, "Saves"), said = result_column(r, "Finding"),
	    bound = result_column(r, "Bound");
	char *why = touched_why(page);
	FILE *out = page->out;
	char buf[64];

	fputs("<h3>", out);
	text_html(out, part->title);
	fputs("</h3>\n<ol class=\"top\">\n", out);
	for (size_t i = 0; i < r->nrows; i++) {
		fprintf(out, "<li><b>%s%s", result_cell(r, i, bound)->number > 0 ? "≤ " : "",
			number_format(buf, sizeof(buf), FORMAT_NS,
				result_cell(r, i, saves)->number));
		put_mark(out, why);
		fputs("</b> <span>", out);
		text_html(out, result_cell(r, i, said)->text);
		page_place(out, r, i);
		fprintf(out, " <a href=\"#finding-%zu\">what to do</a></span></li>\n", i + 1);
	}
	fputs("</ol>\n", out);
	free(why);
	return 0;
}

static const struct {
	const char *level, *mark, *word;
} levels[] = { { "bad", "✕", "trouble" }, { "note", "!", "note" }, { "good", "✓", "good" } };

static void put_level(FILE *out, size_t level)
{
	fprintf(out, "<span class=\"mark\" role=\"img\" aria-label=\"%s\">%s</span>",
		levels[level].word, levels[level].mark);
}

/* Sentences, each with a mark, folded; only those at the worst level are visible at first. */
int part_notes(struct report_page *page, const struct report_part *part, const struct result *r)
{
	int level = result_column(r, "Level"), said = result_column(r, "Sentence");
	const size_t nlevels = sizeof(levels) / sizeof(levels[0]);
	size_t worst = nlevels;
	const char *between = " ";

	for (size_t i = 0; i < r->nrows; i++)
		for (size_t k = 0; k < worst; k++)
			if (strcmp(result_cell(r, i, level)->text, levels[k].level) == 0)
				worst = k;
	if (worst == nlevels)
		return 0;
	fprintf(page->out, "<details class=\"trust\"><summary class=\"%s\"><span class=\"title\">",
		levels[worst].level);
	text_html(page->out, part->title);
	fputs(":</span> ", page->out);
	put_level(page->out, worst);
	for (size_t i = 0; i < r->nrows; i++) {
		if (strcmp(result_cell(r, i, level)->text, levels[worst].level) != 0 ||
			!result_cell(r, i, said)->text)
			continue;
		fputs(between, page->out);
		text_html(page->out, result_cell(r, i, said)->text);
		between = "; ";
	}
	fputs("</summary>\n<ul class=\"notes\">\n", page->out);
	for (size_t i = 0; i < r->nrows; i++)
		for (size_t k = 0; k < nlevels; k++) {
			if (strcmp(result_cell(r, i, level)->text, levels[k].level) != 0)
				continue;
			fprintf(page->out, "<li class=\"%s\">", levels[k].level);
			put_level(page->out, k);
			text_html(page->out,
				result_cell(r, i, said)->text ? result_cell(r, i, said)->text : "");
			fputs("</li>\n", page->out);
		}
	fputs("</ul></details>\n", page->out);
	return 0;
}
