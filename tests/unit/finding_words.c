/*
 * finding_words.c - the words of findings filled in: columns and their formats, texts that a column
 * chooses, one and many, the rest out for NULL, and what does not fit.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "advise/finding_words.h"

static const char source[] =
	"# words\n"
	"message	{n:,d} {n|file|files} of {kb:.1f} kB[ on {host}] in {place}\n"
	"brief		small files\n"
	"advice		pack them,\n"
	"		{how}\n"
	"how.few	soon\n"
	"how		now\n"
	"place.disk	[the {kind} ]disk\n"
	"confidence	{who|the other|the others, {n} each}: [no {host} or ]{kb:.3g}\n"
	"evidence	select '%' || x where run_id = {run} and host = {phase:q}\n"
	"query\n"
	"select 1 as seconds\n";

static const char bare[] = "message	a\nbrief	a\nadvice	b\nconfidence	c\n";

static int n, failed;

static void check(bool good, const char *what)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++n, what);
	failed |= !good;
}

static sqlite3_stmt *query(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *row = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) == SQLITE_OK)
		sqlite3_step(row);
	return row;
}

/* Whether `key` of the row of `sql` is `expected`; NULL: nothing, as it does not fit. */
static bool says(sqlite3 *db, const char *text, const char *sql, const char *key,
	const char *expected)
{
	struct finding_words *words = finding_words_parse("rule", text);
	sqlite3_stmt *row = query(db, sql);
	char *said = words && row ? finding_words_say(words, key, 7, row) : NULL;
	bool good = said && expected ? strcmp(said, expected) == 0 : said == expected;

	if (!good)
		printf("# got %s\n", said ? said : "nothing");
	sqlite3_free(said);
	sqlite3_finalize(row);
	finding_words_free(words);
	return good;
}

static bool fits(sqlite3 *db, const char *text, const char *sql)
{
	struct finding_words *words = finding_words_parse("rule", text);
	sqlite3_stmt *row = query(db, sql);
	bool good = words && row && finding_words_check(words, row) == 0;

	sqlite3_finalize(row);
	finding_words_free(words);
	return good;
}

#define ROW(n, host, how, place)                                                                   \
	"select " n " as n, 1.25 as kb, " host " as host, " how " as how, " place " as place, "    \
	"2 as who, 'it''s' as phase, null as kind"

int main(void)
{
	sqlite3 *db = NULL;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		return 1;
	printf("1..13\n");
	check(says(db, source, ROW("1234", "'n1'", "'few'", "'disk'"), "message",
		      "1,234 files of 1.3 kB on n1 in disk"),
		"columns, with their formats, and the text that a column chooses");
	check(says(db, source, ROW("1", "null", "'few'", "'disk'"), "message",
		      "1 file of 1.3 kB in disk"),
		"one and many; what stands in brackets with a column that is NULL is left out");
	check(says(db, source, ROW("1", "null", "'few'", "'disk'"), "advice", "pack them, soon"),
		"a line goes on with the text before");
	check(says(db, source, ROW("1", "null", "null", "'disk'"), "advice", "pack them, now") &&
			says(db, source, ROW("1", "null", "'many'", "'disk'"), "advice",
				"pack them, now"),
		"the text without a value is for all other values");
	check(says(db, source, ROW("3", "null", "null", "null"), "confidence",
		      "the others, 3 each: 1.25"),
		"names stand in both of two texts");
	check(says(db, source, ROW("1", "null", "null", "null"), "evidence",
		      "select '%' || x where run_id = 7 and host = 'it''s'"),
		"the run and a quoted text for SQL");
	check(says(db, source, ROW("1", "'{n} [x]'", "null", "'disk'"), "message",
		      "1 file of 1.3 kB on {n} [x] in disk"),
		"nothing is filled into a value");
	check(says(db, source, ROW("1", "null", "null", "'tape'"), "message", NULL),
		"a value without a text, where others have one, is an error");
	check(says(db, "[rule]\nmessage	{message} again\n", "select 1", "message", NULL),
		"a text that uses itself is an error");
	check(fits(db, source, ROW("1", "null", "null", "null")), "the words fit the query");
	check(!fits(db, source, "select 1 as n, 1.25 as kb, 1 as host, 'x' as how, 1 as who"),
		"they do not where a name is neither a column nor a text");
	check(!fits(db, bare, "select 1"), "they do not without evidence");
	check(!fits(db,
		      "[rule]\nmessage	a\nbrief	a\nadvice	b [c\nconfidence	c\nevidence	d\n",
		      "select 1"),
		"nor where a bracket is left open");
	sqlite3_close(db);
	return failed;
}
