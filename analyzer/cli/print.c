/* print.c - see print.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/print.h"
#include "cli/print_table.h"

/* Programs get text as it is, as far as it is UTF-8; a terminal does not. */
static void csv_text(const char *text)
{
	char *clean = isatty(STDOUT_FILENO) ? text_clean(text, strlen(text)) : NULL;
	const char *c = clean ? clean : text;

	text_put_csv(stdout, c, strlen(c));
	free(clean);
}

/* NULL is the empty field. */
static void csv_value(sqlite3_stmt *statement, int column)
{
	const char *text;
	char number[TEXT_NUMBER];

	if (sqlite3_column_type(statement, column) == SQLITE_FLOAT)
		text = text_number(number, sqlite3_column_double(statement, column));
	else
		text = (const char *)sqlite3_column_text(statement, column);
	csv_text(text ? text : "");
}

static void csv_header(sqlite3_stmt *statement, int ncolumns)
{
	for (int i = 0; i < ncolumns; i++) {
		csv_text(sqlite3_column_name(statement, i));
		fputs(i + 1 < ncolumns ? "," : "\r\n", stdout);
	}
}

/* RFC 4180. An empty table has its header where it is the only one. */
static int print_csv(struct print *print, sqlite3_stmt *statement, const char *name)
{
	int ncolumns = sqlite3_column_count(statement), rows = 0, code;

	if (!print->titled)
		csv_header(statement, ncolumns);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		if (rows == 0 && print->titled) {
			printf("%s# %s\n", print->any ? "\n" : "", name);
			csv_header(statement, ncolumns);
		}
		for (int i = 0; i < ncolumns; i++) {
			csv_value(statement, i);
			fputs(i + 1 < ncolumns ? "," : "\r\n", stdout);
		}
		rows++;
	}
	print->any |= rows > 0;
	return code == SQLITE_DONE ? 0 : -1;
}

static void json_value(struct json *json, sqlite3_stmt *statement, int column)
{
	const char *key = sqlite3_column_name(statement, column), *text;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL: json_null(json, key); break;
	case SQLITE_INTEGER:
		json_integer(json, key, sqlite3_column_int64(statement, column));
		break;
	case SQLITE_FLOAT: json_number(json, key, sqlite3_column_double(statement, column)); break;
	default:
		text = (const char *)sqlite3_column_text(statement, column);
		json_text(json, key, text ? text : "");
	}
}

/* Every table is a member, also an empty one. */
static int print_json(struct print *print, sqlite3_stmt *statement, const char *name)
{
	int ncolumns = sqlite3_column_count(statement), code;

	json_array(&print->json, print->titled ? name : NULL, JSON_LINES);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		json_object(&print->json, NULL, JSON_INLINE);
		for (int i = 0; i < ncolumns; i++)
			json_value(&print->json, statement, i);
		json_end(&print->json);
	}
	json_end(&print->json);
	return code == SQLITE_DONE ? 0 : -1;
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
	default: return print_table(print, statement, title);
	}
}

void print_end(struct print *print)
{
	if (print->format == PRINT_JSON && print->titled)
		json_end(&print->json);
}
