/* json_in.c - see json_in.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_in.h"

enum { BUFFER = 1 << 18, TEXT_MOST = 1 << 24 };

/* What may come next. */
enum { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COMMA, NOTHING };

static enum json_piece bad(struct json_in *in, const char *wrong)
{
	if (!in->wrong)
		in->wrong = wrong;
	return JSON_IN_BAD;
}

/* What is before `mark` goes, and more comes behind. False at the end, or where reading fails. */
static bool fill(struct json_in *in)
{
	size_t kept = in->end - in->mark;
	char *larger;
	long n;

	if (in->mark && kept)
		memmove(in->buffer, in->buffer + in->mark, kept);
	in->before += in->mark;
	in->at -= in->mark;
	in->mark = 0;
	in->end = kept;
	if (in->end == in->size) {
		if (in->size >= TEXT_MOST)
			return bad(in, "a text in it is longer than 16 MiB"), false;
		larger = realloc(in->buffer, in->size ? in->size * 2 : BUFFER);
		if (!larger)
			return bad(in, "out of memory"), false;
		in->buffer = larger;
		in->size = in->size ? in->size * 2 : BUFFER;
	}
	n = in->more(in->source, in->buffer + in->end, in->size - in->end);
	if (n < 0)
		bad(in, "it cannot be read to its end");
	in->end += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* The next byte that is no blank; 0: there is none. */
static inline unsigned char next_byte(struct json_in *in)
{
	for (;;) {
		for (; in->at < in->end; in->at++) {
			unsigned char c = (unsigned char)in->buffer[in->at];

			if (c > ' ' || (c != ' ' && c != '\n' && c != '\r' && c != '\t'))
				return c ? c : 1;
		}
		in->mark = in->at;
		if (!fill(in))
			return 0;
	}
}

/* Reads on to the quote that ends the text. */
static bool text_read(struct json_in *in)
{
	size_t from;

	in->mark = ++in->at;
	in->escaped = false;
	for (;;) {
		const char *buffer = in->buffer;
		size_t at = in->at, end = in->end;

		while (at < end && buffer[at] != '"' && buffer[at] != '\\')
			at++;
		in->at = at;
		if (at < end && buffer[at] == '"')
			break;
		if (at + 1 < end) {
			in->escaped = true;
			in->at += 2;
		} else if (!fill(in)) {
			return bad(in, "it ends within a text"), false;
		}
	}
	from = in->mark;
	in->text = in->buffer + from;
	in->length = in->at++ - from;
	return true;
}

/* Letters, digits and signs: a number or a word. */
static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		c == '+' || c == '-' || c == '.';
}

static bool is_word(const struct json_in *in)
{
	return json_in_is(in, "true") || json_in_is(in, "false") || json_in_is(in, "null");
}

/* As printf() and Python write them. */
static bool is_not_finite(const struct json_in *in)
{
	static const char *const names[] = { "nan", "NaN", "inf", "Infinity", "-nan", "-NaN",
		"-inf", "-Infinity" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (json_in_is(in, names[i]))
			return true;
	return false;
}

static size_t digits(const char *text, size_t at, size_t length)
{
	while (at < length && text[at] >= '0' && text[at] <= '9')
		at++;
	return at;
}

static bool is_number(const char *text, size_t length)
{
	size_t at = length && text[0] == '-', from = at;

	at = digits(text, at, length);
	if (at == from || (text[from] == '0' && at > from + 1))
		return false;
	if (at < length && text[at] == '.') {
		from = ++at;
		at = digits(text, at, length);
		if (at == from)
			return false;
	}
	if (at < length && (text[at] == 'e' || text[at] == 'E')) {
		at++;
		at += at < length && (text[at] == '-' || text[at] == '+');
		from = at;
		at = digits(text, at, length);
		if (at == from)
			return false;
	}
	return at == length;
}

static enum json_piece plain_read(struct json_in *in)
{
	in->mark = in->at;
	for (;;) {
		while (in->at < in->end && is_plain(in->buffer[in->at]))
			in->at++;
		if (in->at < in->end || !fill(in))
			break;
	}
	in->text = in->buffer + in->mark;
	in->length = in->at - in->mark;
	in->escaped = false;
	if (in->wrong)
		return JSON_IN_BAD;
	if (is_number(in->text, in->length) || is_not_finite(in))
		return JSON_IN_NUMBER;
	return is_word(in) ? JSON_IN_WORD : bad(in, "it is not JSON");
}

static bool is_in_object(const struct json_in *in)
{
	unsigned at = in->depth - 1;

	return in->objects[at / 64] >> at % 64 & 1;
}

static enum json_piece open(struct json_in *in, bool is_object)
{
	unsigned at = in->depth;

	if (at == JSON_IN_DEPTH)
		return bad(in, "it is nested deeper than 512 levels");
	in->depth++;
	in->objects[at / 64] &= ~(UINT64_C(1) << at % 64);
	in->objects[at / 64] |= (uint64_t)is_object << at % 64;
	in->expected = is_object ? KEY_OR_END : VALUE_OR_END;
	in->at++;
	return is_object ? JSON_IN_OBJECT : JSON_IN_ARRAY;
}

/* After a value: what encloses it continues, or all is read. */
static void value_done(struct json_in *in)
{
	in->expected = in->depth ? COMMA : NOTHING;
}

static enum json_piece close(struct json_in *in)
{
	bool was_object = is_in_object(in);

	if (in->buffer[in->at] != (was_object ? '}' : ']'))
		return bad(in, "it is not JSON");
	in->at++;
	in->depth--;
	value_done(in);
	return was_object ? JSON_IN_OBJECT_END : JSON_IN_ARRAY_END;
}

static enum json_piece value_read(struct json_in *in, unsigned char c)
{
	enum json_piece piece = JSON_IN_TEXT;

	if (c == '{' || c == '[')
		return open(in, c == '{');
	if (c != '"')
		piece = plain_read(in);
	else if (!text_read(in))
		return JSON_IN_BAD;
	value_done(in);
	return piece;
}

static enum json_piece key_read(struct json_in *in, unsigned char c)
{
	size_t length;

	if (c != '"')
		return bad(in, "it is not JSON");
	if (!text_read(in))
		return JSON_IN_BAD;
	/* the key stays in the buffer, while the colon is searched for */
	length = in->length;
	while (in->at == in->end || in->buffer[in->at] != ':') {
		if (in->at == in->end ? !fill(in) : !strchr(" \n\r\t", in->buffer[in->at]))
			return bad(in, "it is not JSON");
		in->at += in->at < in->end && in->buffer[in->at] != ':';
	}
	in->at++;
	in->text = in->buffer + in->mark;
	in->length = length;
	in->expected = VALUE;
	return JSON_IN_KEY;
}

enum json_piece json_in_next(struct json_in *in)
{
	unsigned char c;

	if (in->wrong)
		return JSON_IN_BAD;
	c = next_byte(in);
	if (in->wrong)
		return JSON_IN_BAD;
	if (!c)
		return in->expected == NOTHING ? JSON_IN_END
					       : bad(in, "it ends before its last bracket");
	if (in->expected == COMMA && c == ',') {
		in->at++;
		in->expected = is_in_object(in) ? KEY : VALUE;
		c = next_byte(in);
	} else if (in->expected == COMMA ||
		((in->expected == VALUE_OR_END && c == ']') ||
			(in->expected == KEY_OR_END && c == '}'))) {
		return close(in);
	}
	if (in->expected == NOTHING)
		return bad(in, "something follows its last bracket");
	return in->expected == KEY || in->expected == KEY_OR_END ? key_read(in, c)
								 : value_read(in, c);
}

bool json_in_skip(struct json_in *in)
{
	unsigned depth = in->depth;
	enum json_piece piece;

	do
		piece = json_in_next(in);
	while (piece > JSON_IN_BAD && in->depth > depth);
	return piece > JSON_IN_BAD;
}

uint64_t json_in_place(const struct json_in *in)
{
	return in->before + in->at;
}

static unsigned hex(const char *text)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++) {
		char c = text[i];

		value = value << 4 |
			(unsigned)(c >= '0' && c <= '9'	       ? c - '0'
					: c >= 'a' && c <= 'f' ? c - 'a' + 10
					: c >= 'A' && c <= 'F' ? c - 'A' + 10
							       : 0);
	}
	return value;
}

/* As UTF-8. */
static size_t put(char *to, unsigned c)
{
	if (c < 0x80)
		return to[0] = (char)c, 1;
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* The character of an escape at text[at], a \; `at` goes behind it. */
static unsigned escape(const char *text, size_t length, size_t *at)
{
	static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
	char c = text[*at + 1];
	const char *found = memchr(letters, c, sizeof(letters) - 1);
	unsigned value, low;

	*at += 2;
	if (c != 'u' || *at + 4 > length)
		return (unsigned char)(found ? meant[found - letters] : c);
	value = hex(text + *at);
	*at += 4;
	if (value >= 0xd800 && value < 0xdc00 && *at + 6 <= length && text[*at] == '\\' &&
		text[*at + 1] == 'u') {
		low = hex(text + *at + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			*at += 6;
			return 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	return value && (value < 0xd800 || value >= 0xe000) ? value : 0xfffd;
}

size_t json_in_copy(const struct json_in *in, char *to, size_t size)
{
	size_t n = 0, at = 0;

	if (!in->escaped) {
		n = in->length < size ? in->length : size - 1;
		memcpy(to, in->text, n);
	}
	while (in->escaped && at < in->length && n + 4 < size) {
		if (in->text[at] == '\\')
			n += put(to + n, escape(in->text, in->length, &at));
		else
			to[n++] = in->text[at++];
	}
	to[n] = '\0';
	return n;
}

/* With an exponent; as exact as a double. */
static bool scaled(const struct json_in *in, unsigned digits, int64_t *value)
{
	char text[64];
	double number;

	if (in->length >= sizeof(text))
		return false;
	memcpy(text, in->text, in->length);
	text[in->length] = '\0';
	number = strtod(text, NULL);
	while (digits--)
		number *= 10;
	if (!(number > -9e18 && number < 9e18))
		return false;
	*value = (int64_t)number;
	return true;
}

bool json_in_integer(const struct json_in *in, unsigned digits, int64_t *value)
{
	size_t at = in->length && in->text[0] == '-';
	bool is_negative = at, after = false;
	int64_t n = 0;

	if (!is_number(in->text, in->length))
		return false;
	for (; at < in->length; at++) {
		char c = in->text[at];

		if (c == 'e' || c == 'E')
			return scaled(in, digits, value);
		if (c == '.') {
			after = true;
			continue;
		}
		if (after && !digits)
			continue;
		digits -= after;
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, c - '0', &n))
			return false;
	}
	for (; digits; digits--)
		if (__builtin_mul_overflow(n, 10, &n))
			return false;
	*value = is_negative ? -n : n;
	return true;
}

void json_in_free(struct json_in *in)
{
	free(in->buffer);
	*in = (struct json_in){ .more = in->more, .source = in->source };
}
