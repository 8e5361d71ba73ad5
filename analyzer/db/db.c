/* db.c - see db.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/db.h"
#include "db/db_sum.h"
#include "db/db_leftover.h"
#include "db/db_merge.h"
#include "base/containers.h"
#include "base/guard.h"
#include "base/log.h"

enum { PROGRESS_STEPS = 1 << 20 }; /* of SQLite, some ms */

static int execute(struct db *db, const char *sql)
{
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	log_error("cannot write %s: %s", db->temporary, sqlite3_errmsg(db->handle));
	return -1;
}

/*
 * No other process sees the file yet, and a writer knows that the referenced rows exist: checking
 * them costs as much as the row. The cache is in KiB.
 */
static const char settings[] =
	"pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off;"
	"pragma locking_mode = exclusive; pragma cache_size = -32768;";

/* Makes a file next to `path`; the guard knows its name before it exists. -1 with errno. */
static int temporary_make(struct db *db, const char *path)
{
	for (int tries = 0; tries < 100; tries++) {
		uint32_t number;
		char *room;
		int fd;

		if (getrandom(&number, sizeof(number), 0) != sizeof(number) ||
			asprintf(&room, "%s.%08x", path, number) < 0)
			return -1;
		db->temporary = room;
		snprintf(guard->temporary, sizeof(guard->temporary), "%s", room);
		fd = open(room, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd >= 0)
			return fd;
		guard->temporary[0] = '\0';
		db->temporary = NULL;
		free(room);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* A statement over many rows makes progress as long as it runs, since tacho wrote its input. */
static int progress(void *unused)
{
	(void)unused;
	guard->progress++;
	return 0;
}

int db_open(struct db *db, const char *path)
{
	*db = (struct db){ .path = strdup(path) };
	if (!db->path) {
		log_error("out of memory");
		return -1;
	}
	db_leftovers_remove(path);
	db->fd = temporary_make(db, path);
	if (db->fd < 0) {
		log_error("cannot write %s: %s", path, strerror(errno));
		db->fd = 0;
		return -1;
	}
	db_temporary_hold(db->fd);
	fchmod(db->fd, 0644);			    /* whatever the user's mask */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* the statistics are not used */
	if (sqlite3_open_v2(db->temporary, &db->handle,
		    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
		    NULL) != SQLITE_OK) {
		log_error("cannot write %s: %s", db->temporary, sqlite3_errmsg(db->handle));
		return -1;
	}
	sqlite3_progress_handler(db->handle, PROGRESS_STEPS, progress, NULL);
	return db_sum_add(db->handle) != SQLITE_OK || db_rows_open(db) != SQLITE_OK ||
			execute(db, settings) < 0 || execute(db, db_schema) < 0 ||
			execute(db, "begin") < 0
		? -1
		: 0;
}

/* The place of a statement, new or not; NULL: there are too many. */
static struct db_statement *place_find(struct db *db, const void *of)
{
	uint32_t i = hash_mix((uintptr_t)of, 0) % DB_STATEMENTS;

	for (int tried = 0; tried < DB_STATEMENTS; i = (i + 1) % DB_STATEMENTS, tried++)
		if (!db->statements[i].of || db->statements[i].of == of)
			return &db->statements[i];
	return NULL;
}

/* A process without a database needs the text only. */
static struct db_statement *statement_set(struct db *db, struct db_statement *at, const void *of,
	const char *sql)
{
	if (!sql ||
		(!db->sink &&
			sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
				&at->statement, NULL) != SQLITE_OK))
		return NULL;
	at->of = of;
	at->sql = sql;
	return at;
}

static struct db_statement *statement_find(struct db *db, const char *sql)
{
	struct db_statement *at = place_find(db, sql);

	return !at || at->of ? at : statement_set(db, at, sql, sql);
}

/* "name = name + excluded.name" of the columns that are added up; "": there are none. */
static void sums_print(FILE *to, const struct db_table *table)
{
	const char *name = table->columns, *lead = " on conflict do update set ";

	for (const char *letter = table->letters; *letter; letter++) {
		int len = (int)strcspn(name += strlen(", "), ",");

		if (*letter == 'a') {
			fprintf(to, "%s%.*s = %.*s + excluded.%.*s", lead, len, name, len, name,
				len, name);
			lead = ", ";
		}
		name += len;
	}
}

/*
 * insert into TABLE(columns) values (1, ?, ...), or select 1, c0, ... from rows; sets the types of
 * the values. NULL without memory.
 */
static char *insert_make(const struct db_table *table, bool many, char *types)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int n = 0;

	if (!to)
		return NULL;
	fprintf(to, "%s into %s(%s) %s", table->insert, table->name, table->columns + strlen(", "),
		many ? "select " : "values (");
	for (const char *letter = table->letters; *letter && n < DB_VALUES_MOST; letter++) {
		const char *comma = letter > table->letters ? ", " : "";

		if (*letter == 'r') {
			fprintf(to, "%s1", comma);
			continue;
		}
		fprintf(to, many ? "%sc%d" : "%s?", comma, n);
		types[n++] = *letter == 'a' ? 'i' : *letter == 'w' ? 's' : *letter;
	}
	types[n] = '\0';
	fputs(many ? " from rows where true" : ")", to);
	sums_print(to, table);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

/* That of a table: for a row, or for many, which has the next address. */
static struct db_statement *insert_find(struct db *db, const struct db_table *table, bool many)
{
	const void *of = (const char *)table + many;
	struct db_statement *at = place_find(db, of);

	if (!at || at->of)
		return at;
	free(at->made); /* of one that failed */
	at->made = insert_make(table, many, at->types);
	return statement_set(db, at, of, at->made);
}

static void value_bind(sqlite3_stmt *statement, int i, char type, const union db_value *value)
{
	switch (type) {
	case 'd':
		if (isnan(value->d))
			sqlite3_bind_null(statement, i);
		else
			sqlite3_bind_double(statement, i, value->d);
		break;
	case 's': sqlite3_bind_text(statement, i, value->s, -1, SQLITE_STATIC); break;
	case 'n':
		if (value->i == DB_NULL) {
			sqlite3_bind_null(statement, i);
			break;
		} /* fall through */
	default: sqlite3_bind_int64(statement, i, value->i);
	}
}

/* Texts stay where they are: the statement is run and reset before the caller continues. */
static void bind(sqlite3_stmt *statement, const char *types, const union db_value *values)
{
	for (int i = 0; types[i]; i++)
		value_bind(statement, i + 1, types[i], &values[i]);
}

static void bind_packed(sqlite3_stmt *statement, const char *row)
{
	const char *types = row, *at = row + strlen(row) + 1;
	union db_value value;
	uint32_t n;

	for (int i = 1; *types; types++, i++) {
		if (*types == 's') {
			memcpy(&n, at, sizeof(n));
			at += sizeof(n);
			sqlite3_bind_text(statement, i, n ? at : NULL, (int)n - 1, SQLITE_STATIC);
			at += n;
			continue;
		}
		memcpy(&value, at, sizeof(value.i));
		value_bind(statement, i, *types, &value);
		at += sizeof(value.i);
	}
}

static void row_put(struct db *db, const struct db_statement *of, const char *what)
{
	sqlite3_stmt *statement = of ? of->statement : NULL;
	int code = statement ? sqlite3_step(statement) : SQLITE_ERROR;

	guard->progress++;
	sqlite3_reset(statement);
	if (code != SQLITE_DONE && code != SQLITE_ROW && !db->failed) {
		log_error("cannot write %s: %s (%s)", db->temporary, sqlite3_errmsg(db->handle),
			of ? of->sql : what);
		db->failed = true;
	}
}

static void values_put(struct db *db, const struct db_statement *of, const char *what,
	const char *types, const union db_value *values)
{
	if (db->sink && of) {
		guard->progress++;
		db->sink(db->sink_user, of->sql, types, values);
		return;
	}
	if (of)
		bind(of->statement, types, values);
	row_put(db, of, what);
}

void db_put_row(struct db *db, const struct db_table *table, const union db_value *values)
{
	const struct db_statement *of = insert_find(db, table, false);

	values_put(db, of, table->name, of ? of->types : "", values);
}

void db_put_rows(struct db *db, const struct db_table *table,
	bool (*next)(void *user, union db_value *values), void *user)
{
	const struct db_statement *of = insert_find(db, table, true);

	db->rows = &(struct db_rows){ of ? of->types : "", next, user };
	row_put(db, of, table->name);
	db->rows = NULL;
}

void db_put(struct db *db, const char *sql, const char *types, ...)
{
	union db_value values[DB_VALUES_MOST];
	va_list args;

	va_start(args, types);
	for (int i = 0; types[i] && i < DB_VALUES_MOST; i++)
		if (types[i] == 'd')
			values[i].d = va_arg(args, double);
		else if (types[i] == 's')
			values[i].s = va_arg(args, const char *);
		else
			values[i].i = va_arg(args, int64_t);
	va_end(args);
	values_put(db, statement_find(db, sql), sql, types, values);
}

void db_put_packed(struct db *db, const char *sql, const char *row)
{
	const struct db_statement *of = statement_find(db, sql);

	if (of)
		bind_packed(of->statement, row);
	row_put(db, of, sql);
}

static void statements_finalize(struct db *db)
{
	for (int i = 0; i < DB_STATEMENTS; i++)
		sqlite3_finalize(db->statements[i].statement), free(db->statements[i].made);
	memset(db->statements, 0, sizeof(db->statements));
}

int db_finish(struct db *db, bool merge)
{
	guard->stage = GUARD_WRITING;
	statements_finalize(db);
	if (db->failed || execute(db, "commit") < 0)
		return -1;
	if (sqlite3_close(db->handle) != SQLITE_OK) {
		log_error("cannot write %s: %s", db->temporary, sqlite3_errmsg(db->handle));
		return -1;
	}
	db->handle = NULL;
	if (merge && access(db->path, F_OK) == 0)
		return db_merge(db->path, db->temporary);
	if (rename(db->temporary, db->path) < 0) {
		log_error("cannot write %s: %s", db->path, strerror(errno));
		return -1;
	}
	free(db->temporary);
	db->temporary = NULL;
	return 0;
}

void db_close(struct db *db)
{
	statements_finalize(db);
	sqlite3_close(db->handle);
	if (db->temporary)
		unlink(db->temporary);
	if (db->fd > 0)
		close(db->fd);
	guard->temporary[0] = '\0';
	free(db->temporary);
	free(db->path);
	*db = (struct db){ 0 };
}
