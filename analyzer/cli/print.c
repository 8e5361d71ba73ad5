/* print.c - see print.h. */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/print.h"
#include "base/log.h"
#include "base/terminal.h"
#include "report/report_db.h"

/* An empty table has its header where it is the only one. */
static int print_csv(struct print *print, sqlite3_stmt *statement, const char *name)
{
	struct result row;
	size_t rows = 0;
	int code = result_begin(&row, statement);

	row.for_terminal = isatty(STDOUT_FILENO);
	if (code == 0 && !print->titled)
		result_csv_head(stdout, &row);
	while (code >= 0 && (code = result_next(&row, statement)) == SQLITE_ROW) {
		if (rows++ == 0 && print->titled) {
			printf("%s# %s\n", print->any ? "\n" : "", name);
			result_csv_head(stdout, &row);
		}
		result_csv_rows(stdout, &row);
	}
	result_free(&row);
	print->any |= rows > 0;
	return code == SQLITE_DONE ? 0 : -1;
}

/* Every table is a member, also an empty one. */
static int print_json(struct print *print, sqlite3_stmt *statement, const char *name)
{
	struct result row;
	int code = result_begin(&row, statement);

	json_array(&print->json, print->titled ? name : NULL, JSON_LINES);
	while (code >= 0 && (code = result_next(&row, statement)) == SQLITE_ROW)
		result_json_row(&print->json, NULL, &row, 0);
	json_end(&print->json);
	result_free(&row);
	return code == SQLITE_DONE ? 0 : -1;
}

static int print_table(struct print *print, const struct result *rows, const char *title)
{
	const struct result_look look = { .less = print->less,
		.overview = print->titled,
		.whole = "csv" };
	int ret = 0;

	if (rows->nrows && print->titled) {
		fputs(print->any ? "\n" : "", stdout);
		text_wrap(title, 0, terminal_width(stdout));
		putchar('\n');
	}
	if (rows->nrows || !print->titled)
		ret = result_print(rows, &look);
	print->any |= rows->nrows > 0;
	return ret;
}

static int rows_print(struct print *print, sqlite3_stmt *statement, const char *title)
{
	struct result rows;
	int ret = result_read(&rows, statement) == SQLITE_DONE ? print_table(print, &rows, title)
							       : -1;

	result_free(&rows);
	return ret;
}

void print_begin(struct print *print, enum print_format format, bool titled)
{
	*print = (struct print){ .format = format, .titled = titled, .json = { .out = stdout } };
	if (format == PRINT_JSON && titled)
		json_object(&print->json, NULL, JSON_LINES);
}

int print_rows(struct print *print, sqlite3_stmt *statement, const char *name, const char *title)
{
	switch (print->format) {
	case PRINT_CSV: return print_csv(print, statement, name);
	case PRINT_JSON: return print_json(print, statement, name);
	default: return rows_print(print, statement, title);
	}
}

int print_query(struct print *print, struct report_db *db, const char *query, const char *name,
	const char *title)
{
	sqlite3_stmt *stmt = report_db_prepare(db, query);
	int ret = stmt ? print_rows(print, stmt, name, title) : -1;

	if (stmt && ret < 0)
		log_error("cannot read %s: %s", db->path, sqlite3_errmsg(db->handle));
	sqlite3_finalize(stmt);
	return ret;
}

int print_result(enum print_format format, const struct result *result, const char *title)
{
	struct print print = { .titled = title != NULL };
	struct json json = { .out = stdout };

	if (format == PRINT_TABLE)
		return print_table(&print, result, title);
	if (format == PRINT_JSON)
		result_json(&json, NULL, result);
	else {
		result_csv_head(stdout, result);
		result_csv_rows(stdout, result);
	}
	return 0;
}

void print_end(struct print *print)
{
	if (print->format == PRINT_JSON && print->titled)
		json_end(&print->json);
}
