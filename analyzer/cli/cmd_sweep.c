/* cmd_sweep.c - tacho sweep: a study in one command, from options or a file. */
#include "config.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/rundir.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "report/report_db.h"
#include "sweep/sweep_round.h"
#include "sweep/sweep_said.h"

#define DEFAULT_STUDY "tacho-study"

static struct study wanted = STUDY_DEFAULTS;
static const char *output;
static enum print_format format;

/* An option that a line of study.conf may also set. */
static int key_take(const struct option *option, const char *text)
{
	return study_set(&wanted, option->name, text) < 0 ? EXIT_USAGE : EXIT_OK;
}

static int knob_take(const struct option *option, const char *text)
{
	const char *equals = strchr(text, '=');
	char *key;
	int ret = -1;

	if (!equals)
		return usage_error(&command_sweep, "--%s %s: expected NAME=VALUE,VALUE",
			option->name, text);
	if (asprintf(&key, "knob.%.*s", (int)(equals - text), text) >= 0) {
		ret = study_set(&wanted, key, equals + 1);
		free(key);
	}
	return ret < 0 ? EXIT_USAGE : EXIT_OK;
}

static const struct option option_table[] = {
	{ "output", 'o', "STUDY", "study folder (" DEFAULT_STUDY "); an existing one is resumed",
		.text = &output },
	{ "ranks", 'n', "LIST", "numbers of ranks, for {ranks}: 1,2,4", .take = key_take },
	{ "nodes", 'N', "LIST",
		"numbers of nodes for {nodes}, one per number of ranks, or one for all",
		.take = key_take },
	{ "knob", 'k', "NAME=LIST", "values for {NAME}; may be repeated", .take = knob_take },
	{ "launcher", 0, STUDY_LAUNCHERS, "put this launcher before COMMAND (none)",
		.take = key_take },
	{ "search", 0, STUDY_SEARCHES,
		"find the values with the shortest run time, step time or time to --target; "
		"eliminate the others early",
		.take = key_take },
	{ "step-range", 0, "NAME",
		"count NVTX ranges of this name as steps, for example the requests of a server",
		.take = key_take },
	{ "target", 0, "NAME=VALUE",
		"value of tacho_metric() that the training is to reach: points compare by the time to it "
		"(loss=0.5); also for --search target",
		.take = key_take, .pattern = TARGET_PATTERN, .wanted = TARGET_WANTED },
	{ "repeat", 'r', "N", "measure each point N times (1; with --search 3 in each round)",
		.take = key_take },
	{ "seed", 0, "N", "seed of the random order of the runs (1)", .take = key_take },
	{ "format", 0, PRINT_FORMATS, "output format of the final table (table)",
		.choice = &format },
	{ 0 }
};

/* A study that is kept in a folder, or a file of one: *path, to be freed; NULL: it is a command. */
static char *study_file(int argc, char **argv)
{
	size_t length = strlen(argv[0]);

	if (argc != 1)
		return NULL;
	if (path_is_folder(argv[0]))
		return path_join(argv[0], SWEEP_STUDY);
	return length > 5 && strcmp(argv[0] + length - 5, ".conf") == 0 ? strdup(argv[0]) : NULL;
}

/* The folder: from -o, the one that was named, or from the file's name. */
static char *folder_of(const char *argument, const char *file)
{
	if (output)
		return strdup(output);
	if (file && path_is_folder(argument))
		return strdup(argument);
	return file ? strndup(argument, strlen(argument) - 5) : strdup(DEFAULT_STUDY);
}

/* 0, or an exit status (reported). */
static int study_make(int argc, char **argv)
{
	char *file = study_file(argc, argv);
	int ret = 0;

	if (file)
		ret = study_read(&wanted, file);
	for (int i = 0; i < argc && !file && ret == 0; i++)
		ret = study_word_add(&wanted, argv[i]);
	wanted.folder = folder_of(argv[0], file);
	free(file);
	return ret < 0 || !wanted.folder || study_check(&wanted) < 0 ? EXIT_USAGE : EXIT_OK;
}

static int points_print(struct report_db *db)
{
	char *sql = sweep_table_sql(&wanted);
	struct print print;
	sqlite3_stmt *stmt = NULL;
	int ret = -1;

	if (sql && sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) == SQLITE_OK) {
		print_begin(&print, format, false);
		print.less = "failed, status, reached, parallel, ideal_%, note, least_ns, most_ns";
		ret = print_rows(&print, stmt, "points", "Points");
		print_end(&print);
	}
	if (ret < 0)
		log_error("cannot read the study: %s", sqlite3_errmsg(db->handle));
	sqlite3_finalize(stmt);
	free(sql);
	return ret;
}

static int result_show(const struct sweep *sweep)
{
	struct report_db db;
	int ret;

	if (sweep_result(sweep, &db) < 0)
		return EXIT_FAILED;
	ret = points_print(&db);
	if (ret == 0 && format == PRINT_TABLE)
		ret = sweep_said_print(&db);
	report_db_close(&db);
	if (format == PRINT_TABLE)
		printf("\n%s/" SWEEP_PAGE "\n%s/" SWEEP_DATABASE "\n", wanted.folder,
			wanted.folder);
	if (sweep_count(sweep, SWEEP_FAILED))
		log_error("%zu of %zu runs failed", sweep_count(sweep, SWEEP_FAILED), sweep->nruns);
	return ret < 0 || sweep_count(sweep, SWEEP_FAILED) ? EXIT_FAILED : EXIT_OK;
}

static int sweep(int argc, char **argv)
{
	struct sweep all = { .state = -1, .lock = -1 };
	int status = study_make(argc, argv), went = -1;

	if (status == EXIT_OK) {
		if (sweep_open(&all, &wanted) == 0)
			went = sweep_go(&all);
		if (went > 0)
			log_error("interrupted: `tacho sweep %s` resumes it", wanted.folder);
		status = went == 0 ? result_show(&all) : EXIT_FAILED;
		sweep_close(&all);
	}
	study_free(&wanted);
	if (went > 0) {
		signal(went, SIG_DFL);
		raise(went);
	}
	return status;
}

const struct command command_sweep = {
	.name = "sweep",
	.summary = "Record a parameter sweep: sizes × settings × repetitions",
	.arguments = "STUDY | STUDY.conf | [--] COMMAND...",
	.least = 1,
	.wraps = true,
	.about = "The values of {ranks}, {nodes} and of each knob's {NAME} are put into COMMAND:\n"
		 "    tacho sweep -o fusion -n 1,2,4 -k fusion=0,1,8 -r 3 -- mpirun -n {ranks} "
		 "./train --fusion {fusion}\n"
		 "Each combination is recorded into a separate folder in STUDY. To resume an "
		 "interrupted sweep, give\n"
		 "the same command line again, or STUDY alone.\n",
	.notes = "The exit status is 0 when all runs succeeded; a failed run is retried once.\n",
	.options = option_table,
	.run = sweep,
};
