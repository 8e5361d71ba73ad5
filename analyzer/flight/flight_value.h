/*
 * flight_value.h - values of a dump, from JSON or a Python pickle. It reads only the parts of a
 * pickle that build plain values, and never calls anything in it.
 */
#ifndef ANALYZER_FLIGHT_VALUE_H
#define ANALYZER_FLIGHT_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/containers.h"

enum value_kind {
	VALUE_NONE,
	VALUE_NUMBER,
	VALUE_TEXT,
	VALUE_LIST,
	VALUE_DICT,
	VALUE_MARK,
	VALUE_GLOBAL
};

struct value {
	enum value_kind kind;
	int64_t number; /* without digits after the point; true: 1 */
	char *text;
	ARRAY_OF(struct value *) items; /* of a dict: key, value, key, value… */
};

/* All values of a file, which may be in each other more than once. */
struct values {
	ARRAY_OF(struct value *) all;
	const char *wrong; /* why reading failed */
	char text[256];	   /* what `wrong` may be made of */
};

/* A new value; NULL without memory (reported in `wrong`). */
struct value *value_new(struct values *values, enum value_kind kind);
struct value *value_text(struct values *values, const char *text, size_t length);
int value_add(struct values *values, struct value *to, struct value *item);

/* Reads the whole file. NULL: values->wrong has the reason. */
struct value *pickle_read(struct values *values, const unsigned char *data, size_t size);
struct value *json_read(struct values *values, const unsigned char *data, size_t size);

void values_free(struct values *values);

/* A member of a dict; NULL: missing, or not a dict. Likewise for a list or text. */
const struct value *value_get(const struct value *dict, const char *key);
const struct value *value_at(const struct value *list, size_t i);
const char *value_string(const struct value *value); /* NULL: no text */
int64_t value_integer(const struct value *value, int64_t otherwise);

#endif
