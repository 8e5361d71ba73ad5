/*
 * json.h - JSON, written value by value. Text of any origin comes out as valid UTF-8 that a terminal
 * shows on one line; numbers as the shortest text that reads back as the same double.
 */
#ifndef ANALYZER_JSON_H
#define ANALYZER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 8 }; /* of objects and arrays in each other */

/* Layout of an object's or array's elements: all on one line, or each on a separate one. */
enum json_layout { JSON_INLINE, JSON_LINES };

struct json {
	FILE *out;
	bool dense; /* without blanks */
	/* below: of json.c */
	int depth;
	struct {
		char end; /* what closes it */
		bool lines, any;
	} open[JSON_DEPTH + 1];
};

/*
 * Begin as { .out = FILE }. `key` is the name of a member of an object, NULL in an array and outside
 * of both. json_end() closes the object or array that was opened last, and ends the line of the
 * outermost one unless it is dense.
 */
void json_object(struct json *json, const char *key, enum json_layout layout);
void json_array(struct json *json, const char *key, enum json_layout layout);
void json_end(struct json *json);

/* Bytes that are no UTF-8 become U+FFFD; NULL is null. */
void json_text(struct json *json, const char *key, const char *text);
void json_number(struct json *json, const char *key, double value); /* not finite: null */
void json_integer(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* A value that is JSON already. */
void json_raw(struct json *json, const char *key, const char *value);

/*
 * "text" with its quotes, to be freed; NULL without memory. For texts that are written many times.
 */
char *json_quoted(const char *text);

#endif
