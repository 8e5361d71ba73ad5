/* cmd_analyze.c - tacho analyze: the command line of analyze_run(). */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "analyze/roofs.h"
#include "cli/cmd.h"
#include "base/log.h"
#include "base/par.h"
#include "base/rundir.h"
#include "merge/merge.h"

static struct analyze_options wanted;
static const char *roofs; /* the file */
static bool allow_damaged, all;

static const struct option option_table[] = {
	{ "db", 0, "FILE", "write to FILE; keep the runs of other archives in it",
		.text = &wanted.database, .writes = true },
	{ "label", 0, "TEXT", "name of the run in reports", .text = &wanted.label },
	{ "roofs", 0, "FILE",
		"output of `tacho doctor --format json` on these nodes, for `tacho stats RUN "
		"roofs`",
		.text = &roofs },
	OPTIONS_FLOPS(wanted), OPTION_TARGET(wanted.target),
	{ "launch-latency", 0, "TIME", "count device gaps up to TIME as launch latency (10us)",
		.time = &wanted.launch_latency_ns },
	{ "summary", 0, NULL,
		"compute only profiles of the run and its phases, without replay and steps; faster",
		.flag = &wanted.summary },
	{ "all", 0, NULL,
		"first merge RUN/spool anew: all events of a run that was answered from totals",
		.flag = &all },
	{ "allow-damaged", 0, NULL,
		"exit with status 0 although a part of the archive is unreadable",
		.flag = &allow_damaged },
	{ "jobs", 'j', "N", "reader processes (default: one per core)", .count = &wanted.jobs },
	{ 0 }
};

/* Tell an interactive user what to run next. */
static void next_say(const char *run)
{
	if (log_level >= LOG_NORMAL && isatty(STDERR_FILENO) && path_is_folder(run))
		fprintf(stderr,
			"tacho report %s makes its page, tacho stats %s prints its tables\n", run,
			run);
}

static int analyze_one(int argc, char **argv)
{
	if (argc == 1 && all &&
		merge_run(argv[0], &(struct merge_options){ .force = true, .jobs = wanted.jobs }) <
			0)
		return -1;
	if (argc == 1)
		return analyze_run(argv[0], &wanted);
	log_error("%s is analysed alone: only traces of torch.profiler and Nsight Systems "
		  "belong together",
		argv[0]);
	return -1;
}

static int analyze(int argc, char **argv)
{
	char *text = roofs ? roofs_read(roofs) : NULL;
	int ret = -1;

	if ((!roofs || text) && par_start() == 0) {
		wanted.roofs = text;
		ret = analyze_is_traces(argv[0]) ? analyze_traces(argv, (size_t)argc, &wanted)
						 : analyze_one(argc, argv);
		if (ret >= 0 && par_rank() == 0)
			next_say(argv[0]);
		if (ret > 0 && !allow_damaged)
			log_error("%s is damaged: read its figures with care; --allow-damaged "
				  "accepts them",
				argv[0]);
		par_end();
	}
	free(text);
	return ret < 0 || (ret > 0 && !allow_damaged) ? EXIT_FAILED : EXIT_OK;
}

const struct command command_analyze = {
	.name = "analyze",
	.summary =
		"Compute the metrics of a run, an OTF2 archive or traces of other profilers into a database",
	.arguments = "RUN|ARCHIVE.otf2|TRACE.json...|REPORT.sqlite...",
	.least = 1,
	.about = "RUN is a folder of tacho record; ARCHIVE.otf2 is the anchor file of any OTF2\n"
		 "archive (tacho, Score-P, TAU...); TRACE.json or .json.gz is a trace of\n"
		 "torch.profiler, REPORT.sqlite an export of Nsight Systems (nsys export --type\n"
		 "sqlite): give those of all ranks, or the folder that has them. The database is\n"
		 "RUN/tacho.db, NAME.db next to a bare archive or to one trace, or\n"
		 "tacho.db in the folder of several traces.\n",
	.notes = "Under mpirun the processes share the work.\n",
	.options = option_table,
	.run = analyze,
};
