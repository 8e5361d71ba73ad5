/* report_rules.c - see report_rules.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/finding.h"
#include "advise/finding_words.h"
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
	"insert into temp.finding (run_id, rule, variant, n, seconds, message, brief, evidence, advice, confidence,"
	" certainty, is_bound, culprit_rank, phase, place, first_step, last_step)"
	" select :run, :rule, :variant, 1 + (select count(*) from temp.finding where run_id = :run), :seconds,"
	" :message, :brief, coalesce(:evidence, :sql), :advice, :confidence, :certainty,"
	" coalesce(:is_bound, 0), coalesce(:culprit_rank, :rank), :phase, coalesce(:place, :line),"
	" :first_step, :last_step";

/*
 * Tells a file of a query alone, whose row has the words, from a rule with its words
 * (advise/finding_words.h).
 */
static bool has_end(const char *name, const char *end)
{
	size_t length = strlen(name), n = strlen(end);

	return length > n && strcmp(name + length - n, end) == 0;
}

static int is_rule(const struct dirent *entry)
{
	return has_end(entry->d_name, ".sql") || has_end(entry->d_name, ".rule");
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

/* Returns the fault of a rule's query, or NULL. The rule's words are in its file or in columns. */
static const char *rule_fault(sqlite3 *handle, sqlite3_stmt *row, const char *rest,
	const struct finding_words *words)
{
	if (!row)
		return sqlite3_errcode(handle) == SQLITE_OK ? "it has no query"
							    : sqlite3_errmsg(handle);
	if (rest[strspn(rest, " \t\r\n;")])
		return "it has more than one statement";
	if (!sqlite3_stmt_readonly(row))
		return "it changes the database";
	if (words)
		return column_find(row, "seconds") < 0 ? "it has no column seconds" : NULL;
	if (column_find(row, "seconds") < 0 || column_find(row, "message") < 0)
		return "it has no columns seconds and message";
	return NULL;
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

static void columns_bind(sqlite3_stmt *insert, sqlite3_stmt *row)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(insert); i++) {
		int column = column_find(row, sqlite3_bind_parameter_name(insert, i) + 1);

		if (column >= 0)
			sqlite3_bind_value(insert, i, sqlite3_column_value(row, column));
	}
}

/* A rule of the folder. */
struct rule {
	const char *name;
	const char *sql;
	struct finding_words *words; /* NULL: columns have them */
};

/* A row of the rule as a finding; without seconds it is none. SQLite's code. */
static int row_add(struct report_db *db, const struct rule *rule, sqlite3_stmt *insert,
	sqlite3_stmt *row)
{
	if (sqlite3_column_type(row, column_find(row, "seconds")) == SQLITE_NULL)
		return SQLITE_OK;
	sqlite3_reset(insert);
	sqlite3_clear_bindings(insert);
	if (!rule->words)
		columns_bind(insert, row);
	else if (finding_words_bind(rule->words, db->run, row, insert) < 0)
		return SQLITE_ERROR;
	run_bind(insert, db->run);
	text_bind(insert, ":rule", rule->name);
	text_bind(insert, ":sql", rule->sql);
	return sqlite3_step(insert) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
}

/* Runs the query of a rule from `file`. */
static int rule_run(struct report_db *db, const char *file, const struct rule *rule,
	sqlite3_stmt *insert)
{
	sqlite3_stmt *row = NULL;
	const char *rest = "", *fault;
	int status = sqlite3_prepare_v2(db->handle, rule->sql, -1, &row, &rest);

	fault = rule_fault(db->handle, row, rest, rule->words);
	if (!fault && rule->words && finding_words_check(rule->words, row) < 0) {
		sqlite3_finalize(row);
		return -1;
	}
	if (!fault) {
		run_bind(row, db->run);
		while (status == SQLITE_OK && (status = sqlite3_step(row)) == SQLITE_ROW)
			status = row_add(db, rule, insert, row);
		if (status != SQLITE_DONE)
			fault = sqlite3_errmsg(db->handle);
	}
	if (fault)
		log_error("rule %s/%s: %s", folder, file, fault);
	sqlite3_reset(insert);
	sqlite3_finalize(row);
	return fault ? -1 : 0;
}

/* Reads the rule in a file and adds its findings. */
static int rule_add(struct report_db *db, const char *file, sqlite3_stmt *insert)
{
	char *path = NULL, *text = NULL;
	char *name = strndup(file, (size_t)(strrchr(file, '.') - file));
	int ret = -1;

	if (name && asprintf(&path, "%s/%s", folder, file) >= 0)
		text = rule_read(path);
	if (text) {
		struct rule rule = { .name = name, .sql = text };

		if (has_end(file, ".rule")) {
			rule.words = finding_words_parse(name, text);
			rule.sql = rule.words ? finding_words_query(rule.words) : NULL;
		}
		if (rule.sql)
			ret = rule_run(db, file, &rule, insert);
		finding_words_free(rule.words);
	} else
		log_error("cannot read rule %s/%s: %s", folder, file, strerror(errno));
	free(text);
	free(path);
	free(name);
	return ret;
}

int report_rules_add(struct report_db *db)
{
	struct dirent **files = NULL;
	sqlite3_stmt *insert = NULL;
	int n, ret = 0;

	if (sqlite3_exec(db->handle, finding_keys_sql, NULL, NULL, NULL) != SQLITE_OK) {
		log_error("cannot add rules to %s: %s", db->path, sqlite3_errmsg(db->handle));
		return -1;
	}
	if (!folder)
		return 0;
	n = scandir(folder, &files, is_rule, alphasort);
	if (n <= 0) {
		log_error("--rules %s: %s", folder,
			n < 0 ? strerror(errno)
			      : "the folder has no rules (NAME.rule or NAME.sql)");
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
