/* cmd_stats.c - tacho stats and info: the tables of stats.sql as text, csv or json. */
#include "config.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "base/log.h"
#include "cli/near.h"
#include "cli/print.h"
#include "cli/stats_db.h"

enum { OVERVIEW_ROWS = 25 }; /* of calls and files, the most expensive first */

struct stats_table {
	const char *name, *title;
	bool asked; /* shown only when it is asked for */
	const char *sql;
	const char *less; /* columns that a narrow terminal does without (print.h) */
};

#include "cli/stats_sql.h" /* stats_tables, info_tables */

static const struct stats_table *table_find(const char *name)
{
	for (const struct stats_table *table = stats_tables; table->name; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

static struct {
	enum print_format format;
	const char *window, *metric, *run;
	int limit;
	bool definitions;
} wanted = { .limit = -1 };

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

static int table_print(sqlite3 *db, const struct stats_table *table, struct print *print)
{
	sqlite3_stmt *statement = NULL;
	int ret = -1, at;

	if (sqlite3_prepare_v2(db, table->sql, -1, &statement, NULL) != SQLITE_OK) {
		log_error("cannot read the table %s: %s (run tacho analyze again?)", table->name,
			sqlite3_errmsg(db));
		return -1;
	}
	window_bind(statement, wanted.window);
	if ((at = sqlite3_bind_parameter_index(statement, ":metric")) && wanted.metric)
		sqlite3_bind_text(statement, at, wanted.metric, -1, SQLITE_STATIC);
	if ((at = sqlite3_bind_parameter_index(statement, ":limit")))
		sqlite3_bind_int(statement, at, wanted.limit);
	if (!print->titled && wanted.window && lacks_window(statement, wanted.window)) {
		log_error("the table %s has nothing about %s: all figures of a window are in the "
			  "table metrics",
			table->name, wanted.window);
		sqlite3_finalize(statement);
		return -1;
	}
	print->less = table->less;
	ret = print_rows(print, statement, table->name, table->title);
	if (ret < 0)
		log_error("cannot read the table %s: %s", table->name, sqlite3_errmsg(db));
	sqlite3_finalize(statement);
	return ret;
}

/* The overview: tables with rows; json as one object with an array each. */
static int overview_print(sqlite3 *db, const struct stats_table *all)
{
	struct print print;
	int ret = 0;

	print_begin(&print, wanted.format, true);
	for (const struct stats_table *table = all; table->name && ret == 0; table++)
		if (!table->asked && (!wanted.window || strstr(table->sql, ":window")))
			ret = table_print(db, table, &print);
	print_end(&print);
	return ret;
}

/*
 * Checks the options that the tables know; usage reports the others. EXIT_OK, or another status
 * (reported).
 */
static int wanted_check(struct report_db *db, const struct stats_table *table)
{
	if (table && wanted.window && !strstr(table->sql, ":window"))
		return usage_error(&command_stats,
			"the table %s is about the whole run: it knows no windows", table->name);
	if (table && wanted.metric && !strstr(table->sql, ":metric"))
		return usage_error(&command_stats, "the table %s has no metrics to choose from",
			table->name);
	return stats_db_knows(db, wanted.window, wanted.metric) ? EXIT_OK : EXIT_FAILED;
}

/* metrics.def for people: models, and their metrics. */
static int metrics_print(void)
{
	static const struct {
		const char *model, *name, *unit, *text, *undefined;
	} lines[] = {
#define MODEL(model, text)			      { #model, NULL, NULL, text, NULL },
#define METRIC(model, name, unit, formula, undefined) { #model, #name, unit, formula, undefined },
#include "metrics/metrics.def"
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (!lines[i].name) {
			printf("%s%s: %s\n", i ? "\n" : "", lines[i].model, lines[i].text);
			continue;
		}
		printf("  %s.%s%s%s\n      %s\n", lines[i].model, lines[i].name,
			strcmp(lines[i].unit, "1") == 0 ? "" : ", in ",
			strcmp(lines[i].unit, "1") == 0 ? "" : lines[i].unit, lines[i].text);
		if (*lines[i].undefined)
			printf("      undefined: %s\n", lines[i].undefined);
	}
	return EXIT_OK;
}

/* Those that are made of events; the others are of the totals as well. */
static const char *const of_detail[] = { "pop", "hosts", "collectives", "files", "findings",
	"stragglers", "kernels", "copies", "synchronisation" };

/*
 * Where a run was not kept whole: the part that the table, or one of the overview (NULL), covers.
 */
static void detail_say(struct report_db *db, const struct stats_table *table)
{
	char run[24], *share;
	bool asked = !table;

	for (size_t i = 0; i < sizeof(of_detail) / sizeof(*of_detail); i++)
		asked |= table && strcmp(table->name, of_detail[i]) == 0;
	snprintf(run, sizeof(run), "%lld", db->run);
	share = report_db_ask(db,
		"select printf('%.2g', 100 * (1 - sum(m.value) / r.nranks / r.duration_ns)) from "
		"main.metric m "
		"join main.run r on r.id = m.run_id where r.id = cast(?1 as integer) "
		"and m.\"window\" = 'run' and m.model = 'quality' and m.name = 'not_in_detail' "
		"and m.subject glob 'rank:*' having max(m.value) > 0",
		run, NULL, NULL);
	if (share && asked)
		log_warn("%s of the %s %% of the ranks' time that is in detail",
			table ? "these figures are" : "all but calls, steps and rates is", share);
	free(share);
}

static int stats_print(const char *run, const struct stats_table *table)
{
	struct report_db db;
	struct print print;
	int ret = EXIT_FAILED;

	if (stats_db_open(&db, run) < 0)
		return EXIT_FAILED;
	if (stats_db_choose(&db, wanted.run, table && strcmp(table->name, "run") == 0) == 0)
		ret = wanted_check(&db, table);
	if (ret == EXIT_OK) {
		print_begin(&print, wanted.format, false);
		detail_say(&db, table);
		if ((table ? table_print(db.handle, table, &print)
			   : overview_print(db.handle, stats_tables)) < 0)
			ret = EXIT_FAILED;
	}
	report_db_close(&db);
	return ret;
}

static int table_unknown(const char *name)
{
	struct near near = { .word = name };

	for (const struct stats_table *table = stats_tables; table->name; table++)
		near_try(&near, table->name);
	return usage_error(&command_stats, "there is no table %s%s", name, near_words(&near, ""));
}

#define RUN_OPTION                                                                                 \
	{                                                                                          \
		"run", 0, "LABEL",                                                                 \
			"choose a run of the database by label or number (default: the last one; " \
			"table run lists them)",                                                   \
			.text = &wanted.run                                                        \
	}

static const struct option option_table[] = {
	{ "format", 0, PRINT_FORMATS,
		"output format (table); times are in s, ms or µs in tables, in ns otherwise",
		.choice = &wanted.format },
	{ "metric", 0, "NAME", "only metrics of this name, or MODEL.NAME", .text = &wanted.metric },
	{ "metrics", 0, NULL,
		"print the definition of each metric and when it is undefined (no RUN)",
		.flag = &wanted.definitions },
	{ "window", 0, "WINDOW",
		"choose the window: run, phase:train, step:12, or phase for all phases; only "
		"tables that have windows",
		.text = &wanted.window },
	RUN_OPTION, { 0 }
};

static const struct option info_option_table[] = { RUN_OPTION, { 0 } };

static int stats(int argc, char **argv)
{
	const struct stats_table *table = NULL;

	if (wanted.definitions)
		return metrics_print();
	if (!argc)
		return usage_error(&command_stats, "a RUN is wanted");
	if (argc == 2 && !(table = table_find(argv[1])))
		return table_unknown(argv[1]);
	if (!table && wanted.metric)
		table = table_find("metrics");
	if (!table && wanted.format == PRINT_TABLE)
		wanted.limit = OVERVIEW_ROWS;
	return stats_print(argv[0], table);
}

const struct command command_stats = {
	.name = "stats",
	.summary = "Print the metrics of a run as tables, csv or json",
	.arguments = "RUN [TABLE]",
	.least = 0,
	.most = 2,
	.about =
		"Tables: run findings account pop phases hosts calls helpers collectives python modules\n"
		"training gradients files throughput roofs steps stragglers losses checks metrics kernels copies "
		"synchronisation\n"
		"energy devices environment. Without TABLE: an overview, with the 25 longest "
		"calls and files.\n",
	.options = option_table,
	.run = stats,
};

static int info(int argc, char **argv)
{
	struct report_db db;
	int ret = -1;

	(void)argc;
	if (stats_db_open(&db, argv[0]) < 0)
		return EXIT_FAILED;
	if (stats_db_choose(&db, wanted.run, false) == 0)
		ret = overview_print(db.handle, info_tables);
	report_db_close(&db);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_info = {
	.name = "info",
	.summary = "Show the contents of a run's trace, its losses and the recording overhead",
	.arguments = "RUN",
	.least = 1,
	.most = 1,
	.options = info_option_table,
	.run = info,
};
