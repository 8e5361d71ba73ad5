/*
 * compare_page.c - tacho compare as a page: its results as temporary tables, which the queries of
 * reports/compare_page_*.sql read, and its sentences.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_print.h"
#include "base/log.h"
#include "base/rundir.h"
#include "report/report.h"
#include "report/report_page.h"

static int run_sql(struct report_db *db, const char *sql)
{
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	log_error("cannot make the page: %s", sqlite3_errmsg(db->handle));
	return -1;
}

/* The query reports/compare/compare_NAME.sql as the temporary table compared_NAME. */
static int table_make(struct report_db *db, const char *name)
{
	char *path = NULL, *query = NULL, *sql = NULL;
	int ret = -1;

	if (asprintf(&path, "compare_%s.sql", name) < 0)
		path = NULL;
	query = path ? report_data(path) : NULL;
	if (query && asprintf(&sql, "create temp table compared_%s as\n%s", name, query) >= 0)
		ret = run_sql(db, sql);
	free(sql);
	free(query);
	free(path);
	return ret;
}

/* Adds a sentence to the table `said`. NULL: none. 0, or -1 (reported). */
static int say(struct report_db *db, const char *line, const char *level, const char *sentence)
{
	char *sql = sentence
		? sqlite3_mprintf("insert into said values (%Q, %Q, %Q)", line, level, sentence)
		: NULL;
	int ret = sql ? run_sql(db, sql) : 0;

	sqlite3_free(sql);
	return ret;
}

/* The same of a text that is the caller's no more. */
static int say_freed(struct report_db *db, const char *line, const char *level, char *sentence)
{
	int ret = say(db, line, level, sentence);

	free(sentence);
	return ret;
}

static int notes_say(struct compare *compare, bool loud)
{
	int ret = 0;

	for (size_t row = 0; row < compare->notes.nrows && ret == 0; row++)
		if (note_is_loud(&compare->notes, row) == loud)
			ret = say(&compare->db, "note", loud ? "bad" : "note",
				row_text(&compare->notes, row, "note"));
	return ret;
}

static int all_say(struct compare *compare, const struct gate *gate)
{
	struct report_db *db = &compare->db;
	bool slower = compare->change.low > 0;
	int ret = run_sql(db, "create temp table said(line, level, sentence)");

	if (ret == 0)
		ret = say_freed(db, "verdict", slower ? "note" : "good", verdict_text(compare));
	for (int device = 1; device >= 0 && ret == 0; device--)
		ret = say_freed(db, "why", "note", time_text(compare, device));
	if (ret == 0)
		ret = notes_say(compare, true);
	for (int side = 0; side < 2 && ret == 0; side++)
		ret = say_freed(db, side ? "new" : "base", "note", run_text(compare, side));
	if (ret == 0)
		ret = notes_say(compare, false);
	if (ret == 0 && gate)
		ret = say_freed(db, "gate", gate->state == GATE_FAILED ? "bad" : "note",
			gate_text(gate));
	return ret;
}

/* The change of a step, for the plot; nothing is known of an interval: no row. */
static int change_keep(struct compare *compare)
{
	const struct change *change = &compare->change;
	char sql[256];

	if (run_sql(&compare->db, "create temp table compared_change(base, new, low, high)") < 0)
		return -1;
	if (!(change->high >= change->low))
		return 0;
	snprintf(sql, sizeof(sql),
		"insert into compared_change values (%.17g, %.17g, %.17g, %.17g)", change->base_ns,
		change->new_ns, change->base_ns * (1 + change->low),
		change->base_ns * (1 + change->high));
	return run_sql(&compare->db, sql);
}

/* Where the runs' databases are, as timelines are not in the one in memory; id 0: the last run there. */
static int path_keep(struct report_db *db, int side, const char *run, long long id)
{
	char *path = run_database(run);
	char *sql = path
		? sqlite3_mprintf("insert into compared_path values (%d, %Q, %lld)", side, path, id)
		: NULL;
	int ret = sql ? run_sql(db, sql) : -1;

	sqlite3_free(sql);
	free(path);
	return ret;
}

int compare_page(struct compare *compare, const struct gate *gate, char *const *runs,
	const char *output)
{
	struct report_options options = { .output = output };
	int ret = 0;

#define PART(name)                                                                                 \
	if (ret == 0)                                                                              \
		ret = table_make(&compare->db, #name);
	COMPARE_PARTS(PART)
#undef PART
	if (ret == 0)
		ret = all_say(compare, gate);
	if (ret == 0)
		ret = change_keep(compare);
	if (ret == 0)
		ret = run_sql(&compare->db, "create temp table compared_path(side, path, id)");
	for (int side = 1; side <= 2 && ret == 0; side++)
		ret = path_keep(&compare->db, side, runs[side - 1],
			side == 1 ? compare->base_id : 0);
	return ret < 0 ? -1 : report_compared(&compare->db, &options);
}
