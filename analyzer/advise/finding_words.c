/* finding_words.c - see finding_words.h. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/finding_words.h"
#include "base/text_function.h"
#include "base/log.h"

/* A text may use others, so deep at most. */
#define NESTING	  8
#define NAME_SIZE 64

#define TERM_END ":: "
#define BOUND	 "≤ " /* begins the confidence of seconds that are an upper bound */

/* Texts of each rule, as parameters of SQL. */
enum { CONFIDENCE = 3 };
static const char *const said[] = { ":message", ":brief", ":advice", [CONFIDENCE] = ":confidence",
	":evidence" };

struct text {
	const char *key, *text; /* in the copy */
};

struct finding_words {
	char *copy;
	const char *rule;
	const char *query; /* in the copy */
	struct text *at;
	size_t n;
};

/* A text that is being filled in. */
struct say {
	const struct finding_words *words;
	sqlite3_stmt *row;
	int64_t run_id;
	int depth;
	bool null; /* a column was NULL */
	bool failed;
};

static bool text_add(struct finding_words *words, char *key)
{
	size_t n = strcspn(key, " \t");
	struct text *at = key[n] ? reallocarray(words->at, words->n + 1, sizeof(*at)) : NULL;

	if (!at) {
		log_error("rule %s for findings: '%s' is no key with a text", words->rule, key);
		return false;
	}
	words->at = at;
	at[words->n++] = (struct text){ key, key + n + strspn(key + n, " \t") };
	key[n] = '\0';
	return true;
}

/* Moves the text of a line that continues, to the place after `end`; the new end. */
static char *text_continue(char *end, const char *line)
{
	size_t n;

	line += strspn(line, " \t");
	n = strlen(line);
	*end++ = ' ';
	memmove(end, line, n + 1);
	return end + n;
}

static bool lines_parse(struct finding_words *words)
{
	char *rest = words->copy, *line, *end = NULL;

	while ((line = strsep(&rest, "\n")) && strcmp(line, "query") != 0) {
		if (line[0] == '\0' || line[0] == '#')
			continue;
		if (line[0] == ' ' || line[0] == '\t') {
			if (!end)
				return false;
			end = text_continue(end, line);
			continue;
		}
		end = line + strlen(line);
		if (!text_add(words, line))
			return false;
	}
	words->query = rest ? rest : "";
	return true;
}

struct finding_words *finding_words_parse(const char *rule, const char *source)
{
	struct finding_words *words = calloc(1, sizeof(*words));

	if (words) {
		words->rule = rule;
		if ((words->copy = strdup(source)) && lines_parse(words))
			return words;
	}
	log_error("cannot read rule %s for findings", rule);
	finding_words_free(words);
	return NULL;
}

const char *finding_words_query(const struct finding_words *words)
{
	return words->query;
}

const char *finding_words_key(const struct finding_words *words, const char *key)
{
	for (const struct text *at = words->at; at < words->at + words->n; at++)
		if (strcmp(at->key, key) == 0)
			return at->text;
	return NULL;
}

void finding_words_free(struct finding_words *words)
{
	if (!words)
		return;
	free(words->at);
	free(words->copy);
	free(words);
}

/* The text `key`, or `key.value`; NULL: there is none. */
static const char *text_find(const struct say *say, const char *key, const char *value)
{
	size_t n = strlen(key);

	for (const struct text *at = say->words->at; at < say->words->at + say->words->n; at++)
		if (strncmp(at->key, key, n) == 0 &&
			(value ? at->key[n] == '.' && strcmp(at->key + n + 1, value) == 0
			       : at->key[n] == '\0'))
			return at->text;
	return NULL;
}

static bool has_choices(const struct say *say, const char *key)
{
	size_t n = strlen(key);

	for (const struct text *at = say->words->at; at < say->words->at + say->words->n; at++)
		if (strncmp(at->key, key, n) == 0 && at->key[n] == '.')
			return true;
	return false;
}

static int column_find(sqlite3_stmt *row, const char *name)
{
	for (int i = 0; i < sqlite3_column_count(row); i++)
		if (strcmp(sqlite3_column_name(row, i), name) == 0)
			return i;
	return -1;
}

static void say_fail(struct say *say, const char *what, const char *name)
{
	if (!say->failed)
		log_error("words of rule %s for findings: %s: %s", say->words->rule, what, name);
	say->failed = true;
}

static void function_append(const char *name, const char *format, sqlite3_str *out)
{
	char *text = text_function(name);

	sqlite3_str_appendf(out, format, text ? text : name);
	free(text);
}

static void value_append(struct say *say, int column, const char *spec, sqlite3_str *out)
{
	size_t n = strlen(spec);
	char kind = n ? spec[n - 1] : 's', format[NAME_SIZE];

	if (sqlite3_column_type(say->row, column) == SQLITE_NULL) {
		say->null = true;
		return;
	}
	snprintf(format, sizeof(format), "%%%.*s%s%c", (int)(n ? n - 1 : 0), spec,
		kind == 'd' ? "ll" : "",
		kind == 'q'	      ? 'Q'
			: kind == 'c' ? 's'
				      : kind);
	if (kind == 'c')
		function_append((const char *)sqlite3_column_text(say->row, column), format, out);
	else if (kind == 's' || kind == 'q')
		sqlite3_str_appendf(out, format, sqlite3_column_text(say->row, column));
	else if (kind == 'd')
		sqlite3_str_appendf(out, format, sqlite3_column_int64(say->row, column));
	else if (kind == 'f' || kind == 'g')
		sqlite3_str_appendf(out, format, sqlite3_column_double(say->row, column));
	else
		say_fail(say, "no such format", spec);
}

static const char *text_expand(struct say *say, const char *at, const char *stops,
	sqlite3_str *out);

/*
 * The column whose value selects the variant of a text: the column of the text's name, else
 * `variant`.
 */
static int chooser_find(const struct say *say, const char *name)
{
	int column = column_find(say->row, name);

	return column < 0 ? column_find(say->row, "variant") : column;
}

static const char *choice_find(const struct say *say, const char *name)
{
	int column = chooser_find(say, name);
	const char *value = column < 0 ? NULL : (const char *)sqlite3_column_text(say->row, column);

	return value ? text_find(say, name, value) : NULL;
}

/* Appends what `name` represents; without `out` only sees whether it represents something. */
static void name_append(struct say *say, const char *name, const char *spec, sqlite3_str *out)
{
	int column = column_find(say->row, name);
	const char *text = out ? choice_find(say, name) : NULL;

	if (!text)
		text = text_find(say, name, NULL);
	if (strcmp(name, "run") == 0) {
		if (out)
			sqlite3_str_appendf(out, "%lld", (long long)say->run_id);
	} else if (column < 0 && !text && (out || !has_choices(say, name))) {
		say_fail(say, "neither a column nor a text", name);
	} else if (out && text) {
		if (say->depth++ == NESTING)
			say_fail(say, "uses itself", name);
		if (!say->failed)
			text_expand(say, text, "", out);
		say->depth--;
	} else if (out) {
		if (has_choices(say, name) && sqlite3_column_type(say->row, column) != SQLITE_NULL)
			say_fail(say, "no text for this value of the column", name);
		else
			value_append(say, column, spec, out);
	}
}

/* Expands a name and its format up to the '}', and returns the position after it. */
static const char *name_expand(struct say *say, const char *at, sqlite3_str *out)
{
	char name[NAME_SIZE], spec[NAME_SIZE] = "";
	size_t n = strcspn(at, ":|}");

	snprintf(name, sizeof(name), "%.*s", (int)n, at);
	at += n;
	if (*at == '|') {
		int column = column_find(say->row, name);
		bool one = out && column >= 0 && sqlite3_column_double(say->row, column) == 1;

		if (column < 0)
			say_fail(say, "not a column", name);
		at = text_expand(say, at + 1, "|}", one ? out : NULL);
		if (*at == '|')
			at = text_expand(say, at + 1, "}", one ? NULL : out);
	} else {
		if (*at == ':') {
			n = strcspn(++at, "}");
			snprintf(spec, sizeof(spec), "%.*s", (int)n, at);
			at += n;
		}
		name_append(say, name, spec, out);
	}
	if (*at != '}')
		say_fail(say, "no '}' after", name);
	return *at ? at + 1 : at;
}

/* The part between brackets, up to the place after the ']'. */
static const char *option_expand(struct say *say, const char *at, sqlite3_str *out)
{
	sqlite3_str *part = out ? sqlite3_str_new(NULL) : NULL;
	bool before = say->null;
	char *text;

	say->null = false;
	at = text_expand(say, at, "]", part);
	text = sqlite3_str_finish(part);
	if (out && text && !say->null)
		sqlite3_str_appendall(out, text);
	sqlite3_free(text);
	say->null = before;
	if (*at != ']')
		say_fail(say, "no ']' after", at);
	return *at ? at + 1 : at;
}

/* Appends a text up to one of `stops` or its end; where that is. */
static const char *text_expand(struct say *say, const char *at, const char *stops, sqlite3_str *out)
{
	char special[8];

	snprintf(special, sizeof(special), "{[%s", stops);
	while (*at && !strchr(stops, *at)) {
		size_t n = strcspn(at, special);

		if (out && n)
			sqlite3_str_append(out, at, (int)n);
		at += n;
		if (*at == '{')
			at = name_expand(say, at + 1, out);
		else if (*at == '[')
			at = option_expand(say, at + 1, out);
	}
	return at;
}

int finding_words_check(const struct finding_words *words, sqlite3_stmt *query)
{
	struct say say = { .words = words, .row = query };

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (!text_find(&say, said[i] + 1, NULL) && !has_choices(&say, said[i] + 1))
			say_fail(&say, "missing", said[i] + 1);
	for (const struct text *at = words->at; at < words->at + words->n; at++) {
		char name[NAME_SIZE];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at->key, "."), at->key);
		if (strchr(at->key, ':'))
			continue;
		if (strchr(at->key, '.') && chooser_find(&say, name) < 0)
			say_fail(&say, "not a column", name);
		text_expand(&say, at->text, "", NULL);
	}
	return say.failed ? -1 : 0;
}

char *finding_words_say(const struct finding_words *words, const char *key, int64_t run_id,
	sqlite3_stmt *row)
{
	struct say say = { .words = words, .row = row, .run_id = run_id };
	sqlite3_str *out = sqlite3_str_new(NULL);
	char *text;

	name_append(&say, key, "", out);
	text = sqlite3_str_finish(out);
	if (!text)
		say_fail(&say, "nothing is said by", key);
	if (!say.failed)
		return text;
	sqlite3_free(text);
	return NULL;
}

/* Binds the text of key `NAME.VARIANT:` for the row's variant, else of `NAME:`. */
static void key_bind(const struct finding_words *words, sqlite3_stmt *row, const char *name,
	sqlite3_stmt *insert, int i)
{
	int column = column_find(row, "variant");
	const char *variant = column < 0 ? NULL : (const char *)sqlite3_column_text(row, column);
	const char *text = NULL;
	char key[2 * NAME_SIZE];

	if (variant) {
		snprintf(key, sizeof(key), "%s.%s:", name, variant);
		text = finding_words_key(words, key);
	}
	if (!text) {
		snprintf(key, sizeof(key), "%s:", name);
		text = finding_words_key(words, key);
	}
	sqlite3_bind_text(insert, i, text, -1, SQLITE_TRANSIENT);
}

/*
 * Binds the row's value to each parameter with the name of a column; to :key_NAME the file's key
 * `NAME:`.
 */
static void facts_bind(const struct finding_words *words, sqlite3_stmt *row, sqlite3_stmt *insert)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(insert); i++) {
		const char *name = sqlite3_bind_parameter_name(insert, i) + 1;
		int column = column_find(row, name);

		if (column >= 0)
			sqlite3_bind_value(insert, i, sqlite3_column_value(row, column));
		else if (strncmp(name, "key_", 4) == 0)
			key_bind(words, row, name + 4, insert, i);
	}
}

static void text_bind(sqlite3_stmt *insert, const char *name, const char *text, int n)
{
	sqlite3_bind_text(insert, sqlite3_bind_parameter_index(insert, name), text, n,
		SQLITE_TRANSIENT);
}

/* Removes the marks from a text and binds their values. */
static void marks_take(sqlite3_stmt *insert, char *text)
{
	char *end = strstr(text, TERM_END);

	if (strncmp(text, BOUND, strlen(BOUND)) == 0) {
		memmove(text, text + strlen(BOUND), strlen(text + strlen(BOUND)) + 1);
		sqlite3_bind_int(insert, sqlite3_bind_parameter_index(insert, ":is_bound"), 1);
	}
	if (!end)
		return;
	text_bind(insert, ":term", text, (int)(end - text));
	memmove(end, end + 1, strlen(end));
}

int finding_words_bind(const struct finding_words *words, int64_t run_id, sqlite3_stmt *row,
	sqlite3_stmt *insert)
{
	facts_bind(words, row, insert);
	sqlite3_bind_int(insert, sqlite3_bind_parameter_index(insert, ":is_bound"), 0);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		char *text = finding_words_say(words, said[i] + 1, run_id, row);

		if (!text)
			return -1;
		marks_take(insert, text);
		text_bind(insert, said[i], text, -1);
		if (i == CONFIDENCE)
			text_bind(insert, ":certainty", text, (int)strcspn(text, " :,;"));
		sqlite3_free(text);
	}
	return 0;
}
