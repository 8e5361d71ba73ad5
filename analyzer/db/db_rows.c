/*
 * db_rows.c - writes many rows by one statement, see db.h: SQLite reads them from a virtual table
 * in this process. A statement per row would cost as much as the row, and search its place in the
 * table each time.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "db/db.h"
#include "base/guard.h"

struct rows_table {
	sqlite3_vtab base;
	const struct db *db;
};
struct rows_cursor {
	sqlite3_vtab_cursor base;
	union db_value values[DB_VALUES_MOST];
	int64_t n;
	bool ended;
};

static const char declaration[] =
	"create table rows(c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, "
	"c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31, "
	"c32, c33, c34, c35, c36, c37, c38, c39)";

_Static_assert(DB_VALUES_MOST == 40, "columns that are declared");

static int rows_connect(sqlite3 *handle, void *db, int argc, const char *const *argv,
	sqlite3_vtab **made, char **error)
{
	struct rows_table *table = calloc(1, sizeof(*table));

	(void)argc, (void)argv, (void)error;
	if (!table)
		return SQLITE_NOMEM;
	table->db = db;
	*made = &table->base;
	return sqlite3_declare_vtab(handle, declaration);
}

static int rows_disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

static int rows_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table, (void)info;
	return SQLITE_OK;
}

static int rows_open(sqlite3_vtab *table, sqlite3_vtab_cursor **made)
{
	struct rows_cursor *scan = calloc(1, sizeof(*scan));

	(void)table;
	*made = scan ? &scan->base : NULL;
	return scan ? SQLITE_OK : SQLITE_NOMEM;
}

static int rows_close(sqlite3_vtab_cursor *scan)
{
	free(scan);
	return SQLITE_OK;
}

static const struct db_rows *rows_of(const sqlite3_vtab_cursor *scan)
{
	return ((const struct rows_table *)scan->pVtab)->db->rows;
}

static int rows_next(sqlite3_vtab_cursor *cursor)
{
	struct rows_cursor *scan = (struct rows_cursor *)cursor;
	const struct db_rows *rows = rows_of(cursor);

	guard->progress++;
	scan->n++;
	scan->ended = !rows->next(rows->user, scan->values);
	return SQLITE_OK;
}

static int rows_first(sqlite3_vtab_cursor *cursor, int plan, const char *text, int argc,
	sqlite3_value **argv)
{
	(void)plan, (void)text, (void)argc, (void)argv;
	return rows_next(cursor);
}

static int rows_ended(sqlite3_vtab_cursor *cursor)
{
	return ((struct rows_cursor *)cursor)->ended;
}

static int rows_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int column)
{
	const union db_value *value = &((struct rows_cursor *)cursor)->values[column];

	switch (rows_of(cursor)->types[column]) {
	case 'i': sqlite3_result_int64(to, value->i); break;
	case 'n':
		if (value->i != DB_NULL)
			sqlite3_result_int64(to, value->i);
		break;
	case 's': sqlite3_result_text(to, value->s, -1, SQLITE_STATIC); break;
	case 'd':
		if (!isnan(value->d))
			sqlite3_result_double(to, value->d);
		break;
	default: break;
	}
	return SQLITE_OK;
}

static int rows_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
	*number = ((struct rows_cursor *)cursor)->n;
	return SQLITE_OK;
}

int db_rows_open(struct db *db)
{
	static const sqlite3_module module = { .xConnect = rows_connect,
		.xDisconnect = rows_disconnect,
		.xBestIndex = rows_plan,
		.xOpen = rows_open,
		.xClose = rows_close,
		.xFilter = rows_first,
		.xNext = rows_next,
		.xEof = rows_ended,
		.xColumn = rows_column,
		.xRowid = rows_number };

	return sqlite3_create_module(db->handle, "rows", &module, db);
}
