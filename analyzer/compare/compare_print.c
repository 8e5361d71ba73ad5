/* compare_print.c - tacho compare for people: a verdict, and tables as wide as the terminal. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_print.h"
#include "base/terminal.h"

#define MOST_DIFFERENCES 12  /* for people: JSON has all */
#define EVEN_INTERVAL	 0.1 /* intervals below are reported as ± */
#define INDENT		 8   /* of a line that has a name */

/*
 * Notes on sizes, phases and batches come first and are emphasized; all others follow the verdict.
 */
bool note_is_loud(const struct result *notes, size_t row)
{
	return row_equals(notes, row, "kind", "size") || row_equals(notes, row, "kind", "phase") ||
		row_equals(notes, row, "kind", "batch");
}

static void put_notes(const struct compare *compare, bool loud, int width)
{
	for (size_t row = 0; row < compare->notes.nrows; row++) {
		if (note_is_loud(&compare->notes, row) != loud)
			continue;
		fputs(loud ? "! " : "note    ", stdout);
		text_wrap(row_text(&compare->notes, row, "note"), loud ? 2 : INDENT, width);
	}
}

/* " ± 0.9 %"; of a wide interval, which is not even, " (−7 % to +60 %)"; "": it is not known. */
static const char *interval_text(char buf[96], const struct change *change)
{
	double error = change_error(change);
	char low[32], high[32];

	buf[0] = '\0';
	if (error < EVEN_INTERVAL)
		snprintf(buf, 96, " ± %s", percent_text(low, error, false));
	else if (!isnan(error))
		snprintf(buf, 96, " (%s to %s)", percent_text(low, change->low, true),
			percent_text(high, change->high, true));
	return buf;
}

/* "as fast as base, +0.3 % ± 0.9 %", "5.8 % ± 0.9 % slower than base" */
static char *change_text(const struct change *change, const char *base)
{
	bool same = isnan(change->low) ? fabs(change->share) < LEAST_KNOWN
				       : change->low <= 0 && change->high >= 0;
	char share[32], interval[96], *text;

	percent_text(share, change->share, same);
	interval_text(interval, change);
	if ((same ? asprintf(&text, "as fast as %s, %s%s", base, share, interval)
		  : asprintf(&text, "%s%s %s than %s", share, interval,
			    change->share > 0 ? "slower" : "faster", base)) < 0)
		return NULL;
	return text;
}

/* "a step takes 12.8 instead of 12.1 ms" */
static char *times_text(const struct compare *compare)
{
	const struct change *change = &compare->change;
	const struct scale *scale = scale_of(fmax(change->base_ns, change->new_ns));
	char base[32], new[32], *text;

	if (asprintf(&text, "%s %s takes %s instead of %s %s%s",
		    strcmp(compare->unit, "run") == 0 ? "the" : "a", compare->unit,
		    number_text(new, change->new_ns / scale->ns, false),
		    number_text(base, change->base_ns / scale->ns, false), scale->name,
		    isnan(change->low) ? " (one value each, no interval)" : "") < 0)
		return NULL;
	return text;
}

char *verdict_text(const struct compare *compare)
{
	const struct change *change = &compare->change;
	const char *base = compare_text(compare, 0, "label");
	const char *new = compare_text(compare, 1, "label");
	char *said = change_text(change, base), *times = times_text(compare), *text;
	const char *disturbed = compare_disturbed(compare, true);
	struct computing computing;
	char share[32], interval[96], more[32], apart[96] = "";
	int n;

	if (compare->apart.runs)
		snprintf(apart, sizeof(apart), "; two of the last %d runs differ by up to %.1f %%",
			compare->apart.runs, 100 * compare->apart.share);

	if (isnan(change->share))
		n = asprintf(&text, "%s and %s have no time to compare", new, base);
	else if ((disturbed || change_is_open(change, compare->threshold)) &&
		compare_computing_is_slower(compare, &computing))
		n = asprintf(&text,
			"%s is slower than %s: %s, %s%s, which others had a part in; but in the "
			"shortest steps, in which ranks had their cores, the slowest takes %s "
			"longer itself",
			new, base, times ? times : "", percent_text(share, change->share, true),
			interval_text(interval, change),
			percent_text(more, computing.share, false));
	else if (change_is_open(change, compare->threshold))
		n = asprintf(&text,
			"not decided whether %s is slower than %s: %s, %s%s, which is "
			"more noise than the threshold of %g %%",
			new, base, times ? times : "", percent_text(share, change->share, true),
			interval_text(interval, change), 100 * compare->threshold);
	else if (disturbed)
		n = asprintf(&text, "not decided whether %s is slower than %s: %s, %s%s, but %s",
			new, base, times ? times : "", percent_text(share, change->share, true),
			interval_text(interval, change), disturbed);
	else
		n = asprintf(&text, "%s is %s: %s%s", new, said ? said : "", times ? times : "",
			apart);
	free(said);
	free(times);
	return n < 0 ? NULL : text;
}

static void put_wrapped(char *text, int indent, int width)
{
	if (text)
		text_wrap(text, indent, width);
	free(text);
}

char *run_text(const struct compare *compare, int side)
{
	double ranks = compare_number(compare, side, "ranks");
	double gpus = compare_number(compare, side, "gpus");
	double nodes = compare_number(compare, side, "nodes");
	double batch = compare_number(compare, side, "samples_per_step");
	double steps = compare_number(compare, side, "steps");
	const char *phase = compare_text(compare, side, "phase");
	char buf[64], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s: %.0f %s", compare_text(compare, side, "label"), ranks,
		ranks == 1 ? "rank" : "ranks");
	if (gpus > 0)
		fprintf(out, ", %.0f %sGPU%s", gpus,
			compare_number(compare, side, "stand_ins") > 0 ? "emulated " : "",
			gpus == 1 ? "" : "s");
	fprintf(out, " on %.0f %s", nodes, nodes == 1 ? "node" : "nodes");
	if (phase)
		fprintf(out, " · %s %s", number_format(buf, sizeof(buf), FORMAT_COUNT, steps),
			steps == 1 ? "step" : "steps");
	if (batch > 0)
		fprintf(out, " of %s samples",
			number_format(buf, sizeof(buf), FORMAT_COUNT, batch));
	if (phase && phase[0])
		fprintf(out, " in %s", phase);
	fprintf(out, " · %s",
		number_format(buf, sizeof(buf), FORMAT_NS,
			compare_number(compare, side, "run_ns")));
	fclose(out);
	return text;
}

static void put_run(const struct compare *compare, int side)
{
	char *text = run_text(compare, side);

	printf("%-*s%s\n", INDENT, side ? "new" : "base", text ? text : "");
	free(text);
}

enum { FINDING_INDENT = 17 };

static void put_findings(const struct compare *compare, int width)
{
	const struct result *findings = &compare->findings;

	if (findings->nrows)
		puts("\nfindings that came, went or changed, with the seconds that they cost");
	for (size_t row = 0; row < findings->nrows; row++) {
		char *text, was[32] = "", seconds[32];
		const char *advice = row_text(findings, row, "advice");
		double base = row_number(findings, row, "base_seconds");

		/* ≤ before an upper bound, as in the summary */
		snprintf(seconds, sizeof(seconds), "%s%.1f",
			row_number(findings, row, "bound") > 0 ? "≤" : "",
			row_number(findings, row, "seconds"));
		printf("  %-4s %*s%s  ", row_text(findings, row, "state"),
			(int)fmax(0, 8 - text_columns(seconds)), "", seconds);
		if (!isnan(base))
			snprintf(was, sizeof(was), " (was %.1f)", base);
		if (asprintf(&text, "%s%s: %s%s%s", row_text(findings, row, "rule"), was,
			    row_text(findings, row, "message"), advice[0] ? "  → " : "",
			    advice) < 0)
			continue;
		text_wrap(text, FINDING_INDENT, width);
		free(text);
	}
}

/* Where two long values begin to differ: the word before the one in which they do. */
static size_t same_words(const char *base, const char *new)
{
	size_t same = 0, word = 0;

	for (size_t i = 0; base[i] && base[i] == new[i]; i++)
		if (base[i] == ' ') {
			same = word;
			word = i + 1;
		}
	return same;
}

static void put_value(const char *name, const char *value, size_t from, int width)
{
	printf("    %-5s ", name);
	if (from > 0)
		fputs("… ", stdout);
	text_wrap(value[0] ? value + from : "–", 10, width);
}

static void put_differences(const struct compare *compare, int width)
{
	const struct result *differences = &compare->differences;
	size_t nrows = differences->nrows;

	puts(nrows ? "\nwhat differs" : "\nsize, batch, command and environment are the same");
	for (size_t row = 0; row < nrows && row < MOST_DIFFERENCES; row++) {
		const char *base = row_text(differences, row, "base");
		const char *new = row_text(differences, row, "new");
		int room = width - (int)strlen(row_text(differences, row, "what")) - 12;
		size_t from = same_words(base, new);

		if (text_columns(base) + text_columns(new) < room) {
			printf("  %s: %s → %s\n", row_text(differences, row, "what"),
				base[0] ? base : "–", new[0] ? new : "–");
			continue;
		}
		printf("  %s\n", row_text(differences, row, "what"));
		put_value("base", base, from, width);
		put_value("new", new, from, width);
	}
	if (nrows > MOST_DIFFERENCES)
		printf("  and %zu more\n", nrows - MOST_DIFFERENCES);
}

char *gate_text(const struct gate *gate)
{
	char *text;

	if (asprintf(&text, "%s%s",
		    gate->state == GATE_PASSED	       ? "passed"
			    : gate->state == GATE_OPEN ? "not decided"
						       : "failed: ",
		    gate->state == GATE_FAILED ? gate->failed : "") < 0)
		return NULL;
	return text;
}

/* The last line: passed, or why not. */
static void put_gate(const struct gate *gate)
{
	char *text = gate_text(gate);

	printf("gate: %s\n", text ? text : "");
	free(text);
}

void compare_print(const struct compare *compare, const struct gate *gate)
{
	int width = terminal_width(stdout);

	put_notes(compare, true, width);
	put_wrapped(verdict_text(compare), 0, width);
	put_run(compare, 0);
	put_run(compare, 1);
	put_notes(compare, false, width);
	put_figures(compare);
	put_time(compare);
	put_parts(compare);
	put_calls(compare);
	put_findings(compare, width);
	put_differences(compare, width);
	puts("\ntacho compare -o FILE BASE RUN shows all of it, and both timelines, on a page");
	if (gate)
		put_gate(gate);
}
