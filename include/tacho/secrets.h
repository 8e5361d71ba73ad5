/*
 * secrets.h - masks secrets in command lines and in values of variables: the one function for all
 * places that store them. Links nothing but string functions and reads no byte beyond the text.
 * A mask is always "***", whatever it hides; control characters come out as \n, \t, \xHH.
 */
#ifndef TACHO_SECRETS_H
#define TACHO_SECRETS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum secret_where { SECRET_ANY, SECRET_LAST };
enum secret_how { SECRET_WHOLE, SECRET_END };

/* What the next argument is. */
enum secret_next {
	SECRET_NEXT_PLAIN,
	SECRET_NEXT_VALUE,
	SECRET_NEXT_UNLESS_NUMBER,
	SECRET_NEXT_AFTER_COLON
};

enum {
	SECRET_RUN_LEAST = 32, /* characters of a key without a known prefix: MD5's in hex */
	SECRET_RUN_KINDS = 4,  /* digits and letters in it, at least; else it is a name or number */
	SECRET_RUN_DIFFERENT = 10, /* different characters in it; random hex has nearly all 16 */
};

/* Where text goes: up to `size` bytes with the end. `next` must be 0 before the first argument. */
struct secret_out {
	char *at;
	size_t size, n;
	enum secret_next next;
};

struct secret_text {
	const char *at;
	size_t n;
};

static inline void secret_put(struct secret_out *out, const char *text, size_t n)
{
	if (out->size - out->n <= n)
		return;
	memcpy(out->at + out->n, text, n);
	out->n += n;
	out->at[out->n] = '\0';
}

/* Copies a text, with its control characters as text. */
static inline void secret_plain(struct secret_out *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		const char *hex = "0123456789abcdef";

		if (c == '\n' || c == '\t')
			secret_put(out, c == '\n' ? "\\n" : "\\t", 2);
		else if (c < ' ' || c == 0x7f)
			secret_put(out, (char[]){ '\\', 'x', hex[c >> 4], hex[c & 15] }, 4);
		else
			secret_put(out, text + i, 1);
	}
}

static inline void secret_mask(struct secret_out *out)
{
	secret_put(out, "***", 3);
}

static inline bool secret_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool secret_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static inline bool secret_in_name(char c)
{
	return secret_digit(c) || secret_letter(c) || c == '_' || c == '-' || c == '.';
}

static inline bool secret_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether a part of a name is a word of the table; `last`: it is the last one. */
static inline bool secret_part(const char *part, size_t n, bool last)
{
	static const struct {
		const char *word;
		unsigned char n, where, how;
	} words[] = {
#define WORD(word, where, how) { word, sizeof(word) - 1, SECRET_##where, SECRET_##how },
#define OPTION(name, value)
#define PREFIX(text, least, digits)
#include "tacho/secrets.def"
#undef WORD
#undef OPTION
#undef PREFIX
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if ((last || words[i].where == SECRET_ANY) &&
			(words[i].how == SECRET_END ? n >= words[i].n : n == words[i].n) &&
			!strncasecmp(part + n - words[i].n, words[i].word, words[i].n))
			return true;
	return false;
}

/* Whether a name speaks of a secret. `anywhere`: each of its parts counts like the last one. */
static inline bool secret_name(const char *name, size_t n, bool anywhere)
{
	size_t end = n;

	while (end && !secret_digit(name[end - 1]) && !secret_letter(name[end - 1]))
		end--;
	for (size_t i = 0, part = 0; i < end; i++) {
		bool is_word = secret_digit(name[i]) || secret_letter(name[i]);
		bool ends = i + 1 == end || !is_word ||
			(name[i] >= 'a' && name[i + 1] >= 'A' && name[i + 1] <= 'Z');
		size_t length = i + is_word - part;

		if (!ends)
			continue;
		if (length && secret_part(name + part, length, anywhere || i + 1 == end))
			return true;
		part = i + 1;
	}
	return false;
}

/* Length of the token with a known prefix that the text begins with, 0: none. */
static inline size_t secret_token(const char *text, size_t n)
{
	static const struct {
		const char *text;
		unsigned char n, least, digits;
	} prefixes[] = {
#define WORD(word, where, how)
#define OPTION(name, value)
#define PREFIX(text, least, digits) { text, sizeof(text) - 1, least, digits },
#include "tacho/secrets.def"
#undef WORD
#undef OPTION
#undef PREFIX
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t end = prefixes[i].n;
		bool digits = false;

		if (n < end || memcmp(text, prefixes[i].text, end))
			continue;
		for (; end < n && secret_in_name(text[end]); end++)
			digits |= secret_digit(text[end]);
		if (end - prefixes[i].n >= prefixes[i].least && digits >= prefixes[i].digits)
			return end;
	}
	return 0;
}

/* Length of the run of random characters that the text begins with, 0: it is a name or a number. */
static inline size_t secret_run(const char *text, size_t n)
{
	bool seen[256] = { false };
	size_t end = 0, digits = 0, letters = 0, different = 0;

	for (; end < n &&
		(secret_digit(text[end]) || secret_letter(text[end]) || text[end] == '+' ||
			text[end] == '=');
		end++) {
		digits += secret_digit(text[end]);
		letters += secret_letter(text[end]);
		different += !seen[(unsigned char)text[end]];
		seen[(unsigned char)text[end]] = true;
	}
	if (end < n && strchr("/._-", text[end])) /* a part of a path or of a longer name */
		return 0;
	return end >= SECRET_RUN_LEAST && digits >= SECRET_RUN_KINDS &&
			letters >= SECRET_RUN_KINDS && different >= SECRET_RUN_DIFFERENT
		? end
		: 0;
}

/* Length of user and password of an address that the text begins with ("://" is before), 0: none. */
static inline size_t secret_user(const char *text, size_t n, bool web)
{
	size_t end = 0;
	bool colon = false;

	for (; end < n && text[end] != '@' && text[end] != '/' && !secret_blank(text[end]); end++)
		colon |= text[end] == ':';
	return end < n && text[end] == '@' && (colon || web) ? end : 0;
}

/* The name before a '=' or ':' at `at`, which may be quoted. */
static inline struct secret_text secret_name_before(const char *text, size_t at)
{
	size_t end = at, begin;

	while (end && (text[end - 1] == '"' || text[end - 1] == '\'' || text[end - 1] == '\\'))
		end--;
	for (begin = end; begin && secret_in_name(text[begin - 1]); begin--)
		;
	return (struct secret_text){ text + begin, end - begin };
}

/* Where the value that begins at `at` ends: after its quotes, or at what separates values. */
static inline size_t secret_value_end(const char *text, size_t n, size_t at)
{
	char quote = at < n && (text[at] == '"' || text[at] == '\'') ? text[at++] : 0;

	while (at < n && (quote ? text[at] != quote : !strchr("&;,\"'}])", text[at]) || !text[at]))
		at++;
	return at;
}

/*
 * Copies a word of an argument. `first`: the argument begins with it, and what is called secret
 * there is so up to the argument's end. Returns false when the rest of the argument is secret.
 */
static inline bool secret_word(struct secret_out *out, const char *text, size_t n, bool first)
{
	size_t dashes = 0;

	while (dashes < n && strchr("-\"'{", text[dashes]) && text[dashes])
		dashes++;
	for (size_t i = 0, length; i < n; i += length) {
		bool begins = !i || !(secret_digit(text[i - 1]) || secret_letter(text[i - 1]));

		length = 0;
		if (n - i >= 3 && !memcmp(text + i, "://", 3)) {
			bool web = (i >= 4 && !strncasecmp(text + i - 4, "http", 4)) ||
				(i >= 5 && !strncasecmp(text + i - 5, "https", 5));

			secret_plain(out, text + i, 3);
			i += 3;
			length = secret_user(text + i, n - i, web);
		} else if (text[i] == '=' || text[i] == ':') {
			struct secret_text name = secret_name_before(text, i);

			secret_plain(out, text + i++, 1);
			if (!secret_name(name.at, name.n, false))
				continue;
			if (i == n && text[i - 1] == '=')
				return true;
			if (i == n || (first && (size_t)(name.at - text) <= dashes)) {
				secret_mask(out);
				return false;
			}
			length = secret_value_end(text, n, i) - i;
		} else if (begins) {
			length = secret_token(text + i, n - i);
			if (!length && !(i && strchr("/._-", text[i - 1])))
				length = secret_run(text + i, n - i);
			if (!length)
				secret_plain(out, text + i++, 1);
		} else {
			secret_plain(out, text + i++, 1);
		}
		if (length)
			secret_mask(out);
	}
	return true;
}

/* What an option makes of the argument after it. */
static inline enum secret_next secret_option(const char *text, size_t n)
{
	static const struct {
		const char *name;
		enum secret_next next;
	} options[] = {
#define WORD(word, where, how)
#define OPTION(name, value) { name, SECRET_NEXT_##value },
#define PREFIX(text, least, digits)
#include "tacho/secrets.def"
#undef WORD
#undef OPTION
#undef PREFIX
	};

	if (n == 6 && !strncasecmp(text, "bearer", 6))
		return SECRET_NEXT_VALUE;
	if (!n || text[0] != '-' || memchr(text, '=', n))
		return SECRET_NEXT_PLAIN;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (n == strlen(options[i].name) && !memcmp(text, options[i].name, n))
			return options[i].next;
	return secret_name(text, n, false) ? SECRET_NEXT_VALUE : SECRET_NEXT_PLAIN;
}

/* Copies what an option before it says is secret. False: it is not. */
static inline bool secret_value(struct secret_out *out, const char *text, size_t n)
{
	enum secret_next next = out->next;
	size_t number = 0, colon = 0;

	out->next = SECRET_NEXT_PLAIN;
	while (number < n && secret_digit(text[number]))
		number++;
	while (colon < n && text[colon] != ':')
		colon++;
	if (next == SECRET_NEXT_PLAIN || (n > 1 && text[0] == '-' && text[1] == '-') ||
		(next == SECRET_NEXT_UNLESS_NUMBER && number == n) ||
		(next == SECRET_NEXT_AFTER_COLON && colon == n))
		return false;
	if (next == SECRET_NEXT_AFTER_COLON)
		secret_plain(out, text, colon + 1);
	secret_mask(out);
	return true;
}

/* Adds an argument of `n` bytes to `out`, masked. Arguments of one command line follow each other. */
static inline void secret_argument(struct secret_out *out, const char *text, size_t n)
{
	bool first = true;

	if (secret_value(out, text, n))
		return;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && secret_blank(text[end]); end++)
			;
		secret_plain(out, text + i, end - i);
		i = end;
		if (i < n && out->next && (text[i] == '"' || text[i] == '\''))
			end = secret_value_end(text, n, i) + 1;
		else
			for (; end < n && !secret_blank(text[end]); end++)
				;
		end = end < n ? end : n;
		if (i == end || secret_value(out, text + i, end - i))
			continue;
		if (!secret_word(out, text + i, end - i, first))
			return;
		out->next = secret_option(text + i, end - i);
		first = false;
	}
}

#endif
