/* db_merge.c - see db_merge.h. New rows get numbers above the existing ones. */
#include "config.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/db_merge.h"
#include "db/db_migrate.h"
#include "base/log.h"
#include "base/rundir.h"

/*
 * Tables with rows numbered over the whole database, and the columns that refer to them, in order
 * of reference.
 */
static const struct {
	const char *table, *column;
} references[] = {
	{ "run", "run_id" },
	{ "node", "node_id" },
	{ "process", "process_id" },
	{ "process", "parent_id" },
	{ "process", "peer_id" },
	{ "device", "device_id" },
	{ "location", "location_id" },
	{ "location", "to_location_id" },
	{ "phase", "phase_id" },
	{ "python_frame", "caller_id" },
	{ "python_frame", "own_id" },
	{ "python_frame", "from_id" },
	{ "python_frame", "frame_id" },
};

static const char *const numbered[] = { "run", "node", "process", "location", "device", "phase",
	"python_frame" };

static const char *const tables[] = {
	"run",
	"environment",
	"node",
	"process",
	"location",
	"device",
	"process_device",
	"phase",
	"phase_rest",
	"step",
	"step_sum",
	"step_rest",
	"metric",
	"host_time",
	"location_time",
	"device_time",
	"call",
	"call_path",
	"kernel",
	"copy",
	"median",
	"communicator",
	"collective",
	"collective_rank",
	"collective_rest",
	"message",
	"socket",
	"socket_wait",
	"io_file",
	"io_save",
	"python_frame",
	"python_sample",
	"training_metric",
	"gradient_pass",
	"gradient_bucket",
	"sample",
	"throughput_second",
	"not_recorded",
	"unmatched",
	"checks",
	"finding",
	"finding_time",
	"finding_overlap",
	"straggler",
	"account",
	"cause",
	"cause_without",
	"noise",
	"timeline",
	"timeline_window",
	"timeline_step",
	"timeline_path",
	"timeline_message",
	"timeline_collective",
	"timeline_launch",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static sqlite3_int64 number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	sqlite3_int64 value = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
		sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

/* The table that a column refers to, NULL for a plain column. */
static const char *column_refers(const char *table, const char *column)
{
	for (size_t i = 0; i < COUNT(references); i++)
		if (strcmp(column, references[i].column) == 0)
			return references[i].table;
	for (size_t i = 0; i < COUNT(numbered); i++)
		if (strcmp(column, "id") == 0 && strcmp(table, numbered[i]) == 0)
			return table;
	return NULL;
}

/* insert into main.T (columns) select columns, shifted, from source.T */
static int table_copy(sqlite3 *db, const char *table, const char *where)
{
	char *sql = sqlite3_mprintf("select name from pragma_table_info(%Q)", table),
	     *columns = NULL, *values = NULL;
	sqlite3_stmt *info = NULL;
	int ret = sqlite3_prepare_v2(db, sql, -1, &info, NULL);

	sqlite3_free(sql);
	while (ret == SQLITE_OK && sqlite3_step(info) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(info, 0);
		const char *refers = column_refers(table, name);
		const char *comma = columns ? ", " : "";
		char *shift = refers
			? sqlite3_mprintf(" + (select shift from temp.shifts where t = %Q)", refers)
			: sqlite3_mprintf("");

		columns = sqlite3_mprintf("%z%s\"%w\"", columns, comma, name);
		values = sqlite3_mprintf("%z%s\"%w\"%z", values, comma, name, shift);
	}
	sqlite3_finalize(info);
	sql = sqlite3_mprintf("insert into main.\"%w\" (%s) select %s from source.\"%w\" %s", table,
		columns, values, table, where);
	ret = ret == SQLITE_OK && sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_ERROR;
	sqlite3_free(sql);
	sqlite3_free(columns);
	sqlite3_free(values);
	return ret == SQLITE_OK ? 0 : -1;
}

static int shifts_set(sqlite3 *db)
{
	for (size_t i = 0; i < COUNT(numbered); i++) {
		char *sql = sqlite3_mprintf(
			"insert into temp.shifts select %Q, coalesce(max(id), 0) from main.\"%w\"",
			numbered[i], numbered[i]);
		int ret = sqlite3_exec(db, sql, NULL, NULL, NULL);

		sqlite3_free(sql);
		if (ret != SQLITE_OK)
			return -1;
	}
	return 0;
}

static int run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

/* Findings name their run in the query that proves them; in a database of one run that is 1. */
static const char renumber_sql[] =
	"update main.finding set evidence = replace(evidence, 'run_id = 1', 'run_id = ' || run_id) "
	"where run_id > (select shift from temp.shifts where t = 'run') and run_id <> 1";

#define REPLACED                                                                                   \
	"select r.id from main.run r join source.run s on r.path = s.path and "                    \
	"r.start_ns is s.start_ns"

/*
 * Deletes the run of the same archive: one with the same path and the same start, since CI records
 * all its runs in one folder. It deletes table by table: foreign keys would search whole tables,
 * once per process.
 */
static int replaced_delete(sqlite3 *db)
{
	if (run(db,
		    "delete from main.process_device where process_id in "
		    "(select id from main.process where run_id in (" REPLACED "))") < 0)
		return -1;
	for (size_t i = COUNT(tables); i-- > 0;) {
		char *sql = sqlite3_mprintf(strcmp(tables[i], "run") == 0
				? "delete from main.\"%w\" where id in (" REPLACED ")"
				: "delete from main.\"%w\" where run_id in (" REPLACED ")",
			tables[i]);
		int ret = strcmp(tables[i], "process_device") == 0 ? 0 : run(db, sql ? sql : "?");

		sqlite3_free(sql);
		if (ret < 0)
			return -1;
	}
	return 0;
}

static int copy_all(sqlite3 *db)
{
	if (run(db, "pragma foreign_keys = off; begin immediate") < 0 || replaced_delete(db) < 0 ||
		shifts_set(db) < 0)
		return -1;
	for (size_t i = 0; i < COUNT(tables); i++)
		if (table_copy(db, tables[i], "") < 0)
			return -1;
	return run(db, renumber_sql) < 0 ? -1 : run(db, "commit");
}

#define VERSION(of) "select value from " of ".meta where key = 'schema_version'"

/*
 * Brings the database to the present schema. The version is read under the lock: others may do the
 * same now.
 */
static int migrate(sqlite3 *db)
{
	sqlite3_int64 from, to;

	if (run(db, "pragma foreign_keys = off; begin immediate") < 0)
		return -1;
	from = number(db, VERSION("main"));
	to = number(db, VERSION("source"));
	return (from < to && db_migrate(db, (int)from, (int)to) < 0) || run(db, "commit") < 0 ? -1
											      : 0;
}

/*
 * Compares the version of the database with `ours`: 0 the same, -1 older, 1 newer, 2 not a database
 * of tacho.
 */
static int version_compare(sqlite3 *db, sqlite3_int64 ours)
{
	sqlite3_int64 there;

	if (number(db, "select count(*) from main.sqlite_master where name in ('meta', 'run')") !=
		2)
		return 2;
	there = number(db, VERSION("main"));
	return there < 1 ? 2 : there < ours ? -1 : there > ours;
}

static bool version_lacks(const char *path, int version)
{
	if (version == 2)
		log_error("%s is not a database of tacho: name another file with --db", path);
	else if (version > 0)
		log_error("%s was written by a newer tacho: use that one, or name another file "
			  "with --db",
			path);
	return version > 0;
}

/* The schema's version of this tacho. */
static sqlite3_int64 version_ours(void)
{
	sqlite3 *db = NULL;
	sqlite3_int64 version = -1;

	if (sqlite3_open(":memory:", &db) == SQLITE_OK && run(db, db_schema) == 0)
		version = number(db, VERSION("main"));
	sqlite3_close(db);
	return version;
}

bool db_keep_lacks(const char *path)
{
	sqlite3 *db = NULL;
	bool lacks = true;

	if (!path_exists(path))
		return false;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		log_error("cannot read %s: %s", path, db ? sqlite3_errmsg(db) : "out of memory");
	else
		lacks = version_lacks(path, version_compare(db, version_ours()));
	sqlite3_close(db);
	return lacks;
}

int db_merge(const char *path, const char *from)
{
	sqlite3 *db = NULL;
	/* without spilling, readers wait for the commit only */
	char *attach =
		sqlite3_mprintf("pragma cache_spill = off; attach %Q as source;"
				"create temp table shifts(t text primary key, shift integer)",
			from);
	int version, ret = -1;

	if (!attach || sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
		sqlite3_busy_timeout(db, 20000) != SQLITE_OK || run(db, attach) < 0)
		log_error("cannot write %s: %s", path, db ? sqlite3_errmsg(db) : "out of memory");
	else if (version_lacks(path, version = version_compare(db, number(db, VERSION("source")))))
		;
	else if ((version < 0 && migrate(db) < 0) || copy_all(db) < 0)
		log_error("cannot write %s: %s", path, sqlite3_errmsg(db));
	else
		ret = 0;
	sqlite3_free(attach);
	sqlite3_close(db);
	return ret;
}

int db_keep(const char *path, const char *from)
{
	sqlite3 *db = NULL;
	char *sql;
	int ret;

	if (path_exists(path))
		return db_merge(path, from);
	sql = sqlite3_mprintf("vacuum into %Q", path);
	ret = sql && sqlite3_open_v2(from, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
			run(db, sql) == 0
		? 0
		: -1;
	if (ret < 0)
		log_error("cannot write %s: %s", path, db ? sqlite3_errmsg(db) : "out of memory");
	sqlite3_free(sql);
	sqlite3_close(db);
	return ret;
}

#define ALL	 "true"
#define NO_STEPS "\"window\" not like 'step:%'"

/* Which rows are a run's, where not all are wanted. */
#define OF_RUN	   "run_id = "
#define OF_PROCESS "process_id in (select id from source.process where run_id = "

static const struct {
	const char *table, *where, *of, *end;
} joined[] = {
	{ "run", ALL, "id = ", "" },
	{ "environment", ALL, OF_RUN, "" },
	{ "node", ALL, OF_RUN, "" },
	{ "process", ALL, OF_RUN, "" },
	{ "device", ALL, OF_RUN, "" },
	{ "process_device", ALL, OF_PROCESS, ")" },
	{ "phase", ALL, OF_RUN, "" },
	{ "phase_rest", ALL, OF_RUN, "" },
	{ "step", ALL, OF_RUN, "" },
	{ "step_rest", ALL, OF_RUN, "" },
	{ "metric", NO_STEPS, OF_RUN, "" },
	{ "host_time", NO_STEPS, OF_RUN, "" },
	{ "device_time", NO_STEPS, OF_RUN, "" },
	{ "training_metric", ALL, OF_RUN, "" },
	{ "call", ALL, OF_RUN, "" },
	{ "kernel", ALL, OF_RUN, "" },
	{ "not_recorded", ALL, OF_RUN, "" },
	{ "finding", ALL, OF_RUN, "" },
	{ "finding_time", ALL, OF_RUN, "" },
	{ "finding_overlap", ALL, OF_RUN, "" },
};

static int joined_copy(sqlite3 *db, size_t i, long long only)
{
	char *where = only ? sqlite3_mprintf("where %s and %s%lld%s", joined[i].where, joined[i].of,
				     only, joined[i].end)
			   : sqlite3_mprintf("where %s", joined[i].where);
	int ret = where ? table_copy(db, joined[i].table, where) : -1;

	sqlite3_free(where);
	return ret;
}

static int join_all(sqlite3 *db, long long only)
{
	if (run(db, "create temp table shifts(t text primary key, shift integer)") < 0 ||
		shifts_set(db) < 0)
		return -1;
	for (size_t i = 0; i < COUNT(joined); i++)
		if (joined_copy(db, i, only) < 0)
			return -1;
	return run(db, "drop table temp.shifts");
}

int db_join(sqlite3 *db, const char *from, long long only)
{
	char *attach = sqlite3_mprintf("attach %Q as source", from);
	int ret = !attach || run(db, attach) < 0 ? -1 : join_all(db, only);

	if (ret < 0)
		log_error("cannot read %s: %s", from, sqlite3_errmsg(db));
	else
		ret = run(db, "detach source");
	sqlite3_free(attach);
	return ret;
}
