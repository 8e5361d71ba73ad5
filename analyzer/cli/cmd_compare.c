/* cmd_compare.c - tacho compare: what changed from one run to another, and a gate for CI. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "compare/compare.h"
#include "compare/compare_baseline.h"
#include "base/log.h"

static struct {
	unsigned format; /* in the order of its option's words */
	bool gated;
	const char *output;
	double threshold;
	const char **figures;
	struct gate gate;
	bool chosen; /* the base is one of a database, by: */
	struct baseline baseline;
} wanted = { .threshold = 0.05, .baseline = { .n = 10 } };

static int threshold_take(const struct option *option, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	(void)option;
	if (end == text || *end || !isfinite(percent) || percent < 0)
		return usage_error(&command_compare,
			"--threshold %s: expected a percentage of 0 or more", text);
	wanted.threshold = percent / 100;
	return EXIT_OK;
}

/* --threshold may follow later, so figures are only noted. */
static int figure_take(const struct option *option, const char *text)
{
	const char **grown = realloc(wanted.figures,
		(size_t)(wanted.gate.nfigures + 1) * sizeof(*wanted.figures));

	(void)option;
	if (!grown) {
		log_error("out of memory");
		return EXIT_FAILED;
	}
	wanted.figures = grown;
	wanted.figures[wanted.gate.nfigures++] = text;
	wanted.gated = true;
	return EXIT_OK;
}

/* last, best, median or median:N */
static int baseline_take(const struct option *option, const char *text)
{
	struct baseline *baseline = &wanted.baseline;
	char rest = 0;

	(void)option;
	wanted.chosen = true;
	if (strcmp(text, "last") == 0)
		baseline->how = BASELINE_LAST;
	else if (strcmp(text, "best") == 0)
		baseline->how = BASELINE_BEST;
	else if (strcmp(text, "median") == 0 ||
		(sscanf(text, "median:%4d%c", &baseline->n, &rest) == 1 && baseline->n > 0))
		baseline->how = BASELINE_MEDIAN;
	else
		return usage_error(&command_compare,
			"--baseline %s: expected last, best, median or median:N", text);
	return EXIT_OK;
}

static int label_take(const struct option *option, const char *text)
{
	wanted.chosen = true;
	*(strcmp(option->name, "label") == 0 ? &wanted.baseline.label
					     : &wanted.baseline.branch) = text;
	return EXIT_OK;
}

static const struct option option_table[] = {
	{ "baseline", 0, "last|best|median:N",
		"BASE is a database of many runs: compare with the last run of the same size, the "
		"fastest, or the median of the last N (10)",
		.take = baseline_take },
	{ "label", 0, "TEXT", "with --baseline: only runs with this label", .take = label_take },
	{ "branch", 0, "NAME", "with --baseline: only runs of this branch", .take = label_take },
	{ "format", 0, "table|json|markdown|junit",
		"output format (table); markdown for a merge request, junit for CI",
		.choice = &wanted.format },
	{ "output", 'o', "FILE", "also write a page with step times and timelines of both runs",
		.text = &wanted.output, .writes = true },
	{ "gate", 0, NULL,
		"exit with status 3 when RUN is certainly slower than BASE by more than the "
		"threshold; 1 when undecided",
		.flag = &wanted.gate.time },
	{ "threshold", 0, "PERCENT", "allowed slowdown of a step in percent (5)",
		.take = threshold_take },
	{ "gate-on", 0, "FIGURE",
		"exit with status 3 when a metric worsens by more than PERCENT: "
		"MODEL.NAME[@WINDOW][:PERCENT], as in mpi.parallel_efficiency@phase:train:2; may "
		"be repeated",
		.take = figure_take },
	{ 0 }
};

static int figures_parse(void)
{
	struct gate *gate = &wanted.gate;
	int n = gate->nfigures;

	gate->figures = calloc((size_t)n + 1, sizeof(*gate->figures));
	for (int i = 0; gate->figures && i < n; i++)
		if (gate_figure_parse(&gate->figures[i], wanted.figures[i], wanted.threshold) < 0)
			return usage_error(&command_compare,
				"--gate-on %s: expected MODEL.NAME[@WINDOW][:PERCENT]",
				wanted.figures[i]);
	if (gate->figures)
		return EXIT_OK;
	log_error("out of memory");
	return EXIT_FAILED;
}

static int gate_status(const struct gate *gate)
{
	if (gate->state == GATE_OPEN)
		log_error("compare: the gate cannot be decided: %s", gate->open);
	return gate->state == GATE_PASSED    ? EXIT_OK
		: gate->state == GATE_FAILED ? EXIT_GATE
					     : EXIT_FAILED;
}

static int runs_compare(char *const *runs)
{
	static void (*const formats[])(const struct compare *,
		const struct gate *) = { compare_print, compare_json, compare_markdown,
		compare_junit };
	struct compare compare = { .threshold = wanted.threshold, .apart.share = NAN };
	struct gate *gate = wanted.gated || wanted.gate.time ? &wanted.gate : NULL;
	long long base = wanted.chosen
		? baseline_choose(&wanted.baseline, runs[0], runs[1], &compare.apart)
		: 0;
	int status = EXIT_FAILED;

	if (base < 0)
		return EXIT_FAILED;
	if (compare_open(&compare, runs[0], base, runs[1]) < 0 ||
		(gate && gate_decide(gate, &compare) < 0))
		goto out;
	formats[wanted.format](&compare, gate);
	fflush(stdout);
	if (wanted.output && compare_page(&compare, gate, runs, wanted.output) < 0)
		goto out;
	status = gate ? gate_status(gate) : EXIT_OK;
out:
	compare_close(&compare);
	return status;
}

static int compare_runs(int argc, char **argv)
{
	int status = figures_parse();

	(void)argc;
	if (status == EXIT_OK)
		status = runs_compare(argv);
	gate_free(&wanted.gate);
	free(wanted.figures);
	return status;
}

const struct command command_compare = {
	.name = "compare",
	.group = "Compare runs",
	.summary = "Show the differences between two runs, with a gate for CI",
	.arguments = "BASE RUN",
	.least = 2,
	.most = 2,
	.about = "BASE and RUN are run folders or databases of tacho.\n",
	.options = option_table,
	.run = compare_runs,
};
