/* export_json.c - see export_json.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "export/export_json.h"

char *export_name(const char *text)
{
	char *clean = text_clean(text, strlen(text)), *name = clean ? json_quoted(clean) : NULL;

	free(clean);
	return name;
}

void export_time(struct json *json, const char *key, int64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%" PRId64 ".%03d", ns < 0 ? "-" : "",
		(int64_t)llabs(ns) / 1000, (int)(llabs(ns) % 1000));
	json_raw(json, key, text);
}

static void text_put(struct json *json, const char *key, const char *text)
{
	char *clean = text_clean(text, strlen(text));

	json_text(json, key, clean ? clean : "");
	free(clean);
}

/* A number of JSON would lose digits of those beyond 2^53. */
static void value_put(struct json *json, const char *key, const struct archive *archive,
	const struct in_value *value)
{
	OTF2_AttributeValue v = value->value;
	char digits[32];
	uint32_t string;

	switch (value->type) {
	case OTF2_TYPE_STRING:
		string = idmap_find(&archive->strings.map, v.stringRef);
		text_put(json, key, string == IDMAP_NONE ? "" : archive->strings.at[string]);
		break;
	case OTF2_TYPE_UINT64:
		snprintf(digits, sizeof(digits), v.uint64 >> 53 ? "\"%" PRIu64 "\"" : "%" PRIu64,
			v.uint64);
		json_raw(json, key, digits);
		break;
	case OTF2_TYPE_UINT8: json_integer(json, key, v.uint8); break;
	case OTF2_TYPE_UINT16: json_integer(json, key, v.uint16); break;
	case OTF2_TYPE_UINT32: json_integer(json, key, v.uint32); break;
	case OTF2_TYPE_INT32: json_integer(json, key, v.int32); break;
	case OTF2_TYPE_INT64:
		snprintf(digits, sizeof(digits), "\"%" PRId64 "\"", v.int64);
		json_raw(json, key, digits);
		break;
	default: json_null(json, key);
	}
}

char *export_args(const struct archive *archive, const struct event *event)
{
	struct json json = { .dense = true };
	struct in_value value;
	char *text = NULL, *name;
	size_t size = 0;

	if (!event || !event_attribute(event, 0, &value) ||
		!(json.out = open_memstream(&text, &size)))
		return NULL;
	json_object(&json, NULL, JSON_INLINE);
	for (uint32_t i = 0; event_attribute(event, i, &value); i++) {
		const char *key = "?";
		uint32_t at = idmap_find(&archive->attributes.map, value.ref);

		if (at != IDMAP_NONE)
			key = archive->attributes.at[at].name;
		name = text_clean(key, strlen(key));
		value_put(&json, name ? name : "?", archive, &value);
		free(name);
	}
	json_end(&json);
	fclose(json.out);
	return text;
}
