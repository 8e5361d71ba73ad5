/* cmd_merge.c - tacho merge: options and the call of merge_run(). */
#include "config.h"

#include "cli/cmd.h"
#include "merge/merge.h"
#include "base/par.h"

static struct merge_options wanted = { .print = true };

static const struct option option_table[] = { { "force", 'f', NULL, "replace an existing archive",
						      .flag = &wanted.force },
	{ "output", 'o', "DIR", "write the archive to DIR instead of RUN/trace",
		.text = &wanted.output },
	{ "spool", 0, "DIR", "read the spools of DIR instead of RUN/spool", .text = &wanted.spool },
	{ "delete-spools", 0, NULL, "remove the spools once the archive is complete",
		.flag = &wanted.delete_spools },
	{ "totals", 0, NULL,
		"write totals per phase, step and kind of call instead of single calls; faster",
		.flag = &wanted.totals },
	{ "attempt", 0, "N",
		"choose the N-th attempt of a job that was restarted; default: the one that "
		"succeeded",
		.count = &wanted.attempt },
	{ "job", 0, "N",
		"choose the N-th MPI job of a script with several mpiruns; default: the one with "
		"most ranks, or the longest",
		.count = &wanted.job },
	{ "jobs", 'j', "N", "threads (default: one per core)", .count = &wanted.jobs }, { 0 } };

static int merge(int argc, char **argv)
{
	int ret;

	(void)argc;
	if (par_start() < 0)
		return EXIT_FAILED;
	ret = merge_run(argv[0], &wanted);
	par_end();
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_merge = {
	.name = "merge",
	.group = "Single stages and tools",
	.summary = "Merge the spools of a run into one OTF2 archive",
	.arguments = "RUN",
	.least = 1,
	.most = 1,
	.notes = "Under mpirun the processes share the work.\n",
	.options = option_table,
	.run = merge,
};
