/* cmd_stats.c - tacho stats and info: the tables of stats.sql as text, csv or json. */
#include "config.h"

#include <getopt.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "log.h"
#include "print.h"
#include "rundir.h"

enum { OVERVIEW_ROWS = 25 };		/* of calls and files, the most expensive first */

static const char help[] =
	"Tables: run pop hosts calls collectives files throughput phases steps losses\n"
	"stragglers findings checks metrics kernels copies synchronisation devices\n"
	"environment. Without TABLE: those a newcomer wants, of calls and files the 25 that\n"
	"took longest.\n\n"
	"  --format table|csv|json   (table; times are in s, ms or µs there, in ns elsewhere)\n"
	"  --metric NAME             only metrics of this name, or MODEL.NAME\n"
	"  --window WINDOW           run, phase:train, step:12, or phase for all phases\n";

struct table {
	const char *name, *title;
	bool asked;		/* shown only when it is asked for */
	const char *sql;
};

#include "stats_sql.h"		/* stats_tables, info_tables */

static const struct table *table_find(const char *name)
{
	for (const struct table *table = stats_tables; table->name; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

struct wanted { enum print_format format; const char *window, *metric; int limit; };

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
	if ((at = sqlite3_bind_parameter_index(statement, ":window")) && wanted->window)
		sqlite3_bind_text(statement, at, wanted->window, -1, SQLITE_STATIC);
	if ((at = sqlite3_bind_parameter_index(statement, ":metric")) && wanted->metric)
		sqlite3_bind_text(statement, at, wanted->metric, -1, SQLITE_STATIC);
	if ((at = sqlite3_bind_parameter_index(statement, ":limit")))
		sqlite3_bind_int(statement, at, wanted->limit);
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
		if (table->asked)
			continue;
		ret = table_print(db, table, wanted, true, first);
		first &= ret <= 0;
	}
	if (wanted->format == PRINT_JSON)
		puts("}");
	return ret < 0 ? -1 : 0;
}

/* A run's folder means its database. */
static sqlite3 *database_open(const char *run)
{
	struct stat st;
	bool folder = stat(run, &st) == 0 && S_ISDIR(st.st_mode);
	char *path = folder ? path_join(run, RUNDIR_DATABASE) : strdup(run);
	sqlite3 *db = NULL;

	if (!path || !path_exists(path)) {
		log_error("%s has no database: run tacho analyze %s first", run, run);
	} else if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
		   sqlite3_exec(db, "select value from meta", NULL, NULL, NULL) != SQLITE_OK) {
		log_error("%s is not a database of tacho: %s", path, db ? sqlite3_errmsg(db) : "out of memory");
		sqlite3_close(db);
		db = NULL;
	}
	free(path);
	return db;
}

static int parse_format(const char *text, enum print_format *format)
{
	static const char *const names[] = {
		[PRINT_TABLE] = "table", [PRINT_CSV] = "csv", [PRINT_JSON] = "json"
	};

	for (int i = 0; i < 3; i++)
		if (strcmp(text, names[i]) == 0) {
			*format = i;
			return 0;
		}
	return -1;
}

int cmd_stats(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' }, { "metric", required_argument, NULL, 'm' },
		{ "window", required_argument, NULL, 'w' }, { "help", no_argument, NULL, 'h' }, { 0 }
	};
	struct wanted wanted = { PRINT_TABLE, NULL, NULL, -1 };
	const struct table *table = NULL;
	int option, ret;
	sqlite3 *db;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'm': wanted.metric = optarg; break;
		case 'w': wanted.window = optarg; break;
		case 'h': return cmd_help("stats", help);
		case 'f':
			if (parse_format(optarg, &wanted.format) == 0)
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
	db = database_open(argv[optind]);
	if (!db)
		return EXIT_FAILED;
	ret = table ? table_print(db, table, &wanted, false, true) :
		      overview_print(db, stats_tables, &wanted);
	sqlite3_close(db);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

int cmd_info(int argc, char **argv)
{
	struct wanted wanted = { PRINT_TABLE, NULL, NULL, -1 };
	sqlite3 *db;
	int ret;

	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return cmd_help("info", NULL);
	if (argc != 2 || argv[1][0] == '-')
		return cmd_usage("info", "a RUN or database is wanted");
	db = database_open(argv[1]);
	if (!db)
		return EXIT_FAILED;
	ret = overview_print(db, info_tables, &wanted);
	sqlite3_close(db);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}
