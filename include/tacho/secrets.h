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
	SECRET_NEXT_UNLESS_PLAIN, /* a number, an address of numbers or a path is none */
	SECRET_NEXT_AFTER_COLON,
	SECRET_NEXT_AFTER_PERCENT,
	SECRET_NEXT_HASH /* none: hashes resemble secrets */
};

/* Characters that must follow a known prefix of a key. */
enum secret_rest { SECRET_REST_NAME, SECRET_REST_DIGIT, SECRET_REST_ALNUM, SECRET_REST_ALL };

enum { SECRET_NO_LETTER = '-' };

enum {
	SECRET_RUN_LEAST = 32, /* characters of a key without a known prefix: MD5's in hex */
	SECRET_RUN_KINDS = 4,  /* digits and letters in it, at least; else it is a name or number */
	SECRET_RUN_DIFFERENT = 10,  /* different characters in it; random hex has nearly all 16 */
	SECRET_BASE64_CHANGES = 45, /* % of its characters are of another kind than the one before:
				       64 of random ones, 20 to 35 of a path's */
};

/* State carried from the previous argument. All 0 before the first one. */
struct secret_before {
	enum secret_next next;
	char letter; /* short option for the password of the program that was last named */
};

/* Where text goes: up to `size` bytes with the end. */
struct secret_out {
	char *at;
	size_t size, n;
	struct secret_before before;
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
#include "tacho/secrets.def"
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

/* Whether a name speaks of a hash. */
static inline bool secret_hash_name(const char *name, size_t n)
{
	static const char *const words[] = {
#define HASH(word) word,
#include "tacho/secrets.def"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t length = strlen(words[i]);

		if (n >= length && !strncasecmp(name + n - length, words[i], length))
			return true;
	}
	return false;
}

/* Length of the hexadecimal digits that the text begins with, where they are all of a value. */
static inline size_t secret_hash(const char *text, size_t n)
{
	size_t end = 0;

	while (end < n &&
		(secret_digit(text[end]) ||
			((text[end] | 0x20) >= 'a' && (text[end] | 0x20) <= 'f')))
		end++;
	return end == n || strchr("&;,\"'}])", text[end]) ? end : 0;
}

/* Length of the token with a known prefix that the text begins with, 0: none. */
static inline size_t secret_token(const char *text, size_t n)
{
	static const struct {
		const char *text;
		unsigned char n, least;
		enum secret_rest rest;
	} prefixes[] = {
#define PREFIX(text, least, rest) { text, sizeof(text) - 1, least, SECRET_REST_##rest },
#include "tacho/secrets.def"
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t end = prefixes[i].n;
		bool digits = false, other = false;

		if (n < end || memcmp(text, prefixes[i].text, end))
			continue;
		for (; end < n &&
			(prefixes[i].rest == SECRET_REST_ALL ? !secret_blank(text[end])
							     : secret_in_name(text[end]));
			end++) {
			digits |= secret_digit(text[end]);
			other |= !secret_digit(text[end]) && !secret_letter(text[end]);
		}
		if (end - prefixes[i].n >= prefixes[i].least &&
			(prefixes[i].rest != SECRET_REST_DIGIT || digits) &&
			(prefixes[i].rest != SECRET_REST_ALNUM || !other))
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

/* Length of the base64 text that the text begins with, with '/', '+', '-' and '_'; 0: none. */
static inline size_t secret_base64(const char *text, size_t n)
{
	enum { DIGIT, UPPER, LOWER, OTHER, NKINDS };
	size_t kinds[NKINDS] = { 0 }, changes = 0, end = 0;
	size_t upper = SECRET_RUN_KINDS;

	for (size_t kind, last = NKINDS; end < n; end++, last = kind) {
		char c = text[end];

		if (!secret_digit(c) && !secret_letter(c) && (!c || !strchr("+/-_", c)))
			break;
		kind = secret_digit(c)	    ? DIGIT
			: !secret_letter(c) ? OTHER
			: c < 'a'	    ? UPPER
					    : LOWER;
		kinds[kind]++;
		changes += kind != last;
		if (c == '-') /* not MIG-GPU- and a UUID */
			upper = 2 * SECRET_RUN_KINDS;
	}
	while (end < n && text[end] == '=')
		end++;
	if (end < SECRET_RUN_LEAST || text[0] == '/' || text[0] == '-' ||
		(end < n && text[end] == '.') || kinds[DIGIT] < SECRET_RUN_KINDS / 2 ||
		kinds[LOWER] < SECRET_RUN_KINDS || kinds[UPPER] < upper)
		return 0;
	return changes * 100 >= end * SECRET_BASE64_CHANGES ? end : 0;
}

/*
 * Length of user and password of an address that the text begins with ("://" is before), 0: none.
 */
static inline size_t secret_user(const char *text, size_t n, bool web)
{
	size_t user = 0;
	bool colon = false, port = true;

	for (size_t i = 0; i < n && !secret_blank(text[i]); i++) {
		if (text[i] == '@' && (colon || web))
			user = i;
		/* a password may have these, a port has not */
		if ((text[i] == '/' || text[i] == '?' || text[i] == '#') &&
			(!colon || port || user))
			break;
		port &= !colon || secret_digit(text[i]);
		colon |= text[i] == ':';
	}
	return user;
}

/* Length of "user:password" that the text begins with, before a '@' and a host; 0: none. */
static inline size_t secret_login(const char *text, size_t n)
{
	size_t name = 0, end;

	while (name < n && secret_in_name(text[name]))
		name++;
	if (!name || name == n || text[name] != ':' || (name == 6 && !memcmp(text, "mailto", 6)))
		return 0;
	for (end = name + 1; end < n && !secret_blank(text[end]) && text[end] != '@' &&
		text[end] != '/' && text[end] != ',' && text[end] != ':';
		end++)
		;
	if (end == name + 1 || end + 1 >= n || text[end] != '@' || !secret_letter(text[end + 1]) ||
		(n - end > 7 && !memcmp(text + end, "@sha256", 7)))
		return 0;
	return end;
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

/*
 * Where the quoted text that begins at `at`, after `slashes` of them, ends: at its quote, or at
 * n.
 */
static inline size_t secret_quote_end(const char *text, size_t n, size_t at, size_t slashes)
{
	char quote = text[at + slashes];
	size_t run = 0;

	for (at += slashes + 1; at < n; at++) {
		if (text[at] == quote && (slashes ? run <= slashes : run % 2 == 0))
			return at - (run < slashes ? run : slashes);
		run = text[at] == '\\' ? run + 1 : 0;
	}
	return n;
}

/*
 * Where the value that begins at `at` ends: at its quote, after its bracket, or at what separates
 * values. `open`: its quote or bracket is not there.
 */
static inline size_t secret_value_end(const char *text, size_t n, size_t at, bool *open)
{
	size_t slashes = 0, depth = 0;

	while (at + slashes < n && text[at + slashes] == '\\')
		slashes++;
	if (at + slashes < n && (text[at + slashes] == '"' || text[at + slashes] == '\'')) {
		at = secret_quote_end(text, n, at, slashes);
		*open = at == n;
		return at;
	}
	if (at < n && (text[at] == '[' || text[at] == '{')) {
		for (; at < n; at++) {
			depth += text[at] == '[' || text[at] == '{';
			depth -= text[at] == ']' || text[at] == '}';
			if (!depth)
				return at + 1;
		}
		*open = true;
		return n;
	}
	while (at < n && (!strchr("&;,\"'}])", text[at]) || !text[at]))
		at++;
	*open = false;
	return at;
}

/*
 * Copies a word of an argument. `first`: the argument begins with it; a secret name there makes the
 * rest of the argument secret. Returns false when the rest is secret.
 */
static inline bool secret_word(struct secret_out *out, const char *text, size_t n, bool first)
{
	size_t dashes = 0;
	bool open = false, address = false;

	while (dashes < n && strchr("-\"'{", text[dashes]) && text[dashes])
		dashes++;
	for (size_t i = 0, length; i < n; i += length) {
		bool begins = !i || !(secret_digit(text[i - 1]) || secret_letter(text[i - 1]));

		length = 0;
		if (n - i >= 3 && !memcmp(text + i, "://", 3)) {
			bool web = (i >= 4 && !strncasecmp(text + i - 4, "http", 4)) ||
				(i >= 5 && !strncasecmp(text + i - 5, "https", 5));

			address = true;
			secret_plain(out, text + i, 3);
			i += 3;
			length = secret_user(text + i, n - i, web);
		} else if (text[i] == '=' || text[i] == ':') {
			struct secret_text name = secret_name_before(text, i);

			secret_plain(out, text + i++, 1);
			if (!secret_name(name.at, name.n, false)) {
				size_t hash = secret_hash_name(name.at, name.n)
					? secret_hash(text + i, n - i)
					: 0;

				secret_plain(out, text + i, hash);
				i += hash;
				continue;
			}
			if (i == n && text[i - 1] == '=')
				return true;
			if (i == n || (first && (size_t)(name.at - text) <= dashes)) {
				secret_mask(out);
				return false;
			}
			length = secret_value_end(text, n, i, &open) - i;
			if (open) {
				secret_mask(out);
				return false;
			}
		} else if (begins) {
			bool starts = !i || strchr("=:,\"'", text[i - 1]);

			length = secret_token(text + i, n - i);
			if (!length && starts && !address)
				length = secret_login(text + i, n - i);
			if (!length && starts)
				length = secret_base64(text + i, n - i);
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

/* Remembers a program that secrets.def names. */
static inline void secret_program(struct secret_before *before, const char *text, size_t n)
{
	static const struct {
		const char *name;
		char letter;
	} programs[] = {
#define PROGRAM(name, letter) { name, letter },
#include "tacho/secrets.def"
	};
	size_t begin = n;

	while (begin && text[begin - 1] != '/')
		begin--;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (n - begin == strlen(programs[i].name) &&
			!memcmp(text + begin, programs[i].name, n - begin))
			before->letter = programs[i].letter;
}

/* A number, an address of numbers or a path. */
static inline bool secret_is_plain(const char *text, size_t n)
{
	size_t number = 0;

	while (number < n && (secret_digit(text[number]) || strchr(".:,", text[number])) &&
		text[number])
		number++;
	return number == n || text[0] == '/' || text[0] == '~' ||
		(n > 1 && !memcmp(text, "./", 2)) || (n > 2 && !memcmp(text, "../", 3));
}

/* Whether the text glued to -p of an unknown program is a password rather than a word. */
static inline bool secret_is_mixed(const char *text, size_t n)
{
	bool upper = false, lower = false, digit = false, other = false;

	for (size_t i = 0; i < n; i++) {
		digit |= secret_digit(text[i]);
		upper |= text[i] >= 'A' && text[i] <= 'Z';
		lower |= text[i] >= 'a' && text[i] <= 'z';
		other |= text[i] && strchr("!@#$%^&*?~", text[i]);
	}
	return other || (n >= 6 && upper && lower && digit);
}

/*
 * Bytes of the word before a secret that is glued to its option (-pPW, -p=PW, -uME:PW); 0: none
 * is.
 */
static inline size_t secret_glued(const struct secret_before *before, const char *text, size_t n)
{
	size_t from = 2 + (n > 2 && text[2] == '=');

	if (n <= from || text[0] != '-' || text[1] == '-')
		return 0;
	if (text[1] == 'u') {
		const char *colon = memchr(text + from, ':', n - from);
		size_t after = colon ? (size_t)(colon + 1 - text) : n;

		return after < n && secret_letter(text[from]) && !memchr(text, '/', n) ? after : 0;
	}
	if (before->letter)
		return text[1] == before->letter ? from : 0;
	if (text[1] != 'p')
		return 0;
	if (from == 3)
		return secret_is_plain(text + from, n - from) ? 0 : from;
	return secret_is_mixed(text + from, n - from) ? from : 0;
}

/* What an option makes of the argument after it. */
static inline enum secret_next secret_option(const struct secret_before *before, const char *text,
	size_t n)
{
	static const struct {
		const char *name;
		enum secret_next next;
	} options[] = {
#define OPTION(name, value) { name, SECRET_NEXT_##value },
#include "tacho/secrets.def"
	};

	if (n == 6 && !strncasecmp(text, "bearer", 6))
		return SECRET_NEXT_VALUE;
	if (!n || text[0] != '-' || memchr(text, '=', n))
		return SECRET_NEXT_PLAIN;
	if (n == 2 && before->letter == text[1])
		return SECRET_NEXT_VALUE;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (n == strlen(options[i].name) && !memcmp(text, options[i].name, n))
			return before->letter && text[1] == 'p' ? SECRET_NEXT_PLAIN
								: options[i].next;
	if (secret_name(text, n, false))
		return SECRET_NEXT_VALUE;
	return secret_hash_name(text, n) ? SECRET_NEXT_HASH : SECRET_NEXT_PLAIN;
}

/*
 * Copies the value of an option that decided whether it is secret. False: the option decided
 * nothing.
 */
static inline bool secret_value(struct secret_out *out, const char *text, size_t n)
{
	enum secret_next next = out->before.next;
	char mark = next == SECRET_NEXT_AFTER_PERCENT ? '%' : ':';
	const char *at = n ? memchr(text, mark, n) : NULL;
	size_t from = 0;

	out->before.next = SECRET_NEXT_PLAIN;
	if (next == SECRET_NEXT_PLAIN || (n > 1 && text[0] == '-' && text[1] == '-') ||
		(next == SECRET_NEXT_UNLESS_PLAIN && secret_is_plain(text, n)))
		return false;
	if (next == SECRET_NEXT_HASH) {
		if (!n || secret_hash(text, n) != n)
			return false;
		secret_plain(out, text, n);
		return true;
	}
	if (next == SECRET_NEXT_AFTER_COLON || next == SECRET_NEXT_AFTER_PERCENT) {
		if (!at || secret_is_plain(text, n))
			return false;
		from = (size_t)(at + 1 - text);
		secret_plain(out, text, from);
	}
	secret_mask(out);
	return true;
}

/*
 * Adds an argument of `n` bytes to `out`, masked. Arguments of one command line follow each
 * other.
 */
static inline void secret_argument(struct secret_out *out, const char *text, size_t n)
{
	struct secret_text last = { text, 0 };
	bool open = false;

	if (secret_value(out, text, n))
		return;
	for (size_t i = 0, end; i < n; i = end) {
		size_t glued;

		for (end = i; end < n && secret_blank(text[end]); end++)
			;
		secret_plain(out, text + i, end - i);
		i = end;
		if (i < n && out->before.next && (text[i] == '"' || text[i] == '\''))
			end = secret_value_end(text, n, i, &open) + 1;
		else
			for (; end < n && !secret_blank(text[end]); end++)
				;
		end = end < n ? end : n;
		if (i == end || secret_value(out, text + i, end - i))
			continue;
		/* a private key, or "name = value" */
		if ((end - i >= 10 && !memcmp(text + i, "-----BEGIN", 10)) ||
			((text[i] == '=' || text[i] == ':') && last.n &&
				secret_name(last.at, last.n, false))) {
			secret_mask(out);
			return;
		}
		glued = secret_glued(&out->before, text + i, end - i);
		if (glued) {
			secret_plain(out, text + i, glued);
			secret_mask(out);
			continue;
		}
		if (!secret_word(out, text + i, end - i, !last.n))
			return;
		secret_program(&out->before, text + i, end - i);
		out->before.next = secret_option(&out->before, text + i, end - i);
		last = (struct secret_text){ text + i, end - i };
	}
}

#endif
