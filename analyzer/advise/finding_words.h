/*
 * finding_words.h - the words of findings, a text file (reports/findings/words.txt, built into the
 * program), and how they are filled in from the row that a rule's query returned.
 *
 *	[rule]			a section for each rule
 *	key	text		lines that begin with a blank continue with the text
 *	key.value	text	the text for this value of the column `key`
 *
 * In a text:
 *	{name}		the text `name.VALUE`, VALUE being that of the column `name`; else the text
 *			`name`; else the value of the column
 *	{name:.1f}	the value as by printf (d, f, g with flags); q: quoted for SQL
 *	{name|a|b}	a where the column is 1, else b
 *	[ on {name}]	left out where a column in it is NULL
 *	{run}		the number of the run
 */
#ifndef ANALYZER_FINDING_WORDS_H
#define ANALYZER_FINDING_WORDS_H

#include <sqlite3.h>
#include <stdint.h>

struct finding_words;

/* The texts of `source`, to be freed; NULL without memory, or where a line is none (reported). */
struct finding_words *finding_words_parse(const char *source);

void finding_words_free(struct finding_words *words);

/*
 * Whether the texts of `rule` fit its query: message, brief, advice, confidence and evidence exist,
 * and all names in them are columns or texts. 0, or -1 (reported).
 */
int finding_words_check(const struct finding_words *words, const char *rule, sqlite3_stmt *query);

/* The text `key` of a row, for sqlite3_free; NULL (reported): a text does not fit, or no memory. */
char *finding_words_say(const struct finding_words *words, const char *rule, const char *key,
	int64_t run_id, sqlite3_stmt *row);

#endif
