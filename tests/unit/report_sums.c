/* report_sums.c - sums() and sum_of(), which the queries of the reports add up with. */
#include "config.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/report_sums.h"

static sqlite3 *db;
static int failures;

/* The only value of a query is this, NULL: "null"; "error" where the query fails. */
static void gives(const char *name, const char *sql, const char *wanted)
{
	static int n;
	sqlite3_stmt *stmt = NULL;
	const char *found = "error";
	bool ok;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
		sqlite3_step(stmt) == SQLITE_ROW)
		found = (const char *)sqlite3_column_text(stmt, 0);
	if (!found)
		found = "null";
	ok = strcmp(found, wanted) == 0;
	printf("%sok %d - %s\n", ok ? "" : "not ", ++n, name);
	if (!ok)
		printf("# %s instead of %s (%s)\n", found, wanted, sqlite3_errmsg(db));
	failures += !ok;
	sqlite3_finalize(stmt);
}

/* t(i, name, x): i and name of the sum, and the values to sum. */
#define SUMS(what) "with s as materialized (select sums(i, name, x) as s from t where " what ") "

int main(void)
{
	puts("1..10");
	if (sqlite3_open(":memory:", &db) != SQLITE_OK || report_sums_add(db) != SQLITE_OK ||
		sqlite3_exec(db,
			"create table t(i, name, x); insert into t values (0, 'a', 1), "
			"(0, 'ab', 10), (2, 'a', 2.5), (2, 'a', 3), (2, 'ab', null), "
			"(null, 'a', 100), (1000, 'ab', 7), (3, null, 8)",
			NULL, NULL, NULL) != SQLITE_OK)
		return 1;
	gives("what has the same number and name is added up",
		SUMS("1") "select sum_of(s, 2, 'a') from s", "5.5");
	gives("names are told apart by all their letters",
		SUMS("1") "select sum_of(s, 0, 'a') || ' ' || sum_of(s, 0, 'ab') from s",
		"1.0 10.0");
	gives("without a name it is the sum of all", SUMS("1") "select sum_of(s, 0, null) from s",
		"11.0");
	gives("numbers between others, beyond them, below 0 and other names have 0",
		SUMS("1") "select sum_of(s, 1, 'a') + sum_of(s, 999, 'ab') + sum_of(s, 1001, 'ab') + "
			  "sum_of(s, 1000, 'a') + sum_of(s, -1, 'a') + sum_of(s, 0, 'b') from s",
		"0.0");
	gives("far numbers have their sums", SUMS("1") "select sum_of(s, 1000, 'ab') from s",
		"7.0");
	gives("a row without number or name adds nothing, without x 0",
		SUMS("1") "select total(sum_of(s, i, null)) from s, "
			  "(with n(i) as (select 0 union all select i + 1 from n where i < 1000) select i from n)",
		"23.5");
	gives("of no row there are no sums", SUMS("0") "select sum_of(s, 0, 'a') from s", "null");
	gives("a number that is too large is an error", "select sums(16777216, 'a', 1)", "error");
	gives("so are more than 64 names",
		"with n(i) as (select 0 union all select i + 1 from n where i < 64) "
		"select sums(0, i, 1) from n",
		"error");
	sqlite3_exec(db,
		"create view foreign_sums as select sum_of(x'00000000000000400000000000000000"
		"', 1000000000, null) as s",
		NULL, NULL, NULL);
	gives("a view cannot have sums of its own", "select s from foreign_sums", "error");
	sqlite3_close(db);
	return failures > 0;
}
