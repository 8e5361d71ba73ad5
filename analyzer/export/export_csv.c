/* export_csv.c - see export.h: tables and views of a database as CSV files. */
#include "config.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/export.h"
#include "export/export_file.h"
#include "base/log.h"
#include "report/report_db.h"
#include "base/containers.h"

static int rows_put(FILE *out, sqlite3_stmt *statement)
{
	struct result row;
	int status = result_begin(&row, statement);

	if (status == 0)
		result_csv_head(out, &row);
	while (status >= 0 && (status = result_next(&row, statement)) == SQLITE_ROW)
		result_csv_rows(out, &row);
	result_free(&row);
	return status == SQLITE_DONE ? 0 : -1;
}

typedef ARRAY_OF(struct export_file) export_files;

static int table_export(sqlite3 *db, const char *table, const char *folder, export_files *files)
{
	char *sql = sqlite3_mprintf("select * from \"%w\"", table),
	     *path = sqlite3_mprintf("%s/%s.csv", folder, table);
	struct export_file *file = sql && path ? ARRAY_ADD(files) : NULL;
	sqlite3_stmt *statement = NULL;
	int ret = -1;

	if (!file) {
		log_error("out of memory");
	} else if (export_file_open(file, path) == 0) {
		if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
			rows_put(file->out, statement) < 0)
			log_error("cannot read the table %s: %s", table, sqlite3_errmsg(db));
		else
			ret = export_file_close(file);
	}
	sqlite3_finalize(statement);
	sqlite3_free(path);
	sqlite3_free(sql);
	return ret;
}

/*
 * Writes all tables or none: all files get their final names together. Table names come from the
 * schema, which report_db_open() has checked: letters and underscores.
 */
static int tables_export(sqlite3 *db, const char *folder)
{
	export_files files = { 0 };
	sqlite3_stmt *names = NULL;
	int ret = sqlite3_prepare_v2(db,
			  "select name from sqlite_master where type in ('table', 'view') and "
			  "name not like 'sqlite!_%' escape '!' and name not glob '*[^a-z_]*'",
			  -1, &names, NULL) == SQLITE_OK
		? 0
		: -1;

	while (ret == 0 && sqlite3_step(names) == SQLITE_ROW)
		ret = table_export(db, (const char *)sqlite3_column_text(names, 0), folder, &files);
	sqlite3_finalize(names);
	for (size_t i = 0; i < files.n; i++) {
		if (ret == 0)
			ret = export_file_place(&files.at[i]);
		export_file_free(&files.at[i]);
	}
	free(files.at);
	return ret;
}

int export_csv(const char *database, const char *output)
{
	struct report_db db;
	bool made;
	int ret;

	if (report_db_open(&db, database) < 0)
		return -1;
	made = mkdir(output, 0777) == 0;
	if (!made && errno != EEXIST) {
		log_error("cannot make the folder %s: %s", output, strerror(errno));
		ret = -1;
	} else {
		ret = tables_export(db.handle, output);
	}
	if (ret < 0 && made)
		rmdir(output);
	report_db_close(&db);
	return ret;
}
