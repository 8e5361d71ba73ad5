/*
 * findings.c - rules of the advisor on small databases: executes the schema,
 * what all cases start from and a case's SQL, looks for findings and compares them with the case's
 * lines `-- expect RULE[/VARIANT] SECONDS WORDS OF THE MESSAGE`. All findings must be expected, in their
 * order; WORDS stand somewhere in the message, the advice or the confidence. `-- shares RULE OTHER SECONDS`: so
 * much of the first is in the other, too. Times of a message are in its evidence. No query of promises.sql has a row.
 */
#include "config.h"

#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/finding.h"
#include "evidence.h"

static char *file_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file || getdelim(&text, &size, '\0', file) < 0) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
	fclose(file);
	return text;
}

/* No query of tests/promises.sql has a row. */
static bool promises_hold(sqlite3 *db, const char *sql)
{
	while (*sql) {
		sqlite3_stmt *select = NULL;
		int status = sqlite3_prepare_v2(db, sql, -1, &select, &sql);

		if (status == SQLITE_OK && select)
			status = sqlite3_step(select);
		if (status == SQLITE_ROW)
			printf("# %s\n", sqlite3_column_text(select, 0));
		sqlite3_finalize(select);
		if (status != SQLITE_DONE && status != SQLITE_OK)
			return false;
	}
	return true;
}

/* Whether a case that expects RULE, or RULE/VARIANT, means this one. */
static bool names_fit(const char *expected, const char *got)
{
	size_t n = strlen(expected);

	return strcmp(expected, got) == 0 ||
		(!strchr(expected, '/') && strncmp(expected, got, n) == 0 && got[n] == '/');
}

/* All that findings share is expected, and nothing else. */
static bool shares_are_expected(sqlite3 *db, const char *sql)
{
	static const char got_sql[] =
		"select a.rule || coalesce('/' || a.variant, ''), b.rule || coalesce('/' || b.variant, ''), o.seconds from finding_overlap o join finding a "
		"on a.n = o.n join finding b on b.n = o.other order by o.n, o.other";
	sqlite3_stmt *got = NULL;
	bool good = sqlite3_prepare_v2(db, got_sql, -1, &got, NULL) == SQLITE_OK;
	const char *line = sql;

	while (good && sqlite3_step(got) == SQLITE_ROW) {
		const char *rule = (const char *)sqlite3_column_text(got, 0);
		const char *other = (const char *)sqlite3_column_text(got, 1);
		double seconds = sqlite3_column_double(got, 2), expected = NAN;
		char names[2][64] = { "", "" };

		line = line ? strstr(line, "-- shares ") : NULL;
		if (line)
			sscanf(line++, "-- shares %63s %63s %lf", names[0], names[1], &expected);
		good = names_fit(names[0], rule) && names_fit(names[1], other) &&
			fabs(seconds - expected) < 1e-6;
		if (!good)
			printf("# shared and not expected: -- shares %s %s %.9g\n", rule, other,
				seconds);
	}
	sqlite3_finalize(got);
	line = line ? strstr(line, "-- shares ") : NULL;
	if (line)
		printf("# not shared: %.*s\n", (int)strcspn(line, "\n"), line);
	return good && !line;
}

/* The next `-- expect` line from *at on; false: none is left. */
static bool expected_next(const char **at, char rule[64], double *seconds, char words[256])
{
	const char *line = strstr(*at, "-- expect ");
	int used = 0;

	if (!line || sscanf(line, "-- expect %63s %lf %n", rule, seconds, &used) != 2)
		return false;
	line += used;
	snprintf(words, 256, "%.*s", (int)strcspn(line, "\n"), line);
	*at = line;
	return true;
}

/* Each evidence is a query that gives rows, and the times that the message states are in them. */
static bool evidence_holds(sqlite3 *db, const char *rule, const char *message, const char *sql)
{
	sqlite3_stmt *select = NULL;
	bool rows = sqlite3_prepare_v2(db, sql, -1, &select, NULL) == SQLITE_OK &&
		sqlite3_step(select) == SQLITE_ROW;

	if (!rows)
		printf("# no row from its evidence: %s (%s)\n", sql, sqlite3_errmsg(db));
	rows = rows && (evidence_is_partial(rule) || evidence_has_times(select, message));
	sqlite3_finalize(select);
	return rows;
}

static bool row_is_expected(sqlite3 *db, sqlite3_stmt *row, const char **at)
{
	char rule[64] = "nothing", words[256] = "";
	double seconds = NAN, got = sqlite3_column_double(row, 1);
	const char *name = (const char *)sqlite3_column_text(row, 0);
	const char *message = (const char *)sqlite3_column_text(row, 2);
	const char *advice = (const char *)sqlite3_column_text(row, 4);
	bool any = expected_next(at, rule, &seconds, words);

	if (any && names_fit(rule, name) && fabs(seconds - got) < 1e-6 && advice &&
		sqlite3_column_type(row, 5) == SQLITE_TEXT &&
		(strstr(message, words) || strstr(advice, words) ||
			strstr((const char *)sqlite3_column_text(row, 5), words)))
		return evidence_holds(db, name, message, (const char *)sqlite3_column_text(row, 3));
	printf("# expected %s %.9g %s\n#      got %s %.9g %s\n", rule, seconds, words, name, got,
		message);
	return false;
}

static bool case_holds(const char *schema, const char *base, const char *promises, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *select = NULL;
	const char *at = sql;
	char rule[64], words[256];
	double seconds;
	bool good = sqlite3_open(":memory:", &db) == SQLITE_OK &&
		sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_exec(db, base, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;

	if (!good)
		printf("# %s\n", sqlite3_errmsg(db));
	good = good && findings_write(db, 1) == 0 &&
		sqlite3_prepare_v2(db,
			"select rule || coalesce('/' || variant, ''), seconds, message, evidence, advice, confidence "
			"from finding order by n",
			-1, &select, NULL) == SQLITE_OK;
	while (good && sqlite3_step(select) == SQLITE_ROW)
		good = row_is_expected(db, select, &at);
	if (good && expected_next(&at, rule, &seconds, words)) {
		printf("# not found: %s %.9g %s\n", rule, seconds, words);
		good = false;
	}
	sqlite3_finalize(select);
	good = good && promises_hold(db, promises) && shares_are_expected(db, sql);
	sqlite3_close(db);
	return good;
}

int main(int argc, char **argv)
{
	char *schema = argc > 4 ? file_read(argv[1]) : NULL;
	char *base = schema ? file_read(argv[2]) : NULL;
	char *promises = schema ? file_read(argv[3]) : NULL;

	if (!schema) {
		fprintf(stderr, "usage: findings SCHEMA.sql BASE.sql PROMISES.sql CASE.sql...\n");
		return 2;
	}
	printf("1..%d\n", argc - 4);
	for (int i = 4; i < argc; i++) {
		char *sql = file_read(argv[i]);
		const char *name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
		bool good = case_holds(schema, base, promises, sql);

		/* a case's first line names its subject */
		printf("%s %d - %s: %.*s\n", good ? "ok" : "not ok", i - 3, name,
			(int)strcspn(sql, "\n") - 3, sql + 3);
		free(sql);
	}
	free(schema);
	free(base);
	free(promises);
	return 0;
}
