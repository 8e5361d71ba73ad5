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
#include "base/text.h"

/* The empty text is in quotes, as NULL is nothing. */
static void text_put(FILE *out, const char *text, size_t n)
{
	if (n)
		text_put_csv(out, text, n);
	else
		fputs("\"\"", out);
}

static void field_put(FILE *out, sqlite3_stmt *statement, int column)
{
	char number[TEXT_NUMBER];

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL: break;
	case SQLITE_INTEGER: fprintf(out, "%lld", sqlite3_column_int64(statement, column)); break;
	case SQLITE_FLOAT:
		fputs(text_number(number, sqlite3_column_double(statement, column)), out);
		break;
	default:
		text_put(out, (const char *)sqlite3_column_text(statement, column),
			sqlite3_column_bytes(statement, column));
	}
}

static int rows_put(FILE *out, sqlite3_stmt *statement)
{
	int n = sqlite3_column_count(statement), status;

	for (int i = 0; i < n; i++) {
		fputs(i ? "," : "", out);
		text_put(out, sqlite3_column_name(statement, i),
			strlen(sqlite3_column_name(statement, i)));
	}
	fputs("\r\n", out);
	while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
		for (int i = 0; i < n; i++) {
			fputs(i ? "," : "", out);
			field_put(out, statement, i);
		}
		fputs("\r\n", out);
	}
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
