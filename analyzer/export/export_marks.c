/*
 * export_marks.c - results of the analysis as marks of a trace: findings, each at its first step;
 * and detected steps.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/export_marks.h"
#include "export/export_json.h"
#include "report/report_db.h"

static void text_put(struct json *json, const char *key, sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);
	char *clean = text ? text_clean(text, strlen(text)) : NULL;

	if (clean)
		json_text(json, key, clean);
	free(clean);
}

static void finding_put(struct json *json, sqlite3_stmt *row)
{
	json_object(json, NULL, JSON_INLINE);
	json_text(json, "ph", "i");
	json_text(json, "s", "g");
	json_integer(json, "pid", 0);
	json_integer(json, "tid", 0);
	export_time(json, "ts", sqlite3_column_int64(row, 0));
	json_text(json, "cat", "finding");
	text_put(json, "name", row, 1);
	json_object(json, "args", JSON_INLINE);
	text_put(json, "finding", row, 2);
	json_number(json, "seconds", sqlite3_column_double(row, 3));
	text_put(json, "advice", row, 4);
	json_end(json);
	json_end(json);
}

void export_findings(struct json *json, const char *database, int64_t from, int64_t to)
{
	static const char sql[] =
		"select coalesce((select min(start_ns) from step s where s.run_id = f.run_id and s.n = "
		"f.first_step), (select min(start_ns) from step s where s.run_id = f.run_id), 0) as at, "
		"rule, message, seconds, advice from finding f where run_id = ?1 order by n";
	struct report_db db;
	sqlite3_stmt *statement = NULL;

	if (report_db_open(&db, database) < 0)
		return; /* reported */
	if (sqlite3_prepare_v2(db.handle, sql, -1, &statement, NULL) == SQLITE_OK) {
		sqlite3_bind_int64(statement, 1, db.run);
		while (sqlite3_step(statement) == SQLITE_ROW)
			if (sqlite3_column_int64(statement, 0) >= from &&
				sqlite3_column_int64(statement, 0) <= to)
				finding_put(json, statement);
	}
	sqlite3_finalize(statement);
	report_db_close(&db);
}

static bool has_marked_steps(const struct model *model)
{
	for (size_t i = 0; i < model->regions.n; i++)
		if (model->regions.at[i].mark == MARK_STEP)
			return true;
	return false;
}

void export_found_steps(const struct model *model, const struct export_options *options,
	int64_t rank, void (*take)(void *user, const struct export_step *step), void *user)
{
	static const char sql[] =
		"select p.rank, s.n, max(s.start_ns, ?3), min(s.end_ns, ?4) from step s join process p on "
		"p.id = s.process_id where s.run_id = ?1 and (p.rank = ?2 or ?2 < 0) and s.end_ns >= ?3 and "
		"s.start_ns <= ?4 and p.rank >= 0 order by p.rank, s.start_ns";
	struct report_db db;
	sqlite3_stmt *row = NULL;

	if (has_marked_steps(model) || !options->database ||
		report_db_open(&db, options->database) < 0)
		return;
	if (sqlite3_prepare_v2(db.handle, sql, -1, &row, NULL) == SQLITE_OK) {
		sqlite3_bind_int64(row, 1, db.run);
		sqlite3_bind_int64(row, 2, rank);
		sqlite3_bind_int64(row, 3, options->from);
		sqlite3_bind_int64(row, 4, options->to);
		while (sqlite3_step(row) == SQLITE_ROW) {
			const struct export_step step = { sqlite3_column_int64(row, 0),
				sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
				sqlite3_column_int64(row, 3) };

			take(user, &step);
		}
	}
	sqlite3_finalize(row);
	report_db_close(&db);
}
