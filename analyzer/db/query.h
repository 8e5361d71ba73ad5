/*
 * query.h - statements on a database: what fails is kept in a flag, so that it is asked for once,
 * after the last row.
 */
#ifndef ANALYZER_QUERY_H
#define ANALYZER_QUERY_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* A statement, its ?1 (if it has one) `run_id`; NULL and *failed set when it cannot be prepared. */
sqlite3_stmt *query_prepare(sqlite3 *handle, const char *sql, int64_t run_id, bool *failed);

/* The next row; false: there is none, or *failed is or was set. */
bool query_row_next(sqlite3_stmt *statement, bool *failed);

/* Executes a statement that returns nothing, and resets it; sets *failed. */
void query_row_put(sqlite3_stmt *statement, bool *failed);

/* Binds the parameter :run, if the statement has it. SQLite's code. */
int query_run_bind(sqlite3_stmt *statement, int64_t run_id);

/* Executes the statements of `sql` in turn, :run bound to `run_id`. SQLite's code. */
int query_script(sqlite3 *handle, const char *sql, int64_t run_id);

#endif
