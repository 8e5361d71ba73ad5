/*
 * db.h - writing the database. All figures go to a temporary file beside the
 * target, in one transaction, and replace it in the end: a crash leaves the
 * old state, and readers never wait. Into a database that holds other runs
 * they are copied in one short transaction.
 */
#ifndef ANALYZER_DB_H
#define ANALYZER_DB_H

#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum { DB_STATEMENTS = 256 };

union db_value {
	int64_t i;
	double d;
	const char *s;
};

/*
 * Rows that come one after the other: next() sets a value for each letter of `types`, 16 at most,
 * which it may change. False: no more.
 */
struct db_rows {
	const char *types; /* as of db_put() */
	bool (*next)(void *user, union db_value *values);
	void *user;
};

struct db {
	sqlite3 *handle;
	char *path, *temporary;
	struct {
		const char *sql;
		sqlite3_stmt *statement;
	} statements[DB_STATEMENTS];
	bool failed; /* a row was refused (reported once) */
	/* where rows go in a process that has no database of its own */
	void (*sink)(void *user, const char *sql, const char *types, va_list args);
	void *sink_user;
	const struct db_rows *rows; /* of the present db_put_rows() */
};

/* Statements that make an empty database of the present schema. */
extern const char *const db_schema;

/* Starts a new database that will stand at `path`. 0, or -1 (reported). */
int db_open(struct db *db, const char *path);

/*
 * Executes `sql` (a literal: statements are kept by its address) with one
 * argument per letter of `types`: i int64_t, d double (NaN is NULL), s const
 * char * (NULL is NULL), n an int64_t that is
 * not known: NULL. A failure is reported once and kept in
 * db->failed; the row is left out.
 */
void db_put(struct db *db, const char *sql, const char *types, ...);

/*
 * Executes `sql` (a literal), "insert ... select ... from rows", whose columns c0, c1... are the
 * values: many rows of one table, fastest in the order of its key. Texts stay valid until the next
 * row. Not in a process that has no database of its own.
 */
void db_put_rows(struct db *db, const char *sql, const struct db_rows *rows);

/* The table `rows` begins to exist (db_rows.c). SQLite's code. */
int db_rows_open(struct db *db);

/*
 * The same row as it was packed: types and their 0, then of each i, n or d eight bytes, of each s
 * the length (uint32_t, with its 0; 0: NULL) and the text. `sql` stays valid until the end.
 */
void db_put_packed(struct db *db, const char *sql, const char *row);

/*
 * Ends the transaction and puts the file in place; with `merge`, copies its
 * run into the database at `path` when that exists, in place of the run of
 * the same archive there. 0, or -1 (reported).
 */
int db_finish(struct db *db, bool merge);

/* Frees everything; removes the temporary file if it is still there. */
void db_close(struct db *db);

#endif
