/* cmd_report.c - tacho report: the page of a run, or its summary. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cmd.h"
#include "base/log.h"
#include "report/report.h"
#include "base/rundir.h"
#include "report/report_rules.h"
#include "report/summary.h"

static bool summary, brief;
static const char *rules;

static int print_summary(const char *run)
{
	char *database = run_database(run);
	const struct summary_options options = { .brief = brief };
	int ret = database ? summary_print(database, stdout, &options) : -1;

	free(database);
	return ret;
}

static int write_report(const char *run, const struct report_options *options)
{
	char *path;

	if (report_run(run, options) < 0)
		return -1;
	path = options->output ? strdup(options->output) : report_path(run);
	if (path)
		puts(path);
	free(path);
	return 0;
}

static int several(char **runs, int nruns, const struct report_options *options)
{
	int ret = 0;

	for (int i = 0; summary && i < nruns && ret == 0; i++) {
		if (i)
			putchar('\n');
		ret = print_summary(runs[i]);
	}
	if (summary || report_runs(runs, nruns, options) < 0)
		return summary ? ret : -1;
	puts(options->output ? options->output : REPORT_OF_RUNS);
	return 0;
}

static struct report_options wanted;

static const struct option option_table[] = {
	{ "output", 'o', "FILE",
		"write to FILE instead of RUN/report.html; plots and their data go to the folder "
		"of the same name without .html",
		.text = &wanted.output, .writes = true },
	{ "summary", 's', NULL, "only print the summary, as at the end of tacho record",
		.flag = &summary },
	{ "brief", 0, NULL, "only print the verdict, its reason and the next step",
		.flag = &brief },
	{ "rules", 0, "FOLDER",
		"add the findings of a site's rules, FOLDER/NAME.sql or NAME.rule (docs/rules.md)",
		.text = &rules },
	{ 0 }
};

static int report(int argc, char **argv)
{
	int ret;

	summary |= brief;
	if (rules && argc > 1 && !summary) {
		log_error("--rules adds findings to the page of one run, and %d are given", argc);
		return EXIT_USAGE;
	}
	report_rules_from(rules);
	if (argc > 1)
		ret = several(argv, argc, &wanted);
	else
		ret = summary ? print_summary(argv[0]) : write_report(argv[0], &wanted);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_report = {
	.name = "report",
	.group = "Analyze a run",
	.summary = "Write the report of one or more runs as one HTML page",
	.arguments = "RUN...",
	.least = 1,
	.about = "RUN is a run's folder, a database of tacho, or an archive that was analysed. "
		 "Several\n"
		 "runs are shown next to each other, in " REPORT_OF_RUNS ".\n",
	.notes = "Plots need gnuplot ($GNUPLOT, or from PATH; empty: no plots). The command prints "
		 "the path\n"
		 "of the report.\n",
	.options = option_table,
	.run = report,
};
