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
