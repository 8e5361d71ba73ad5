/* query.c - see query.h. */
#include "config.h"

#include <stddef.h>

#include "db/query.h"

sqlite3_stmt *query_prepare(sqlite3 *handle, const char *sql, int64_t run_id, bool *failed)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) != SQLITE_OK)
		*failed = true;
	else if (sqlite3_bind_parameter_index(statement, "?1"))
		sqlite3_bind_int64(statement, 1, run_id);
	return statement;
}

bool query_row_next(sqlite3_stmt *statement, bool *failed)
{
	int code = *failed ? SQLITE_DONE : sqlite3_step(statement);

	*failed |= code != SQLITE_ROW && code != SQLITE_DONE;
	return code == SQLITE_ROW;
}

void query_row_put(sqlite3_stmt *statement, bool *failed)
{
	*failed |= sqlite3_step(statement) != SQLITE_DONE;
	sqlite3_reset(statement);
}

int query_run_bind(sqlite3_stmt *statement, int64_t run_id)
{
	int i = sqlite3_bind_parameter_index(statement, ":run");

	return i ? sqlite3_bind_int64(statement, i, run_id) : SQLITE_OK;
}

/* Executes the first statement of `sql`; *rest is the remaining text. Returns SQLite's code. */
static int statement_execute(sqlite3 *handle, const char *sql, int64_t run_id, const char **rest)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(handle, sql, -1, &statement, rest);

	if (code != SQLITE_OK || !statement)
		return code; /* no statement: white space and comments */
	query_run_bind(statement, run_id);
	while (sqlite3_step(statement) == SQLITE_ROW)
		;
	return sqlite3_finalize(statement);
}

int query_script(sqlite3 *handle, const char *sql, int64_t run_id)
{
	int code = SQLITE_OK;

	while (code == SQLITE_OK && sql && sql[0])
		code = statement_execute(handle, sql, run_id, &sql);
	return code;
}
