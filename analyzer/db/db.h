/*
 * db.h - writing the database. All figures go to a temporary file next to the
 * target, in one transaction, and replace it in the end: a crash leaves the
 * old state, and readers never wait. Into a database that holds other runs
 * they are copied in one short transaction.
 */
#ifndef ANALYZER_DB_H
#define ANALYZER_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { DB_STATEMENTS = 256, DB_VALUES_MOST = 40 };

union db_value {
	int64_t i;
	double d;
	const char *s;
};

/* An integer that is not known: NULL. */
#define DB_NULL INT64_MIN

/*
 * A table with the columns of a .def file (LIST(COLUMN)), one per line in the order of schema/…:
 * COLUMN(name, letter, value). The letters are as in db_put(), and
 *
 * r: the number of the run (1), which is not among the values
 * a: an integer that is added to the one of a row with the same key
 * w: a text, the window, which is not among the values of rows that are gathered (window_row.h)
 */
struct db_table {
	const char *name, *insert, *columns, *letters;
};

/* `verb`: "insert", or "insert or ..." saying what becomes of a row with the key of another. */
#define DB_TABLE(table, verb, LIST)                                                                \
	{                                                                                          \
		.name = #table, .insert = verb, .columns = LIST(DB_NAME_),                         \
		.letters = LIST(DB_LETTER_)                                                        \
	}

/* The values of a row by the list's expressions: an array; the same into `values`; less the window. */
#define DB_ROW(LIST)                                                                               \
	(const union db_value[])                                                                   \
	{                                                                                          \
		LIST(DB_VALUE_)                                                                    \
	}
#define DB_SET(values, LIST)                                                                       \
	do {                                                                                       \
		const union db_value set_[] = { LIST(DB_VALUE_) };                                 \
		memcpy(values, set_, sizeof(set_));                                                \
	} while (0)
#define DB_GATHERED(LIST)                                                                          \
	(const union db_value[])                                                                   \
	{                                                                                          \
		LIST(DB_GATHERED_)                                                                 \
	}

#define DB_NAME_(name, letter, value)	  ", " #name
#define DB_LETTER_(name, letter, value)	  #letter
#define DB_VALUE_(name, letter, value)	  DB_VALUE_##letter(value)
#define DB_GATHERED_(name, letter, value) DB_GATHERED_##letter(value)
#define DB_VALUE_r(value)
#define DB_VALUE_i(value) { .i = (int64_t)(value) },
#define DB_VALUE_n(value) { .i = (int64_t)(value) },
#define DB_VALUE_a(value) { .i = (int64_t)(value) },
#define DB_VALUE_d(value) { .d = (double)(value) },
#define DB_VALUE_s(value) { .s = (value) },
#define DB_VALUE_w(value) { .s = (value) },
#define DB_GATHERED_r(value)
#define DB_GATHERED_i(value) DB_VALUE_i(value)
#define DB_GATHERED_d(value) DB_VALUE_d(value)
#define DB_GATHERED_s(value) DB_VALUE_s(value)
#define DB_GATHERED_w(value)

/*
 * Rows that come one after the other: next() sets the values of a row, DB_VALUES_MOST at most. False: no more.
 */
struct db_rows {
	const char *types; /* as of db_put() */
	bool (*next)(void *user, union db_value *values);
	void *user;
};

struct db_statement {
	const void *of; /* the literal, or the table; NULL: none */
	const char *sql;
	char *made, types[DB_VALUES_MOST + 1]; /* of a table */
	sqlite3_stmt *statement;
};

struct db {
	sqlite3 *handle;
	char *path, *temporary;
	int fd; /* of the temporary file, held while it is in use; 0: none */
	struct db_statement statements[DB_STATEMENTS];
	bool failed; /* a row was refused (reported once) */
	/* receives the rows in a process without a database */
	void (*sink)(void *user, const char *sql, const char *types, const union db_value *values);
	void *sink_user;
	const struct db_rows *rows; /* of the present db_put_rows() */
};

/* Statements that make an empty database of the present schema. */
extern const char *const db_schema;

/* Starts a new database that will be at `path`. 0, or -1 (reported). */
int db_open(struct db *db, const char *path);

/* Writes a row: the values of LIST by DB_ROW(). Failures as for db_put(). */
void db_put_row(struct db *db, const struct db_table *table, const union db_value *values);

/*
 * Writes many rows of one table by one statement, fastest in the order of its key. Texts stay valid
 * until the next row. Not for a process without a database.
 */
void db_put_rows(struct db *db, const struct db_table *table,
	bool (*next)(void *user, union db_value *values), void *user);

/*
 * Any other statement: executes `sql` (a literal: statements are kept by its address) with one
 * argument per letter of `types`: i int64_t, n the same, DB_NULL being NULL, d double (NaN is
 * NULL), s const char * (NULL is NULL). A failure is reported once and kept in db->failed; the row
 * is left out.
 */
void db_put(struct db *db, const char *sql, const char *types, ...);

/* The table `rows` begins to exist (db_rows.c). SQLite's code. */
int db_rows_open(struct db *db);

/*
 * A row as it was packed: types and their 0, then of each i, n or d eight bytes, of each s
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
