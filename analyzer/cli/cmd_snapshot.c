/* cmd_snapshot.c - tacho snapshot: trace, database, report and summary of a run in progress. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/rundir.h"
#include "cli/cmd.h"
#include "record/snapshot.h"

static struct {
	const char *output;
	bool force;
	int jobs;
} wanted;

static const struct option option_table[] = {
	{ "output", 'o', "SNAP", "snapshot folder (RUN-snapshot)", .text = &wanted.output },
	{ "force", 'f', NULL, "replace an existing SNAP", .flag = &wanted.force },
	{ "jobs", 'j', "N", "threads (default: one per core)", .count = &wanted.jobs }, { 0 }
};

static bool run_has_ended(const char *run)
{
	char *end = run_property(run, "end_ns");

	if (end)
		log_error("%s has ended: `tacho report %s` shows it, or `tacho merge %s && tacho "
			  "analyze %s` first",
			run, run, run, run);
	free(end);
	return end != NULL;
}

static int snapshot(int argc, char **argv)
{
	char *snap = NULL;
	int ret = -1;

	(void)argc;
	if (asprintf(&snap, wanted.output ? "%s" : "%s-snapshot",
		    wanted.output ? wanted.output : argv[0]) < 0) {
		log_error("out of memory");
		return EXIT_FAILED;
	}
	if (!run_lacks(argv[0], RUNDIR_SPOOL) && !run_has_ended(argv[0]))
		ret = snapshot_take(argv[0], snap, wanted.force, wanted.jobs,
			log_level > LOG_QUIET ? stdout : NULL);
	free(snap);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_snapshot = {
	.name = "snapshot",
	.summary = "Analyze and report a run that is still in progress",
	.arguments = "RUN",
	.least = 1,
	.most = 1,
	.notes = "The command does not change the run. Every command reads SNAP as a run folder.\n",
	.options = option_table,
	.run = snapshot,
};
