/* cmd_stats.c - tacho stats and info: the tables of stats.sql as text, csv or json. */
#include "config.h"

#include <getopt.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "base/log.h"
#include "cli/print.h"
#include "cli/stats_db.h"

enum { OVERVIEW_ROWS = 25 }; /* of calls and files, the most expensive first */

#define RUN_HELP                                                                                   \
	"  --run LABEL|NUMBER        of a database of several runs (the last one; table run lists them)\n"

static const char help[] =
	"Tables: run pop hosts calls collectives files throughput phases steps losses\n"
	"stragglers findings checks metrics kernels copies synchronisation devices\n"
	"environment. Without TABLE: those a newcomer wants, of calls and files the 25 that\n"
	"took longest.\n\n"
	"  --format table|csv|json   (table; times are in s, ms or µs there, in ns elsewhere)\n"
	"  --metric NAME             only metrics of this name, or MODEL.NAME\n"
	"  --window WINDOW           run, phase:train, step:12, or phase for all phases; only\n"
	"                            of the tables that know windows\n" RUN_HELP;

static const char info_help[] = RUN_HELP;

struct table {
	const char *name, *title;
	bool asked; /* shown only when it is asked for */
	const char *sql;
};

#include "cli/stats_sql.h" /* stats_tables, info_tables */

static const struct table *table_find(const char *name)
{
	for (const struct table *table = stats_tables; table->name; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

struct wanted {
	enum print_format format;
	const char *window, *metric, *run;
	int limit;
};

static void window_bind(sqlite3_stmt *statement, const char *window)
{
	int at = sqlite3_bind_parameter_index(statement, ":window");

	sqlite3_reset(statement);
	if (at && window)
		sqlite3_bind_text(statement, at, window, -1, SQLITE_STATIC);
	else if (at)
		sqlite3_bind_null(statement, at);
}

/* The table has rows, but none of the window. */
static bool lacks_window(sqlite3_stmt *statement, const char *window)
{
	bool lacks = window && sqlite3_step(statement) == SQLITE_DONE;

	window_bind(statement, NULL);
	lacks = lacks && sqlite3_step(statement) == SQLITE_ROW;
	window_bind(statement, window);
	return lacks;
}

static int table_print(sqlite3 *db, const struct table *table, const struct wanted *wanted,
	bool titled, bool first)
{
	sqlite3_stmt *statement = NULL;
	int ret = -1, at;

	if (sqlite3_prepare_v2(db, table->sql, -1, &statement, NULL) != SQLITE_OK) {
		log_error("cannot read the table %s: %s (run tacho analyze again?)", table->name,
			sqlite3_errmsg(db));
		return -1;
	}
	window_bind(statement, wanted->window);
	if ((at = sqlite3_bind_parameter_index(statement, ":metric")) && wanted->metric)
		sqlite3_bind_text(statement, at, wanted->metric, -1, SQLITE_STATIC);
	if ((at = sqlite3_bind_parameter_index(statement, ":limit")))
		sqlite3_bind_int(statement, at, wanted->limit);
	if (!titled && wanted->window && lacks_window(statement, wanted->window)) {
		log_error("the table %s has nothing about %s: all figures of a window are in the "
			  "table metrics",
			table->name, wanted->window);
		sqlite3_finalize(statement);
		return -1;
	}
	ret = print_rows(statement, wanted->format, titled ? table->name : NULL,
		titled ? table->title : NULL, first);
	if (ret < 0)
		log_error("cannot read the table %s: %s", table->name, sqlite3_errmsg(db));
	sqlite3_finalize(statement);
	return ret;
}

/* The overview: tables that have something to say; json as one object with an array each. */
static int overview_print(sqlite3 *db, const struct table *all, const struct wanted *wanted)
{
	bool first = true;
	int ret = 0;

	if (wanted->format == PRINT_JSON)
		putchar('{');
	for (const struct table *table = all; table->name && ret >= 0; table++) {
		if (table->asked || (wanted->window && !strstr(table->sql, ":window")))
			continue;
		ret = table_print(db, table, wanted, true, first);
		first &= ret <= 0;
	}
	if (wanted->format == PRINT_JSON)
		puts("}");
	return ret < 0 ? -1 : 0;
}

/* What the tables know of; usage says what they do not. EXIT_OK, or another status (reported). */
static int wanted_check(struct report_db *db, const struct table *table,
	const struct wanted *wanted)
{
	if (table && wanted->window && !strstr(table->sql, ":window"))
		return cmd_usage("stats",
			"the table %s is about the whole run: it knows no windows", table->name);
	if (table && wanted->metric && !strstr(table->sql, ":metric"))
		return cmd_usage("stats", "the table %s has no metrics to choose from",
			table->name);
	return stats_db_knows(db, wanted->window, wanted->metric) ? EXIT_OK : EXIT_FAILED;
}

static int stats_print(const char *run, const struct table *table, const struct wanted *wanted)
{
	struct report_db db;
	int ret = EXIT_FAILED;

	if (stats_db_open(&db, run) < 0)
		return EXIT_FAILED;
	if (stats_db_choose(&db, wanted->run, table && strcmp(table->name, "run") == 0) == 0)
		ret = wanted_check(&db, table, wanted);
	if (ret == EXIT_OK &&
		(table ? table_print(db.handle, table, wanted, false, true)
		       : overview_print(db.handle, stats_tables, wanted)) < 0)
		ret = EXIT_FAILED;
	report_db_close(&db);
	return ret;
}

int cmd_stats(int argc, char **argv)
{
	static const struct option options[] = { { "format", required_argument, NULL, 'f' },
		{ "metric", required_argument, NULL, 'm' },
		{ "window", required_argument, NULL, 'w' }, { "run", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' }, { 0 } };
	struct wanted wanted = { .limit = -1 };
	const struct table *table = NULL;
	int option;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'm': wanted.metric = optarg; break;
		case 'w': wanted.window = optarg; break;
		case 'r': wanted.run = optarg; break;
		case 'h': return cmd_help("stats", help);
		case 'f':
			if (print_format_parse(optarg, &wanted.format) == 0)
				break;
			return cmd_usage("stats", "--format is table, csv or json, not %s", optarg);
		default: return cmd_usage("stats", "unknown option %s", argv[optind - 1]);
		}
	}
	if (argc - optind < 1 || argc - optind > 2)
		return cmd_usage("stats", "a RUN or database is wanted, and at most one table");
	if (argc - optind == 2 && !(table = table_find(argv[optind + 1])))
		return cmd_usage("stats", "there is no table %s", argv[optind + 1]);
	if (!table && wanted.metric)
		table = table_find("metrics");
	if (!table && wanted.format == PRINT_TABLE)
		wanted.limit = OVERVIEW_ROWS;
	return stats_print(argv[optind], table, &wanted);
}

int cmd_info(int argc, char **argv)
{
	static const struct option options[] = { { "run", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' }, { 0 } };
	struct wanted wanted = { .limit = -1 };
	struct report_db db;
	int option, ret = -1;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'r': wanted.run = optarg; break;
		case 'h': return cmd_help("info", info_help);
		default: return cmd_usage("info", "unknown option %s", argv[optind - 1]);
		}
	}
	if (argc - optind != 1)
		return cmd_usage("info", "a RUN or database is wanted");
	if (stats_db_open(&db, argv[optind]) < 0)
		return EXIT_FAILED;
	if (stats_db_choose(&db, wanted.run, false) == 0)
		ret = overview_print(db.handle, info_tables, &wanted);
	report_db_close(&db);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}
