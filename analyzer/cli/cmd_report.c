/* cmd_report.c - tacho report: the page of a run, or its summary. */
#include "config.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cmd.h"
#include "base/log.h"
#include "report/report.h"
#include "base/rundir.h"
#include "report/summary.h"

static const char help[] =
	"RUN is a run's folder, a database of tacho, or an archive that was analysed. Several\n"
	"runs are shown beside each other, in " REPORT_OF_RUNS ".\n"
	"\n"
	"  -o, --output FILE  write to FILE instead of RUN/report.html; plots and their data\n"
	"                     as files go to the folder of the same name without .html\n"
	"  -s, --summary      only print the summary that tacho record ends with\n"
	"\n"
	"Plots need gnuplot ($GNUPLOT, or from PATH). Prints the path of the report.\n";

static int print_summary(const char *run)
{
	char *database = run_database(run);
	int ret = database ? summary_print(database, stdout, NULL) : -1;

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

static int several(char **runs, int nruns, bool summary, const struct report_options *options)
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

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = { { "output", required_argument, NULL, 'o' },
		{ "summary", no_argument, NULL, 's' }, { "help", no_argument, NULL, 'h' }, { 0 } };
	struct report_options report = { 0 };
	bool summary = false;
	int c;

	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "o:sh", options, NULL)) >= 0) {
		if (c == 'h')
			return cmd_help("report", help);
		if (c == 'o')
			report.output = optarg;
		else if (c == 's')
			summary = true;
		else
			return cmd_usage("report", "unknown option or missing value: %s",
				argv[optind - 1]);
	}
	if (optind == argc)
		return cmd_usage("report", "a RUN is needed");
	if (argc - optind > 1)
		return several(argv + optind, argc - optind, summary, &report) < 0 ? EXIT_FAILED
										   : EXIT_OK;
	return (summary ? print_summary(argv[optind]) : write_report(argv[optind], &report)) < 0
		? EXIT_FAILED
		: EXIT_OK;
}
