/*
 * compare_ci.c - tacho compare for pipelines: Markdown for a merge request, and JUnit XML with the
 * gate as its one test case.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_print.h"

#define MOST_FINDINGS	 10
#define MOST_DIFFERENCES 10

static void put_said(const char *before, char *text, const char *after)
{
	fputs(before, stdout);
	markdown_put(stdout, text ? text : "");
	fputs(after, stdout);
	free(text);
}

static void put_finding_items(const struct result *findings)
{
	if (findings->nrows)
		puts("\nFindings that came, went or changed, with the seconds that they cost:\n");
	for (size_t row = 0; row < findings->nrows && row < MOST_FINDINGS; row++) {
		printf("- %s, %s%.1f s: ", row_text(findings, row, "state"),
			row_number(findings, row, "bound") > 0 ? "≤" : "",
			row_number(findings, row, "seconds"));
		markdown_put(stdout, row_text(findings, row, "message"));
		if (*row_text(findings, row, "advice"))
			fputs(" → ", stdout);
		markdown_put(stdout, row_text(findings, row, "advice"));
		putchar('\n');
	}
	if (findings->nrows > MOST_FINDINGS)
		printf("- and %zu more\n", findings->nrows - MOST_FINDINGS);
}

static void put_difference_items(const struct result *differences)
{
	if (differences->nrows)
		puts("\nWhat differs:\n");
	for (size_t row = 0; row < differences->nrows && row < MOST_DIFFERENCES; row++) {
		fputs("- ", stdout);
		markdown_put(stdout, row_text(differences, row, "what"));
		fputs(": ", stdout);
		markdown_put(stdout, row_text(differences, row, "base"));
		fputs(" → ", stdout);
		markdown_put(stdout, row_text(differences, row, "new"));
		putchar('\n');
	}
	if (differences->nrows > MOST_DIFFERENCES)
		printf("- and %zu more\n", differences->nrows - MOST_DIFFERENCES);
}

void compare_markdown(const struct compare *compare, const struct gate *gate)
{
	struct result figures;

	put_said("### ", verdict_text(compare), "\n\n");
	if (gate)
		put_said("**gate: ", gate_text(gate), "**\n\n");
	if (gate && gate->state == GATE_OPEN && gate->open)
		put_said("Not decided: ", strdup(gate->open), "\n\n");
	for (size_t row = 0; row < compare->notes.nrows; row++)
		put_said("- note: ", strdup(row_text(&compare->notes, row, "note")), "\n");
	put_said("- base: ", run_text(compare, 0), "\n");
	put_said("- new: ", run_text(compare, 1), "\n\n");
	figures_make(compare, &figures);
	result_markdown(stdout, &figures);
	result_free(&figures);
	put_finding_items(&compare->findings);
	put_difference_items(&compare->differences);
}

static void put_xml(const char *text)
{
	text_html(stdout, text ? text : "");
}

/* What the test case came to, as its child. */
static void put_outcome(const struct gate *gate)
{
	if (gate->state == GATE_PASSED)
		return;
	fputs(gate->state == GATE_FAILED ? "    <failure message=\"" : "    <error message=\"",
		stdout);
	put_xml(gate->state == GATE_FAILED ? gate->failed : "not decided: ");
	if (gate->state == GATE_OPEN)
		put_xml(gate->open);
	puts("\"/>");
}

void compare_junit(const struct compare *compare, const struct gate *gate)
{
	char *verdict = verdict_text(compare);

	puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
	printf("<testsuite name=\"tacho compare\" tests=\"1\" failures=\"%d\" errors=\"%d\" "
	       "skipped=\"%d\">\n",
		gate && gate->state == GATE_FAILED, gate && gate->state == GATE_OPEN, !gate);
	fputs("  <testcase classname=\"tacho\" name=\"", stdout);
	put_xml(compare_text(compare, 1, "label"));
	fputs(" against ", stdout);
	put_xml(compare_text(compare, 0, "label"));
	printf("\" time=\"%.3f\">\n", compare_number(compare, 1, "run_ns") / 1e9);
	if (gate)
		put_outcome(gate);
	else
		puts("    <skipped message=\"no gate was asked for (--gate, --gate-on)\"/>");
	fputs("    <system-out>", stdout);
	put_xml(verdict);
	puts("</system-out>\n  </testcase>\n</testsuite>");
	free(verdict);
}
