/* report_db.c - see report_db.h. */
#include "config.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/db_merge.h"
#include "db/query.h"
#include "base/log.h"
#include "db/db_sum.h"
#include "report/report_db.h"
#include "report/report_median.h"
#include "report/report_planes.h"
#include "report/report_rules.h"
#include "report/report_sums.h"
#include "base/rundir.h"

#define SCHEMA_VERSION "12"

char *report_db_ask(struct report_db *db, const char *sql, const char *first, const char *second,
	int *status)
{
	sqlite3_stmt *stmt = NULL;
	char *value = NULL;
	int code = sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL);

	if (code == SQLITE_OK) {
		sqlite3_bind_text(stmt, 1, first, -1, SQLITE_STATIC);
		sqlite3_bind_text(stmt, 2, second, -1, SQLITE_STATIC);
		code = sqlite3_step(stmt);
	}
	if (code == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
		value = strdup((const char *)sqlite3_column_text(stmt, 0));
	if (status)
		*status = code;
	sqlite3_finalize(stmt);
	return value;
}

static int check_version(struct report_db *db)
{
	int status, ret = -1;
	char *version = report_db_ask(db, "select value from meta where key = 'schema_version'",
		NULL, NULL, &status);

	if (!version)
		log_error("%s is not a database of tacho (%s): make it with tacho analyze",
			db->path,
			status == SQLITE_ROW || status == SQLITE_DONE ? "no schema version"
								      : sqlite3_errmsg(db->handle));
	else if (strcmp(version, SCHEMA_VERSION) != 0)
		log_error("%s has schema version %.20s and this tacho reads %s: make it again "
			  "with tacho analyze",
			db->path, version, SCHEMA_VERSION);
	else
		ret = 0;
	free(version);
	return ret;
}

static int find_run(struct report_db *db)
{
	int status;
	char *run = report_db_ask(db, "select max(id) from run", NULL, NULL, &status);

	if (!run) {
		log_error("%s holds no run%s%s: make it with tacho analyze", db->path,
			status == SQLITE_ROW ? "" : ": ",
			status == SQLITE_ROW ? "" : sqlite3_errmsg(db->handle));
		return -1;
	}
	db->run = atoll(run);
	free(run);
	return 0;
}

/* Whether the database is missing, or cannot be read; states why. */
static bool database_lacks(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *run;
	bool lacks;

	if (!slash || strcmp(slash + 1, RUNDIR_DATABASE) != 0)
		return run_lacks(path, RUNDIR_DATABASE);
	run = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	lacks = !run || run_lacks(run, RUNDIR_DATABASE);
	free(run);
	return lacks;
}

int report_db_open(struct report_db *db, const char *path)
{
	*db = (struct report_db){ .path = path };
	if (database_lacks(path))
		return -1;
	/* A connection belongs to one thread at a time. Statistics of memory would be a lock. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	if (sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
		SQLITE_OK) {
		log_error("cannot open %s: %s", path,
			db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
		goto failed;
	}
	sqlite3_busy_timeout(db->handle, 5000);
	if (db_sum_add(db->handle) != SQLITE_OK || report_median_add(db->handle) != SQLITE_OK ||
		report_sums_add(db->handle) != SQLITE_OK ||
		report_planes_add(db->handle) != SQLITE_OK) {
		log_error("out of memory");
		goto failed;
	}
	if (check_version(db) == 0 && find_run(db) == 0 && report_rules_add(db) == 0)
		return 0;
failed:
	report_db_close(db);
	return -1;
}

void report_db_close(struct report_db *db)
{
	sqlite3_close(db->handle);
	db->handle = NULL;
	while (db->nscripts > 0)
		free(db->scripts[--db->nscripts]);
}

void report_db_warn_several(struct report_db *db)
{
	char *said = report_db_ask(db,
		"select count(*) || ' runs: this is about ' || "
		"(select label from run order by id desc limit 1) || ', the last one' from run "
		"having count(*) > 1",
		NULL, NULL, NULL);

	if (said)
		log_warn("%s holds %s (tacho stats %s run lists them)", db->path, said, db->path);
	free(said);
}

int report_db_memory(struct report_db *db)
{
	*db = (struct report_db){ .path = "the databases of the runs", .in_memory = true };
	if (sqlite3_open(":memory:", &db->handle) == SQLITE_OK &&
		db_sum_add(db->handle) == SQLITE_OK && report_median_add(db->handle) == SQLITE_OK &&
		report_sums_add(db->handle) == SQLITE_OK &&
		report_planes_add(db->handle) == SQLITE_OK &&
		sqlite3_exec(db->handle, db_schema, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	log_error("cannot make a database in memory: %s",
		db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
	report_db_close(db);
	return -1;
}

/* Runs of one name are distinguished by their number. */
static const char names_sql[] =
	"update run set label = label || ' (' || id || ')' where id > ?1 and label in "
	"(select label from run where id <= ?1)";

int report_db_add(struct report_db *db, const char *path, long long only)
{
	struct report_db one;
	long long before = db->run;
	sqlite3_stmt *stmt = NULL;
	int ret;

	if (report_db_open(&one, path) < 0)
		return -1;
	report_db_close(&one);
	ret = db_join(db->handle, path, only) < 0 || find_run(db) < 0 ? -1 : 0;
	if (ret == 0 && sqlite3_prepare_v2(db->handle, names_sql, -1, &stmt, NULL) == SQLITE_OK) {
		sqlite3_bind_int64(stmt, 1, before);
		sqlite3_step(stmt);
	}
	sqlite3_finalize(stmt);
	return ret;
}

static char *file_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t n = file ? getdelim(&text, &size, '\0', file) : -1;

	if (n < 0) {
		log_error("cannot read %s: %s", path,
			file && !ferror(file) ? "it is empty" : strerror(errno));
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

/* Text and path of reports/NAME.sql, NULL when there is none (reported). Both are to be freed. */
static char *query_read(const char *name, char **path)
{
	char file[128];

	snprintf(file, sizeof(file), "%s.sql", name);
	*path = report_file(file);
	return *path ? file_read(*path) : NULL;
}

/* What follows "-- needs: " at the beginning of a query, to be freed; NULL: nothing. */
static char *needs_of(const char *sql)
{
	static const char mark[] = "-- needs: ";

	if (strncmp(sql, mark, strlen(mark)) != 0)
		return NULL;
	sql += strlen(mark);
	return strndup(sql, strcspn(sql, "\n"));
}

char *report_db_needs(const char *name)
{
	char *path, *sql = query_read(name, &path);
	char *needs = sql ? needs_of(sql) : NULL;

	free(sql);
	free(path);
	return needs;
}

/* Executes the scripts that the query requires, once each. 0, or -1 (reported). */
static int needs_meet(struct report_db *db, const char *sql)
{
	char *needs = needs_of(sql);

	for (int i = 0; needs && i < db->nscripts; i++)
		if (strcmp(db->scripts[i], needs) == 0) {
			free(needs);
			needs = NULL;
		}
	if (!needs)
		return 0;
	if (db->nscripts == REPORT_DB_SCRIPTS)
		log_error("%s: more than %d scripts are needed", needs, REPORT_DB_SCRIPTS);
	if (db->nscripts == REPORT_DB_SCRIPTS || report_db_script(db, needs) < 0) {
		free(needs);
		return -1;
	}
	db->scripts[db->nscripts++] = needs;
	return 0;
}

int report_db_script(struct report_db *db, const char *name)
{
	char *path, *sql = query_read(name, &path);
	int ret = sql ? needs_meet(db, sql) : -1;
	int code = ret == 0 ? query_script(db->handle, sql, db->run) : SQLITE_OK;

	if (code != SQLITE_OK)
		log_error("%s does not fit %s (%s): make it again with tacho analyze", path,
			db->path, sqlite3_errmsg(db->handle));
	free(path);
	free(sql);
	return code == SQLITE_OK ? ret : -1;
}

struct sqlite3_stmt *report_db_prepare(struct report_db *db, const char *name)
{
	char *path, *sql = query_read(name, &path);
	sqlite3_stmt *stmt = NULL;

	if (sql && needs_meet(db, sql) == 0 &&
		sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) != SQLITE_OK) {
		log_error("%s does not fit %s (%s): make it again with tacho analyze", path,
			db->path, sqlite3_errmsg(db->handle));
		stmt = NULL;
	}
	if (stmt)
		query_run_bind(stmt, db->run);
	free(sql);
	free(path);
	return stmt;
}

int report_db_query(struct report_db *db, const char *name, struct result *result)
{
	sqlite3_stmt *stmt = report_db_prepare(db, name);
	int status;

	*result = (struct result){ 0 };
	if (!stmt)
		return -1;
	status = result_read(result, stmt);
	if (status != SQLITE_DONE) {
		log_error("cannot read %s (%s): make it again with tacho analyze", db->path,
			sqlite3_errstr(status));
		result_free(result);
	}
	sqlite3_finalize(stmt);
	return status == SQLITE_DONE ? 0 : -1;
}
