/* cmd_export.c - tacho export: what to export, and from where. */
#include "config.h"

#include <getopt.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cmd.h"
#include "export/export.h"
#include "base/guard.h"
#include "base/log.h"
#include "report/report_db.h"
#include "base/rundir.h"

static const char help[] =
	"  --perfetto FILE  the trace as JSON that ui.perfetto.dev and chrome://tracing open\n"
	"                   (- for stdout): threads, streams, messages, launches, counters\n"
	"  --csv DIR        the database as CSV, a file per table and view\n"
	"  --from T --to T  of the trace only from T on, up to T: nanoseconds, or with a unit\n"
	"                   (1.5s, 20ms)\n"
	"  --step N         of the trace only step N of all ranks, as the database has it\n"
	"  --ranks LIST     of the trace only these ranks, with their children and GPUs: 0,4-7\n";

int rank_listed(const char *list, int64_t rank)
{
	bool found = false;

	for (const char *at = list;;) {
		char *end;
		int64_t first = strtoll(at, &end, 10), last = first;

		if (end == at || *at == '-')
			return -1;
		if (*end == '-') {
			at = end + 1;
			last = strtoll(at, &end, 10);
			if (end == at || last < first)
				return -1;
		}
		found |= rank >= first && rank <= last;
		if (!*end)
			return found;
		if (*end != ',')
			return -1;
		at = end + 1;
	}
}

/* The time of a step over all ranks. 0, or -1 (reported). */
static int step_find(const char *run, int64_t step, struct export_options *options)
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
			sqlite3_bind_int64(statement, 2, step);
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
			log_error("%s has no step %" PRId64, database, step);
	}
	free(database);
	return ret;
}

static int perfetto_work(void *options)
{
	return export_perfetto(options);
}

static int perfetto(struct export_options *options)
{
	char *anchor = path_is_folder(options->run) ? path_join(options->run, RUNDIR_ANCHOR)
						    : strdup(options->run);
	struct guard_end end = { .status = -1 };
	struct guard at;

	options->anchor = anchor;
	if (anchor && !path_exists(anchor)) {
		log_error(path_is_folder(options->run) ? "%s holds no trace" : "%s does not exist",
			options->run);
	} else if (anchor) {
		end = guard_run(perfetto_work, options, 0, &at);
		if (end.ended)
			log_error("reading %s %s: the archive is damaged", anchor, end.how);
	}
	free(anchor);
	return end.status;
}

static int csv(const char *run, const char *folder)
{
	char *database = run_database(run);
	int ret = database ? export_csv(database, folder) : -1;

	free(database);
	return ret;
}

static int64_t parse_step(const char *text)
{
	char *end;
	int64_t step = strtoll(text, &end, 10);

	return *text && !*end && step >= 0 ? step : -1;
}

int cmd_export(int argc, char **argv)
{
	static const struct option long_options[] = { { "perfetto", required_argument, NULL, 'p' },
		{ "csv", required_argument, NULL, 'c' }, { "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' }, { "step", required_argument, NULL, 's' },
		{ "ranks", required_argument, NULL, 'r' }, { "help", no_argument, NULL, 'h' },
		{ 0 } };
	struct export_options options = { .from = INT64_MIN, .to = INT64_MAX };
	const char *folder = NULL;
	int64_t step = -1;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		switch (option) {
		case 'p': options.output = optarg; break;
		case 'c': folder = optarg; break;
		case 'r': options.ranks = optarg; break;
		case 'h': return cmd_help("export", help);
		case 'f':
		case 't':
			if (cmd_time(optarg, option == 'f' ? &options.from : &options.to) < 0)
				return cmd_usage("export",
					"a time is 12, 1.5s, 20ms, 3us or 7ns, not %s", optarg);
			break;
		case 's':
			step = parse_step(optarg);
			if (step < 0)
				return cmd_usage("export", "--step wants a number, not %s", optarg);
			break;
		default:
			return cmd_usage("export", "unknown option or missing value: %s",
				argv[optind - 1]);
		}
	}
	if (argc - optind != 1 || (!options.output && !folder))
		return cmd_usage("export", "one RUN is wanted, and --perfetto FILE or --csv DIR");
	if (options.ranks && rank_listed(options.ranks, 0) < 0)
		return cmd_usage("export", "--ranks wants a list like 0,4-7, not %s",
			options.ranks);
	if (options.from > options.to)
		return cmd_usage("export", "--from lies behind --to");
	options.run = argv[optind];
	if (step >= 0 && step_find(options.run, step, &options) < 0)
		return EXIT_FAILED;
	if (folder && csv(options.run, folder) < 0)
		return EXIT_FAILED;
	return options.output && perfetto(&options) < 0 ? EXIT_FAILED : EXIT_OK;
}
