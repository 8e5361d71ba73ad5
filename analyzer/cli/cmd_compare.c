/* cmd_compare.c - tacho compare: what changed from one run to another, and a gate for CI. */
#include "config.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "compare/compare.h"
#include "base/log.h"

static const char help[] =
	"BASE and RUN are folders of runs, or databases of tacho.\n"
	"\n"
	"  --format table|json    for people (the default) or for programs\n"
	"  --gate                 exit status 3 when RUN is slower than BASE by more than the\n"
	"                         threshold for certain; 1 when that cannot be decided\n"
	"  --threshold PERCENT    how much slower a step may be (5)\n"
	"  --gate-on FIGURE       exit status 3 when a figure gets worse by more than so many\n"
	"                         percent: MODEL.NAME[@WINDOW][:PERCENT], as in\n"
	"                         mpi.parallel_efficiency@phase:train:2; may be repeated\n";

struct wanted {
	bool json, gated;
	double threshold;
	const char **figures;
	struct gate gate;
};

static int format_parse(struct wanted *wanted, const char *text)
{
	wanted->json = strcmp(text, "json") == 0;
	return wanted->json || strcmp(text, "table") == 0
		? EXIT_OK
		: cmd_usage("compare", "--format is table or json, not %s", text);
}

static int threshold_parse(struct wanted *wanted, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !isfinite(percent) || percent < 0)
		return cmd_usage("compare", "--threshold is a percentage of 0 or more, not %s",
			text);
	wanted->threshold = percent / 100;
	return EXIT_OK;
}

enum { HELPED = -1 }; /* in place of a status: nothing more is to be done */

/* An option; --threshold may follow later, so figures are only noted. EXIT_OK, or a status. */
static int option_take(struct wanted *wanted, int option, char *text)
{
	switch (option) {
	case 'h': cmd_help("compare", help); return HELPED;
	case 'f': return format_parse(wanted, text);
	case 't': return threshold_parse(wanted, text);
	case 'g': wanted->gated = wanted->gate.time = true; return EXIT_OK;
	default:
		wanted->gated = true;
		wanted->figures[wanted->gate.nfigures++] = text;
		return EXIT_OK;
	}
}

static int figures_parse(struct wanted *wanted)
{
	struct gate *gate = &wanted->gate;
	int n = gate->nfigures;

	gate->figures = calloc(n + 1, sizeof(*gate->figures));
	for (int i = 0; gate->figures && i < n; i++)
		if (gate_figure_parse(&gate->figures[i], wanted->figures[i], wanted->threshold) < 0)
			return cmd_usage("compare",
				"--gate-on is MODEL.NAME[@WINDOW][:PERCENT], "
				"not %s",
				wanted->figures[i]);
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

static int runs_compare(struct wanted *wanted, const char *base, const char *new)
{
	struct compare compare = { .threshold = wanted->threshold };
	struct gate *gate = wanted->gated ? &wanted->gate : NULL;
	int status = EXIT_FAILED;

	if (compare_open(&compare, base, new) < 0 || (gate && gate_decide(gate, &compare) < 0))
		goto out;
	if (wanted->json)
		compare_json(&compare, gate);
	else
		compare_print(&compare, gate);
	fflush(stdout);
	status = gate ? gate_status(gate) : EXIT_OK;
out:
	compare_close(&compare);
	return status;
}

static int arguments_take(struct wanted *wanted, int argc, char **argv)
{
	static const struct option options[] = { { "format", required_argument, NULL, 'f' },
		{ "gate", no_argument, NULL, 'g' }, { "gate-on", required_argument, NULL, 'o' },
		{ "threshold", required_argument, NULL, 't' }, { "help", no_argument, NULL, 'h' },
		{ 0 } };
	int option, status = EXIT_OK;

	optind = 0;
	opterr = 0;
	while (status == EXIT_OK && (option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == '?')
			return cmd_usage("compare", "unknown option or missing value: %s",
				argv[optind - 1]);
		status = option_take(wanted, option, optarg);
	}
	if (status == EXIT_OK && argc - optind != 2)
		status = cmd_usage("compare", "two runs are wanted, BASE and RUN");
	return status == EXIT_OK ? figures_parse(wanted) : status;
}

int cmd_compare(int argc, char **argv)
{
	struct wanted wanted = { .threshold = 0.05 };
	int status;

	wanted.figures = calloc(argc, sizeof(*wanted.figures));
	if (!wanted.figures) {
		log_error("out of memory");
		return EXIT_FAILED;
	}
	status = arguments_take(&wanted, argc, argv);
	if (status == EXIT_OK)
		status = runs_compare(&wanted, argv[optind], argv[optind + 1]);
	gate_free(&wanted.gate);
	free(wanted.figures);
	return status == HELPED ? EXIT_OK : status;
}
