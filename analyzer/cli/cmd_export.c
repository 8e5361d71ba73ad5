/* cmd_export.c - tacho export: what to export, and from where. */
#include "config.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/analyze.h"
#include "cli/cmd.h"
#include "export/export.h"
#include "base/guard.h"
#include "base/log.h"
#include "report/report_db.h"
#include "base/rundir.h"
#include "base/text.h"

/* The time of a step over all ranks. 0, or -1 (reported). */
static int step_find(const char *run, int64_t n, struct export_options *options)
{
	char *database = run_database(run);
	struct report_db db;
	sqlite3_stmt *statement = NULL;
	int ret = -1;

	if (database && report_db_open(&db, database) == 0) {
		if (sqlite3_prepare_v2(db.handle,
			    "select min(start_ns), max(end_ns) from step where run_id = "
			    "? and n = ?",
			    -1, &statement, NULL) == SQLITE_OK) {
			sqlite3_bind_int64(statement, 1, db.run);
			sqlite3_bind_int64(statement, 2, n);
			if (sqlite3_step(statement) == SQLITE_ROW &&
				sqlite3_column_type(statement, 0) != SQLITE_NULL) {
				options->from = sqlite3_column_int64(statement, 0);
				options->to = sqlite3_column_int64(statement, 1);
				ret = 0;
			}
		}
		sqlite3_finalize(statement);
		report_db_close(&db);
		if (ret < 0)
			log_error("%s has no step %" PRId64, database, n);
	}
	free(database);
	return ret;
}

static int perfetto_work(void *options)
{
	return export_perfetto(options);
}

static int kineto_work(void *options)
{
	return export_kineto(options);
}

/* What is written of an archive, and where to. */
struct form {
	int (*work)(void *options);
	const char *output;
	struct export_options *options;
};

/* In a child process. */
static int archive_export(const char *anchor, void *user)
{
	struct form *form = user;
	struct guard_end end;
	struct guard at;

	form->options->anchor = anchor;
	form->options->output = form->output;
	end = guard_run(form->work, form->options, 0, &at);
	if (end.ended)
		log_error("reading %s %s: the archive is damaged", anchor, end.how);
	return end.status;
}

/* The archive of a run, a bare archive, or one made from traces of other profilers. */
static int trace(struct export_options *options, const char *output, int (*work)(void *options))
{
	bool is_folder = path_is_folder(options->run);
	struct form form = { work, output, options };
	char *given = strdup(options->run), *anchor, *database;
	int ret = -1;

	if (given && analyze_is_traces(given)) {
		ret = analyze_traces_archive(&given, 1, archive_export, &form);
		free(given);
		return ret;
	}
	free(given);
	anchor = is_folder ? path_join(options->run, RUNDIR_ANCHOR) : strdup(options->run);
	database = is_folder ? run_database(options->run) : NULL;
	options->database = database && path_exists(database) ? database : NULL;
	if (anchor && !run_lacks(options->run, RUNDIR_ANCHOR))
		ret = archive_export(anchor, &form);
	options->database = NULL;
	free(database);
	free(anchor);
	return ret;
}

static int csv(const char *run, const char *to)
{
	char *database = run_database(run);
	int ret = database ? export_csv(database, to) : -1;

	free(database);
	return ret;
}

static int stacks(const char *run, const char *to, bool is_folded)
{
	char *database = run_database(run);
	int ret = database ? export_stacks(database, to, is_folded) : -1;

	free(database);
	return ret;
}

static struct export_options wanted = { .from = INT64_MIN, .to = INT64_MAX };
static const char *perfetto, *kineto, *folder, *folded, *speedscope;
static int64_t step = -1;

static const struct option option_table[] = {
	{ "perfetto", 0, "FILE",
		"write the trace as JSON for ui.perfetto.dev and chrome://tracing (- for stdout): "
		"threads, streams, messages, launches, counters",
		.text = &perfetto, .writes = true },
	{ "kineto", 0, "DIR",
		"write a file per rank as torch.profiler does, for HolisticTraceAnalysis and "
		"TensorBoard",
		.text = &kineto },
	{ "csv", 0, "DIR", "write the database as CSV, one file per table and view",
		.text = &folder },
	{ "folded", 0, "FILE", "write Python stacks as lines for flame graphs (- for stdout)",
		.text = &folded, .writes = true },
	{ "speedscope", 0, "FILE", "write Python stacks for speedscope.app, by rank and over ranks",
		.text = &speedscope, .writes = true },
	{ "from", 0, "TIME", "only the trace from TIME on: 1.5s, 20ms, 3us or 7ns since its start",
		.time = &wanted.from },
	{ "to", 0, "TIME", "only the trace up to TIME", .time = &wanted.to },
	{ "step", 0, "N", "only step N of all ranks, as in the database", .number = &step },
	{ "ranks", 0, "LIST", "only these ranks, with their children and GPUs: 0,4-7",
		.text = &wanted.ranks },
	{ 0 }
};

static int export(int argc, char **argv)
{
	(void)argc;
	if (!perfetto && !kineto && !folder && !folded && !speedscope)
		return usage_error(&command_export,
			"--perfetto FILE, --kineto DIR, --csv DIR, --folded FILE or --speedscope FILE is "
			"missing");
	if (wanted.ranks && rank_listed(wanted.ranks, 0) < 0)
		return usage_error(&command_export, "--ranks %s: expected a list like 0,4-7",
			wanted.ranks);
	if (wanted.from > wanted.to)
		return usage_error(&command_export, "--from is later than --to");
	wanted.run = argv[0];
	if (step >= 0 && step_find(wanted.run, step, &wanted) < 0)
		return EXIT_FAILED;
	if (folder && csv(wanted.run, folder) < 0)
		return EXIT_FAILED;
	if ((folded && stacks(wanted.run, folded, true) < 0) ||
		(speedscope && stacks(wanted.run, speedscope, false) < 0))
		return EXIT_FAILED;
	if (kineto && trace(&wanted, kineto, kineto_work) < 0)
		return EXIT_FAILED;
	return perfetto && trace(&wanted, perfetto, perfetto_work) < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_export = {
	.name = "export",
	.summary = "Write a run for Perfetto, TensorBoard, flame graphs or spreadsheets",
	.arguments = "RUN|ARCHIVE.otf2|TRACE.json|REPORT.sqlite",
	.least = 1,
	.most = 1,
	.options = option_table,
	.run = export,
};
