/*
 * finding_words.h - a rule from its file (reports/findings/NAME.rule, built into the program): its
 * texts, the rules for filling them in from a row of its query, and the query.
 *
 *	key	text		a line that begins with a blank continues the text
 *	key.value	text	the text for this value of the column `key`, else of `variant`
 *	key:	text		a fact about all its findings, not a text to fill in
 *	# a comment
 *	query			SQL follows
 *
 * In a text:
 *	{name}		the text `name.VALUE`, with VALUE from the column `name`, else from the
 *			column `variant`; else the text
 *			`name`; else the value of the column
 *	{name:.1f}	the value as by printf (d, f, g with flags); q: quoted for SQL
 *	{name|a|b}	a if the column is 1, else b
 *	[ on {name}]	left out if a column in it is NULL
 *	{run}		the number of the run
 */
#ifndef ANALYZER_FINDING_WORDS_H
#define ANALYZER_FINDING_WORDS_H

#include <sqlite3.h>
#include <stdint.h>

struct finding_words;

/* The rule in `source`, to be freed; NULL without memory, or where a line is none (reported). `rule`, its name, stays. */
struct finding_words *finding_words_parse(const char *rule, const char *source);

void finding_words_free(struct finding_words *words);

/* Its SQL, which may be empty. */
const char *finding_words_query(const struct finding_words *words);

/* The text `key` as it is; NULL: there is none. */
const char *finding_words_key(const struct finding_words *words, const char *key);

/*
 * Whether the texts fit the query: message, brief, advice, confidence and evidence exist, and all
 * names in them are columns or texts. 0, or -1 (reported).
 */
int finding_words_check(const struct finding_words *words, sqlite3_stmt *query);

/* The text `key` of a row, for sqlite3_free; NULL (reported): a text does not fit, or no memory. */
char *finding_words_say(const struct finding_words *words, const char *key, int64_t run_id,
	sqlite3_stmt *row);

/*
 * Binds a rule's finding in a row to the parameters of `insert`: the columns by name; the file's
 * key `NAME:` as :key_NAME; :message, :brief, :advice, :confidence and :evidence filled in; and the
 * values of marks. "straggler:: rank 1": :term is straggler; "≤ medium: why": :is_bound is 1,
 * :certainty medium. 0, or -1 (reported).
 */
int finding_words_bind(const struct finding_words *words, int64_t run_id, sqlite3_stmt *row,
	sqlite3_stmt *insert);

#endif
