/* report_rules.c - see report_rules.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/report_rules.h"

enum { RULE_MOST = 1 << 20 }; /* bytes of a file */

static const char *folder;

void report_rules_from(const char *from)
{
	folder = from;
}

/* A table of this name in temp takes the place of the analysis's for queries, not for views. */
static const char copy_sql[] = "create temp table finding as select * from main.finding";

static const char insert_sql[] =
	"insert into temp.finding (run_id, rule, n, seconds, message, brief, evidence, advice, confidence,"
	" certainty, is_bound, culprit_rank, phase, place, first_step, last_step)"
	" select :run, :rule, 1 + (select count(*) from temp.finding where run_id = :run), :seconds,"
	" :message, :brief, coalesce(:evidence, :sql), :advice, :confidence, :certainty,"
	" coalesce(:is_bound, 0), :culprit_rank, :phase, :place, :first_step, :last_step";

static int is_rule(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 4 && strcmp(entry->d_name + length - 4, ".sql") == 0;
}

/* The whole file; NULL: errno. */
static char *rule_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(RULE_MOST + 1) : NULL;
	size_t length = text ? fread(text, 1, RULE_MOST, file) : 0;

	if (text && !ferror(file)) {
		text[length] = '\0';
	} else {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

static int column_find(sqlite3_stmt *row, const char *name)
{
	for (int i = 0; i < sqlite3_column_count(row); i++)
		if (strcmp(sqlite3_column_name(row, i), name) == 0)
			return i;
	return -1;
}

/* What is wrong with the query; NULL: nothing. */
static const char *rule_fault(sqlite3 *handle, sqlite3_stmt *row, const char *rest)
{
	if (!row)
		return sqlite3_errcode(handle) == SQLITE_OK ? "it has no query"
							    : sqlite3_errmsg(handle);
	if (rest[strspn(rest, " \t\r\n;")])
		return "it has more than one statement";
	if (!sqlite3_stmt_readonly(row))
		return "it changes the database";
	if (column_find(row, "seconds") < 0 || column_find(row, "message") < 0)
		return "it has no columns seconds and message";
	return NULL;
}

/* A row of the rule as a finding; without seconds it is none. SQLite's code. */
static int row_add(sqlite3_stmt *insert, sqlite3_stmt *row)
{
	if (sqlite3_column_type(row, column_find(row, "seconds")) == SQLITE_NULL)
		return SQLITE_OK;
	sqlite3_reset(insert);
	for (int i = 1; i <= sqlite3_bind_parameter_count(insert); i++) {
		int column = column_find(row, sqlite3_bind_parameter_name(insert, i) + 1);

		if (column >= 0)
			sqlite3_bind_value(insert, i, sqlite3_column_value(row, column));
	}
	return sqlite3_step(insert) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
}

static void text_bind(sqlite3_stmt *stmt, const char *name, const char *text)
{
	sqlite3_bind_text(stmt, sqlite3_bind_parameter_index(stmt, name), text, -1,
		SQLITE_TRANSIENT);
}

static void run_bind(sqlite3_stmt *stmt, long long run)
{
	sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":run"), run);
}

/* Runs the query of a rule; `name` without .sql. */
static int rule_run(struct report_db *db, const char *name, const char *sql, sqlite3_stmt *insert)
{
	sqlite3_stmt *row = NULL;
	const char *rest = "", *fault;
	int status;

	status = sqlite3_prepare_v2(db->handle, sql, -1, &row, &rest);
	fault = rule_fault(db->handle, row, rest);
	if (status == SQLITE_OK && !fault) {
		run_bind(row, db->run);
		while (status == SQLITE_OK && (status = sqlite3_step(row)) == SQLITE_ROW) {
			sqlite3_clear_bindings(insert);
			run_bind(insert, db->run);
			text_bind(insert, ":rule", name);
			text_bind(insert, ":sql", sql);
			status = row_add(insert, row);
		}
		if (status != SQLITE_DONE)
			fault = sqlite3_errmsg(db->handle);
	}
	if (fault)
		log_error("rule %s/%s.sql: %s", folder, name, fault);
	sqlite3_reset(insert);
	sqlite3_finalize(row);
	return fault ? -1 : 0;
}

static int rule_add(struct report_db *db, char *file, sqlite3_stmt *insert)
{
	char *path = NULL, *sql = NULL;
	int ret = -1;

	if (asprintf(&path, "%s/%s", folder, file) >= 0)
		sql = rule_read(path);
	if (sql) {
		file[strlen(file) - 4] = '\0';
		ret = rule_run(db, file, sql, insert);
	} else
		log_error("cannot read rule %s/%s: %s", folder, file, strerror(errno));
	free(sql);
	free(path);
	return ret;
}

int report_rules_add(struct report_db *db)
{
	struct dirent **files = NULL;
	sqlite3_stmt *insert = NULL;
	int n, ret = 0;

	if (!folder)
		return 0;
	n = scandir(folder, &files, is_rule, alphasort);
	if (n <= 0) {
		log_error("--rules %s: %s", folder,
			n < 0 ? strerror(errno) : "the folder has no rules (NAME.sql)");
		free(files);
		return -1;
	}
	if (sqlite3_exec(db->handle, copy_sql, NULL, NULL, NULL) != SQLITE_OK ||
		sqlite3_prepare_v2(db->handle, insert_sql, -1, &insert, NULL) != SQLITE_OK) {
		log_error("cannot add rules to %s: %s", db->path, sqlite3_errmsg(db->handle));
		ret = -1;
	}
	for (int i = 0; i < n; i++) {
		if (ret == 0)
			ret = rule_add(db, files[i]->d_name, insert);
		free(files[i]);
	}
	free(files);
	sqlite3_finalize(insert);
	return ret;
}
