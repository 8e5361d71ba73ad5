/* roofs.c - see roofs.h. SQLite reads the JSON. */
#include "config.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/roofs.h"
#include "analyze/run_rows.h"
#include "base/log.h"
#include "base/rundir.h"

/* MB/s become Gb/s. */
#define STORED(name, path)                                                                         \
	"union all select host, '" name "', max(d.value) * 0.008 from node, "                      \
	"json_each(node.value, '" path "') d group by host "

static const char roofs_sql[] =
	"with node as (select n.value, json_extract(n.value, '$.host') as host "
	"from json_each(?1, '$.nodes') n), roof(host, name, value) as ("
	"select host, 'memory_gbytes', json_extract(value, '$.memory_triad') from node "
	"union all select host, 'gemm_gflops', json_extract(value, '$.gemm') from node "
	"union all select host, 'gpu_gemm_gflops', 1000 * json_extract(value, '$.gemm_gpu') from node "
	"union all select host, 'network_gbps', json_extract(value, '$.link') from node " STORED(
		"storage_read_gbps", "$.storage_read") STORED("storage_write_gbps",
		"$.storage_write") "), expected(host, name, value) as ("
				   "select host, 'network_gbps', json_extract(value, '$.expected.link') from node "
				   "union all select host, 'storage_read_gbps', 0.008 * json_extract(value, "
				   "'$.expected.storage_read') from node union all select host, 'storage_write_gbps', "
				   "0.008 * json_extract(value, '$.expected.storage_write') from node) "
				   "select 'node:' || host, 'roof.' || name, printf('%.6g', value) from roof where value > 0 "
				   "union all select 'node:' || host, 'expected.' || name, printf('%.6g', value) from expected "
				   "where value > 0";

/* The statement on the text; NULL: SQLite states why in `db`. */
static sqlite3_stmt *statement_make(sqlite3 **db, const char *sql, const char *text)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_open(":memory:", db) == SQLITE_OK &&
		sqlite3_prepare_v2(*db, sql, -1, &statement, NULL) == SQLITE_OK)
		sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
	return statement;
}

static bool is_doctors(const char *text)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = statement_make(&db,
		"select json_valid(?1) and json_type(?1, '$.nodes') = 'array' and "
		"json_type(?1, '$.nodes[0].host') = 'text'",
		text);
	bool is = statement && sqlite3_step(statement) == SQLITE_ROW &&
		sqlite3_column_int(statement, 0) == 1;

	sqlite3_finalize(statement);
	sqlite3_close(db);
	return is;
}

char *roofs_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		log_error("cannot read %s: %s", path, strerror(errno));
	else if (getdelim(&text, &size, '\0', file) < 0 || !is_doctors(text)) {
		log_error("%s is not what `tacho doctor --format json` writes", path);
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

char *roofs_kept(const char *run)
{
	char *path = path_join(run, RUNDIR_ROOFS), *text = NULL;

	if (path && path_exists(path))
		text = roofs_read(path);
	free(path);
	return text;
}

int roofs_keep(const char *run, const char *text)
{
	char *path = path_join(run, RUNDIR_ROOFS);
	FILE *file = path ? fopen(path, "we") : NULL;
	bool failed = !file || fputs(text, file) < 0;

	if (file && fclose(file) != 0)
		failed = true;
	if (failed)
		log_error("cannot write %s: %s", path ? path : RUNDIR_ROOFS, strerror(errno));
	free(path);
	return failed ? -1 : 0;
}

int roofs_write(struct engine *engine, const char *text)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = statement_make(&db, roofs_sql, text);
	int code = statement ? SQLITE_ROW : SQLITE_ERROR;

	while (code == SQLITE_ROW && (code = sqlite3_step(statement)) == SQLITE_ROW)
		run_rows_property(engine, (const char *)sqlite3_column_text(statement, 0),
			(const char *)sqlite3_column_text(statement, 1),
			(const char *)sqlite3_column_text(statement, 2));
	if (code != SQLITE_DONE)
		log_error("cannot take the figures of tacho doctor: %s",
			db ? sqlite3_errmsg(db) : "out of memory");
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return code == SQLITE_DONE ? 0 : -1;
}
