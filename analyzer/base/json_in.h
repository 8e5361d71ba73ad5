/*
 * json_in.h - JSON of any size and origin, read piece by piece: memory holds one text of it at a time.
 * Looser than the standard where writers of traces are: NaN, inf and control characters in texts pass.
 */
#ifndef ANALYZER_JSON_IN_H
#define ANALYZER_JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { JSON_IN_DEPTH = 512 }; /* of objects and arrays in each other */

enum json_piece {
	JSON_IN_END,
	JSON_IN_BAD, /* `wrong` states why; no piece follows */
	JSON_IN_OBJECT,
	JSON_IN_OBJECT_END,
	JSON_IN_ARRAY,
	JSON_IN_ARRAY_END,
	JSON_IN_KEY, /* its value follows */
	JSON_IN_TEXT,
	JSON_IN_NUMBER,
	JSON_IN_WORD, /* true, false, null */
};

struct json_in {
	/* Puts up to `room` bytes there. How many; 0 at the end; -1: failed. */
	long (*more)(void *source, char *to, size_t room);
	void *source;
	/* of the present key, text, number or word, until the next piece: as it is written, without quotes */
	const char *text;
	size_t length;
	bool escaped;	   /* the text has \ in it */
	const char *wrong; /* why it is not JSON */
	unsigned depth;
	/* below: of json_in.c */
	char *buffer;
	size_t at, end, size, mark;
	uint64_t before; /* bytes that were in the buffer and are no longer */
	int expected;
	uint64_t objects[JSON_IN_DEPTH / 64]; /* a bit for each that is open: an object, no array */
};

/* Begin as { .more =, .source = }. */
enum json_piece json_in_next(struct json_in *in);

/* Skips the next value of any type. False: not JSON. */
bool json_in_skip(struct json_in *in);

/* Where reading is, in bytes from the beginning. */
uint64_t json_in_place(const struct json_in *in);

/* Whether the present piece is that; quick where the compiler knows its length. */
static inline bool json_in_is(const struct json_in *in, const char *text)
{
	size_t length = strlen(text);

	return length == in->length && memcmp(in->text, text, length) == 0;
}

/* The present text without escapes, cut where it does not fit. Its length. */
size_t json_in_copy(const struct json_in *in, char *to, size_t size);

/*
 * The present number, or number in a text, times 10^digits; digits after that are cut off. False: it is
 * none, or too large.
 */
bool json_in_integer(const struct json_in *in, unsigned digits, int64_t *value);

void json_in_free(struct json_in *in);

#endif
