/*
 * cmd_finish.c - tacho finish: merge, analysis and report of a run after its tacho was ended too
 * early.
 */
#include "config.h"

#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/par.h"
#include "base/rundir.h"
#include "cli/cmd.h"
#include "record/finish.h"
#include "record/interrupt.h"
#include "record/record_spool.h"

enum { LIVE_WAIT_S = 1 };

static bool keep_spools;

static const struct option option_table[] = {
	{ "keep-spools", 0, NULL, "keep RUN/spool after the merge", .flag = &keep_spools }, { 0 }
};

/* Whether the run can be continued; reports if it cannot. */
static bool can_go_on(const char *run)
{
	char *trace = path_join(run, RUNDIR_ANCHOR);
	bool can = trace && (path_exists(trace) || !run_lacks(run, RUNDIR_SPOOL));

	free(trace);
	if (can && record_spool_any(run) && record_spool_wait(run, LIVE_WAIT_S)) {
		log_error("%s is still in progress: `tacho snapshot %s` reports its data so far",
			run, run);
		return false;
	}
	return can;
}

/* With all processes that an MPI started: the first one states whether. */
static int finish_together(const char *run)
{
	bool can = true;

	if (par_rank() == 0 && path_is_folder(run))
		finish_bring(run, run);
	if (par_rank() == 0)
		can = can_go_on(run);
	return finish_agreed(!can) ? -1 : finish_run(&(struct finish){ run, run, keep_spools, 0 });
}

static int finish(int argc, char **argv)
{
	int ret;

	(void)argc;
	if (par_start() < 0)
		return EXIT_FAILED;
	interrupt_take();
	signal(SIGXFSZ, SIG_IGN);
	ret = finish_together(argv[0]);
	par_end();
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_finish = {
	.name = "finish",
	.summary = "Resume an interrupted `tacho record`: merge, analyze, report",
	.arguments = "RUN",
	.least = 1,
	.most = 1,
	.notes = "Completed parts are kept. Under mpirun the processes share the work.\n",
	.options = option_table,
	.run = finish,
};
