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
#include "db/db_merge.h"
#include "base/guard.h"
#include "base/log.h"
#include "db/schema_sql.h"

const char *const db_schema = schema_sql;
#include "base/containers.h"

static int execute(struct db *db, const char *sql)
{
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	log_error("cannot write %s: %s", db->temporary, sqlite3_errmsg(db->handle));
	return -1;
}

/*
 * Nobody else sees the file yet, and who writes a row knows that what it refers to
 * is there: looking for that costs as much as the row. The cache is in KiB.
 */
static const char settings[] =
	"pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off;"
	"pragma locking_mode = exclusive; pragma cache_size = -32768;";

/* Makes a file beside `path`, whose name the guard knows before it is there. -1 with errno. */
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

int db_open(struct db *db, const char *path)
{
	int fd;

	*db = (struct db){ .path = strdup(path) };
	if (!db->path) {
		log_error("out of memory");
		return -1;
	}
	fd = temporary_make(db, path);
	if (fd < 0) {
		log_error("cannot write %s: %s", path, strerror(errno));
		return -1;
	}
	fchmod(fd, 0644); /* whatever the user's mask */
	close(fd);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* nobody asks how much it takes */
	if (sqlite3_open_v2(db->temporary, &db->handle,
		    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
		    NULL) != SQLITE_OK) {
		log_error("cannot write %s: %s", db->temporary, sqlite3_errmsg(db->handle));
		return -1;
	}
	return db_rows_open(db) != SQLITE_OK || execute(db, settings) < 0 ||
			execute(db, schema_sql) < 0 || execute(db, "begin") < 0
		? -1
		: 0;
}

static sqlite3_stmt *statement_find(struct db *db, const char *sql)
{
	uint32_t i = hash_mix((uintptr_t)sql, 0) % DB_STATEMENTS;

	for (int tried = 0; db->statements[i].sql; i = (i + 1) % DB_STATEMENTS, tried++) {
		if (db->statements[i].sql == sql)
			return db->statements[i].statement;
		if (tried == DB_STATEMENTS)
			return NULL;
	}
	if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
		    &db->statements[i].statement, NULL) != SQLITE_OK)
		return NULL;
	db->statements[i].sql = sql;
	return db->statements[i].statement;
}

/* Texts stay where they are: the statement is run and reset before the caller goes on. */
static void bind(sqlite3_stmt *statement, const char *types, va_list args)
{
	for (int i = 0; types[i]; i++) {
		double number;

		switch (types[i]) {
		case 'i': sqlite3_bind_int64(statement, i + 1, va_arg(args, int64_t)); break;
		case 'd':
			number = va_arg(args, double);
			if (isnan(number))
				sqlite3_bind_null(statement, i + 1);
			else
				sqlite3_bind_double(statement, i + 1, number);
			break;
		case 's':
			sqlite3_bind_text(statement, i + 1, va_arg(args, const char *), -1,
				SQLITE_STATIC);
			break;
		default: (void)va_arg(args, int64_t); sqlite3_bind_null(statement, i + 1);
		}
	}
}

static void bind_packed(sqlite3_stmt *statement, const char *row)
{
	const char *types = row, *at = row + strlen(row) + 1;
	int64_t integer;
	double number;
	uint32_t n;

	for (int i = 1; *types; types++, i++) {
		switch (*types) {
		case 's':
			memcpy(&n, at, sizeof(n));
			at += sizeof(n);
			sqlite3_bind_text(statement, i, n ? at : NULL, (int)n - 1, SQLITE_STATIC);
			at += n;
			continue;
		case 'd':
			memcpy(&number, at, sizeof(number));
			if (isnan(number))
				sqlite3_bind_null(statement, i);
			else
				sqlite3_bind_double(statement, i, number);
			break;
		case 'i':
			memcpy(&integer, at, sizeof(integer));
			sqlite3_bind_int64(statement, i, integer);
			break;
		default: sqlite3_bind_null(statement, i);
		}
		at += sizeof(integer);
	}
}

static void row_put(struct db *db, sqlite3_stmt *statement, const char *sql)
{
	int code = statement ? sqlite3_step(statement) : SQLITE_ERROR;

	guard->progress++;
	sqlite3_reset(statement);
	if (code != SQLITE_DONE && code != SQLITE_ROW && !db->failed) {
		log_error("cannot write %s: %s (%s)", db->temporary, sqlite3_errmsg(db->handle),
			sql);
		db->failed = true;
	}
}

void db_put(struct db *db, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;

	va_start(args, types);
	if (db->sink) {
		guard->progress++;
		db->sink(db->sink_user, sql, types, args);
	} else {
		statement = statement_find(db, sql);
		if (statement)
			bind(statement, types, args);
		row_put(db, statement, sql);
	}
	va_end(args);
}

void db_put_packed(struct db *db, const char *sql, const char *row)
{
	sqlite3_stmt *statement = statement_find(db, sql);

	if (statement)
		bind_packed(statement, row);
	row_put(db, statement, sql);
}

void db_put_rows(struct db *db, const char *sql, const struct db_rows *rows)
{
	db->rows = rows;
	row_put(db, statement_find(db, sql), sql);
	db->rows = NULL;
}

static void statements_finalize(struct db *db)
{
	for (int i = 0; i < DB_STATEMENTS; i++)
		sqlite3_finalize(db->statements[i].statement);
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
	guard->temporary[0] = '\0';
	free(db->temporary);
	free(db->path);
	*db = (struct db){ 0 };
}
