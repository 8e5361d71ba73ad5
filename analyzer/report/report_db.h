/*
 * report_db.h - input of the reports: a run's database, opened read-only, and the results of the
 * queries in reports/NAME.sql. Every query is one statement with the parameter :run.
 */
#ifndef ANALYZER_REPORT_DB_H
#define ANALYZER_REPORT_DB_H

#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"

struct sqlite3;
struct sqlite3_stmt;

#define REPORT_DB_SCRIPTS 32

struct report_db {
	struct sqlite3 *handle;
	const char *path;		  /* belongs to the caller */
	long long run;			  /* run.id of the last run in it */
	bool in_memory;			  /* it cannot be opened again */
	char *scripts[REPORT_DB_SCRIPTS]; /* executed, as queries need them */
	int nscripts;
};

/* Opens the database and checks that it is one of ours. 0, or -1 (reported in one sentence). */
int report_db_open(struct report_db *db, const char *path);
void report_db_close(struct report_db *db);

/* Warns where the database holds more runs than the one that is inspected. */
void report_db_warn_several(struct report_db *db);

/*
 * The first column of a query's first row as text, with ?1 and ?2 bound (NULL: to null), to be
 * freed; NULL: no row, or null. *status (if not NULL) is SQLite's last code, which distinguishes
 * the two.
 */
char *report_db_ask(struct report_db *db, const char *sql, const char *first, const char *second,
	int *status);

/*
 * An empty database in memory, and the runs of another one added to it, or only the one of that number
 * (0: all). 0, or -1 (reported).
 */
int report_db_memory(struct report_db *db);
int report_db_add(struct report_db *db, const char *path, long long only);

/*
 * Executes reports/NAME.sql, a script of statements with the parameter :run, which makes temporary
 * tables for queries on this connection. 0, or -1 (reported).
 */
int report_db_script(struct report_db *db, const char *name);

/*
 * The script that the query NAME needs: one that begins with "-- needs: SCRIPT". To be freed; NULL:
 * none.
 */
char *report_db_needs(const char *name);

/* The query reports/NAME.sql, after the script that it needs; NULL: reported. */
struct sqlite3_stmt *report_db_prepare(struct report_db *db, const char *name);

/*
 * All rows of reports/NAME.sql, after the script that it needs. 0, or -1 (reported). The result is
 * freed by result_free().
 */
int report_db_query(struct report_db *db, const char *name, struct result *result);

#endif
