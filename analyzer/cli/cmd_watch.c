/* cmd_watch.c - tacho watch: a run in progress, inspected until it ends. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/log.h"
#include "base/rundir.h"
#include "cli/cmd.h"
#include "record/snapshot.h"
#include "watch/watch_hang.h"
#include "watch/watch_view.h"

static const int64_t interval_least = 100000000; /* the heart beats as often */
/* Without a sign of life of any process: as long as something may still be started, and without
 * `tacho record`, which states when the run has ended. */
static const int64_t quiet_ns = 30000000000, quiet_alone_ns = 3000000000;

static struct {
	bool once, json;
	const char *openmetrics;
	struct keep keep;
	int64_t interval, hang;
} wanted = { .interval = 2000000000, .hang = 10000000000 };

static int keep_take(const struct option *option, const char *text)
{
	(void)option;
	return keep_read(&wanted.keep, text) && !wanted.keep.signal
		? EXIT_OK
		: usage_error(&command_watch, "--keep-on %s: hang, slow-step or both", text);
}

static const struct option option_table[] = {
	{ "once", '1', NULL, "take one sample over one interval and exit", .flag = &wanted.once },
	{ "json", 0, NULL, "print one JSON object per line and sample", .flag = &wanted.json },
	{ "interval", 'i', "TIME", "time between samples (2s)", .time = &wanted.interval },
	{ "openmetrics", 0, "FILE", "write metrics to FILE at each sample, for a node exporter",
		.text = &wanted.openmetrics, .writes = true },
	{ "hang", 0, "TIME", "diagnose a hang after TIME without progress (10s)",
		.time = &wanted.hang },
	{ "keep-on", 0, "hang,slow-step", "save a snapshot in RUN/kept-N on each of these events",
		.take = keep_take },
	{ 0 }
};

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static void rest(int64_t until)
{
	struct timespec t = { until / 1000000000, until % 1000000000 };

	if (!stopped)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* Whether stdout is a terminal that understands where to write. */
static bool is_screen(int *lines, int *columns)
{
	const char *term = getenv("TERM");
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || !term || strcmp(term, "dumb") == 0)
		return false;
	*lines = 24;
	*columns = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
		*lines = size.ws_row - 1;
		*columns = size.ws_col;
	}
	return true;
}

static void show(const struct view *view, bool first)
{
	char clock[16];
	int lines, columns;
	time_t now = time(NULL);
	struct tm local;

	if (log_level == LOG_QUIET)
		return;
	if (wanted.json) {
		view_json(view, stdout);
	} else if (wanted.once) {
		view_print(view, stdout, 0, 0);
	} else if (is_screen(&lines, &columns)) {
		fputs(first ? "\033[2J\033[H" : "\033[H", stdout);
		view_print(view, stdout, lines, columns);
		fputs("\033[J", stdout);
	} else {
		strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &local));
		printf("%s  ", clock);
		view_line(view, stdout);
		putchar('\n');
	}
	fflush(stdout);
}

/* Whether all processes that were seen have ended, or show no sign of life. */
static bool all_quiet(const struct live *live)
{
	for (size_t i = 0; i < live->processes.n; i++)
		if (!live->processes.at[i]->ended && !live_is_silent(live->processes.at[i]))
			return false;
	return live->processes.n > 0;
}

static bool run_is_over(const struct live *live, const char *run, int64_t *quiet_since)
{
	char *started = run_property(run, "start_ns"), *ended = run_property(run, "end_ns");
	bool over = ended || live->gone;

	if (!all_quiet(live))
		*quiet_since = 0;
	else if (!*quiet_since)
		*quiet_since = clock_now_ns(CLOCK_MONOTONIC);
	else if (clock_now_ns(CLOCK_MONOTONIC) - *quiet_since >
		(started ? quiet_ns : quiet_alone_ns))
		over = true;
	free(started);
	free(ended);
	return over;
}

/* Reads the state once and prints it. 0, or -1 (reported). */
static int look(struct live *live, struct hang *hang, const char *run, bool over, bool first)
{
	struct view view;
	int ret = -1;

	if (view_make(&view, live) < 0) {
		log_error("out of memory");
		goto out;
	}
	view.run = run;
	if (over)
		view_end(&view);
	if (!over)
		hang_look(hang, &view, run);
	if (!over)
		keep_look(&wanted.keep, &view);
	if (wanted.openmetrics && view_openmetrics(&view, wanted.openmetrics) < 0)
		goto out;
	show(&view, first);
	ret = ferror(stdout) ? -1 : 0;
out:
	view_free(&view);
	return ret;
}

static int watch(struct live *live, const char *run)
{
	struct hang hang = { .least = wanted.hang };
	int64_t next = clock_now_ns(CLOCK_MONOTONIC), quiet_since = 0;
	bool over = false, first = true;
	int ret = 0;

	while (ret == 0 && !stopped && !over) {
		/* the first reading prints the state, the next ones the changes since */
		ret = live_look(live);
		over = run_is_over(live, run, &quiet_since);
		next += wanted.interval;
		if (ret == 0 && (!first || !wanted.once || over))
			ret = look(live, &hang, run, over, first);
		if (!first && wanted.once)
			break;
		first = false;
		if (ret == 0 && !over)
			rest(next > clock_now_ns(CLOCK_MONOTONIC)
					? next
					: (next = clock_now_ns(CLOCK_MONOTONIC)));
	}
	if (over && ret == 0 && log_level > LOG_QUIET && !wanted.json)
		printf("%s has ended\n", run);
	keep_end(&wanted.keep);
	hang_free(&hang);
	return ret;
}

static bool is_merged(const char *run)
{
	char *spool = path_join(run, RUNDIR_SPOOL), *anchor = path_join(run, RUNDIR_ANCHOR);
	bool merged = spool && anchor && !path_exists(spool) && path_exists(anchor);

	free(spool);
	free(anchor);
	return merged;
}

static int watch_run(int argc, char **argv)
{
	const struct sigaction act = { .sa_handler = stop };
	struct live live;
	int ret = -1;

	(void)argc;
	if (wanted.interval < interval_least)
		return usage_error(&command_watch, "--interval: 100ms is the least");
	if (access(argv[0], F_OK) < 0 && errno == ENOENT) {
		log_error("there is no run %s: begin one with `tacho record -o %s`", argv[0],
			argv[0]);
		return EXIT_FAILED;
	}
	if (run_folder_lacks(argv[0], false))
		return EXIT_FAILED;
	if (is_merged(argv[0])) {
		log_error("%s has ended: `tacho report %s` shows it", argv[0], argv[0]);
		return EXIT_FAILED;
	}
	wanted.keep.run = argv[0];
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (live_open(&live, argv[0]) == 0)
		ret = watch(&live, argv[0]);
	live_close(&live);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_watch = {
	.name = "watch",
	.group = "Observe a run in progress",
	.summary = "Show a running job live: steps, time per state, rates, lost events, hangs",
	.arguments = "RUN",
	.least = 1,
	.most = 1,
	.notes = "A terminal shows a page that is refreshed; elsewhere each sample is one line. It "
		 "ends with\n"
		 "the run.\n",
	.options = option_table,
	.run = watch_run,
};
