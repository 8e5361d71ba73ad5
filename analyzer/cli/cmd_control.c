/* cmd_control.c - tacho control: a line in RUN/control, which the processes of a run inspect. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/rundir.h"
#include "cli/cmd.h"
#include "record/snapshot.h"

enum { LINE_MOST = 1000 };

/*
 * Waits until all processes have checked: each checks once a second, and the network may delay the
 * news.
 */
static int64_t ahead = 3000000000;

static const struct option option_table[] = {
	{ "ahead", 0, "TIME", "delay before stop and start take effect in all processes (3s)",
		.time = &ahead },
	{ 0 }
};

/* The words of a mark as one line of text. */
static void text_add(char *line, char **words)
{
	size_t n = strlen(line);

	for (; *words; words++)
		n += (size_t)snprintf(line + n, n < LINE_MOST ? LINE_MOST - n : 0, " %s", *words) <
				LINE_MOST
			? strlen(line + n)
			: 0;
	for (char *c = line; *c; c++)
		if (*c == '\n')
			*c = ' ';
}

static bool run_goes_on(const char *run)
{
	char *end;
	bool ended;

	if (run_folder_lacks(run, true))
		return false;
	end = run_property(run, "end_ns");
	ended = end;
	if (ended)
		log_error("%s has ended", run);
	free(end);
	return !ended;
}

static int keep(const char *run)
{
	char *snap = keep_now(run, "asked for", 0);

	if (snap && log_level > LOG_QUIET)
		printf("%s\n", snap);
	free(snap);
	return snap ? EXIT_OK : EXIT_FAILED;
}

static int control(int argc, char **argv)
{
	const char *what = argv[1];
	bool starts = strcmp(what, "start") == 0, stops = strcmp(what, "stop") == 0,
	     marks = strcmp(what, "mark") == 0, keeps = strcmp(what, "keep") == 0;
	char line[LINE_MOST + 2];

	if (!starts && !stops && !marks && !keeps)
		return usage_error(&command_control, "%s: start, stop, keep or mark TEXT", what);
	if (marks ? argc < 3 : argc > 2)
		return usage_error(&command_control,
			marks ? "mark: TEXT is missing" : "too many arguments");
	if (!run_goes_on(argv[0]))
		return EXIT_FAILED;
	if (keeps)
		return keep(argv[0]);
	snprintf(line, LINE_MOST, "%s", what);
	if (marks)
		text_add(line, argv + 2);
	if (control_add(argv[0], marks ? 0 : ahead, line) < 0)
		return EXIT_FAILED;
	if (log_level > LOG_QUIET && !marks)
		printf("%s: calls are %s in %.3g seconds, where steps are marked with the next "
		       "step that all ranks begin\n",
			argv[0], stops ? "recorded no more" : "recorded again",
			(double)ahead / 1e9);
	return EXIT_OK;
}

const struct command command_control = {
	.name = "control",
	.summary = "Stop and start recording in a running job; add notes, save snapshots",
	.arguments = "RUN start|stop|keep|mark TEXT...",
	.least = 2,
	.most = 0,
	.notes = "All processes on all nodes read RUN/control. Time without recording counts "
		 "neither as work\n"
		 "nor as loss; markers, definitions and counters are always recorded.\n",
	.options = option_table,
	.run = control,
};
