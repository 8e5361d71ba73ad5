/* flight_value.c - values of a dump, and the JSON reader. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_in.h"
#include "flight/flight_value.h"

struct value *value_new(struct values *values, enum value_kind kind)
{
	struct value *value = calloc(1, sizeof(*value));
	struct value **at = value ? ARRAY_ADD(&values->all) : NULL;

	if (!at) {
		free(value);
		values->wrong = "out of memory";
		return NULL;
	}
	value->kind = kind;
	return *at = value;
}

struct value *value_text(struct values *values, const char *text, size_t length)
{
	struct value *value = value_new(values, VALUE_TEXT);

	if (value && !(value->text = strndup(text, length))) {
		values->wrong = "out of memory";
		return NULL;
	}
	return value;
}

int value_add(struct values *values, struct value *to, struct value *item)
{
	struct value **at = item ? ARRAY_ADD(&to->items) : NULL;

	if (!at) {
		values->wrong = values->wrong ? values->wrong : "out of memory";
		return -1;
	}
	*at = item;
	return 0;
}

void values_free(struct values *values)
{
	for (size_t i = 0; i < values->all.n; i++) {
		free(values->all.at[i]->text);
		free(values->all.at[i]->items.at);
		free(values->all.at[i]);
	}
	free(values->all.at);
	*values = (struct values){ 0 };
}

const struct value *value_get(const struct value *dict, const char *key)
{
	if (!dict || dict->kind != VALUE_DICT)
		return NULL;
	for (size_t i = 0; i + 1 < dict->items.n; i += 2) {
		const char *text = value_string(dict->items.at[i]);

		if (text && strcmp(text, key) == 0)
			return dict->items.at[i + 1];
	}
	return NULL;
}

const struct value *value_at(const struct value *list, size_t i)
{
	return list && list->kind == VALUE_LIST && i < list->items.n ? list->items.at[i] : NULL;
}

const char *value_string(const struct value *value)
{
	return value && value->kind == VALUE_TEXT ? value->text : NULL;
}

int64_t value_integer(const struct value *value, int64_t otherwise)
{
	return value && value->kind == VALUE_NUMBER ? value->number : otherwise;
}

struct bytes {
	const unsigned char *at;
	size_t left;
};

static long bytes_more(void *source, char *to, size_t room)
{
	struct bytes *bytes = source;
	size_t n = bytes->left < room ? bytes->left : room;

	memcpy(to, bytes->at, n);
	bytes->at += n;
	bytes->left -= n;
	return (long)n;
}

static struct value *piece_value(struct values *values, struct json_in *in, enum json_piece piece);

static struct value *text_of(struct values *values, const struct json_in *in)
{
	char *copy = malloc(in->length + 1);
	struct value *value = NULL;

	if (copy)
		value = value_text(values, copy, json_in_copy(in, copy, in->length + 1));
	free(copy);
	return value;
}

/* Depth is bounded by json_in. */
static struct value *container(struct values *values, struct json_in *in, enum value_kind kind)
{
	struct value *value = value_new(values, kind);
	enum json_piece end = kind == VALUE_DICT ? JSON_IN_OBJECT_END : JSON_IN_ARRAY_END, piece;

	while (value && (piece = json_in_next(in)) != end) {
		struct value *item = piece == JSON_IN_KEY ? text_of(values, in)
							  : piece_value(values, in, piece);

		if (!item || value_add(values, value, item) < 0)
			return NULL;
	}
	return value;
}

static struct value *piece_value(struct values *values, struct json_in *in, enum json_piece piece)
{
	struct value *value;

	switch (piece) {
	case JSON_IN_OBJECT: return container(values, in, VALUE_DICT);
	case JSON_IN_ARRAY: return container(values, in, VALUE_LIST);
	case JSON_IN_TEXT: return text_of(values, in);
	case JSON_IN_NUMBER:
	case JSON_IN_WORD:
		value = value_new(values, json_in_is(in, "null") ? VALUE_NONE : VALUE_NUMBER);
		if (value && piece == JSON_IN_WORD)
			value->number = json_in_is(in, "true");
		else if (value)
			json_in_integer(in, 0, &value->number);
		return value;
	default: values->wrong = in->wrong ? in->wrong : "it ends too early"; return NULL;
	}
}

struct value *json_read(struct values *values, const unsigned char *data, size_t size)
{
	struct bytes bytes = { data, size };
	struct json_in in = { .more = bytes_more, .source = &bytes };
	struct value *value = piece_value(values, &in, json_in_next(&in));

	json_in_free(&in);
	return value;
}
