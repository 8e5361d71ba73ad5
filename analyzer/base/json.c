/* json.c - see json.h. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

/* Writes one character between quotes: "\"\\" with a backslash, control characters by number. */
static void character_put(FILE *out, const char *bytes, size_t n, uint32_t c)
{
	if (c == TEXT_MALFORMED)
		fputs_unlocked("\\ufffd", out);
	else if (!text_is_visible(c))
		fprintf(out, "\\u%04x", (unsigned)c);
	else if (c == '"' || c == '\\')
		fprintf(out, "\\%c", (int)c);
	else
		fwrite_unlocked(bytes, 1, n, out);
}

static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static void text_put(FILE *out, const char *text)
{
	size_t n = strlen(text), length;
	uint32_t c;

	putc_unlocked('"', out);
	for (; n; text += length, n -= length) {
		for (length = 0; length < n && is_plain(text[length]); length++)
			;
		if (length) {
			fwrite_unlocked(text, 1, length, out);
			continue;
		}
		length = text_character(text, n, &c);
		character_put(out, text, length, c);
	}
	putc_unlocked('"', out);
}

static void newline(const struct json *json)
{
	int arrays = 0;

	if (json->dense) {
		putc_unlocked('\n', json->out);
		return;
	}
	for (int i = 1; i <= json->depth; i++)
		arrays += json->open[i].end == ']';
	fprintf(json->out, "\n%*s", 2 * arrays, "");
}

/* The part between the last value and this one, and its key. */
static void value_begin(struct json *json, const char *key)
{
	if (json->open[json->depth].any)
		putc_unlocked(',', json->out);
	if (json->open[json->depth].lines)
		newline(json);
	else if (json->open[json->depth].any && !json->dense)
		putc_unlocked(' ', json->out);
	json->open[json->depth].any = true;
	if (!key)
		return;
	text_put(json->out, key);
	fputs_unlocked(json->dense ? ":" : ": ", json->out);
}

static void open_put(struct json *json, const char *key, char end, enum json_layout layout)
{
	value_begin(json, key);
	putc_unlocked(end == ']' ? '[' : '{', json->out);
	json->depth++;
	json->open[json->depth].end = end;
	json->open[json->depth].lines = layout == JSON_LINES;
	json->open[json->depth].any = false;
}

void json_object(struct json *json, const char *key, enum json_layout layout)
{
	open_put(json, key, '}', layout);
}

void json_array(struct json *json, const char *key, enum json_layout layout)
{
	open_put(json, key, ']', layout);
}

void json_end(struct json *json)
{
	char end = json->open[json->depth].end;
	bool lines = json->open[json->depth].lines;

	json->depth--;
	if (lines)
		newline(json);
	putc_unlocked(end, json->out);
	if (!json->depth && !json->dense)
		putc_unlocked('\n', json->out);
}

void json_text(struct json *json, const char *key, const char *text)
{
	if (!text) {
		json_null(json, key);
		return;
	}
	value_begin(json, key);
	text_put(json->out, text);
}

void json_number(struct json *json, const char *key, double value)
{
	char text[TEXT_NUMBER];

	json_raw(json, key, isfinite(value) ? text_number(text, value) : "null");
}

void json_integer(struct json *json, const char *key, int64_t value)
{
	value_begin(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_raw(json, key, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	json_raw(json, key, "null");
}

void json_raw(struct json *json, const char *key, const char *value)
{
	value_begin(json, key);
	fputs_unlocked(value, json->out);
}

char *json_quoted(const char *text)
{
	char *quoted = NULL;
	size_t size;
	FILE *out = open_memstream(&quoted, &size);

	if (!out)
		return NULL;
	text_put(out, text);
	if (fclose(out) == 0)
		return quoted;
	free(quoted);
	return NULL;
}
