/* export_json.c - see export_json.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/export_json.h"
#include "base/text.h"

char *json_text(const char *text)
{
	char *clean = text_clean(text, strlen(text)),
	     *json = clean ? malloc(2 * strlen(clean) + 1) : NULL, *to = json;

	for (const char *c = clean; json && *c; c++) {
		if (*c == '"' || *c == '\\')
			*to++ = '\\';
		*to++ = *c;
	}
	if (json)
		*to = '\0';
	free(clean);
	return json;
}

static void value_put(FILE *out, const struct archive *archive, const struct in_value *value)
{
	OTF2_AttributeValue v = value->value;
	char *json = NULL;
	uint32_t string;

	switch (value->type) {
	case OTF2_TYPE_STRING:
		string = idmap_find(&archive->strings.map, v.stringRef);
		json = json_text(string == IDMAP_NONE ? "" : archive->strings.at[string]);
		fprintf(out, "\"%s\"", json ? json : "");
		break;
	case OTF2_TYPE_UINT64: /* a number of JSON would lose digits */
		fprintf(out, v.uint64 >> 53 ? "\"%" PRIu64 "\"" : "%" PRIu64, v.uint64);
		break;
	case OTF2_TYPE_UINT8: fprintf(out, "%u", v.uint8); break;
	case OTF2_TYPE_UINT16: fprintf(out, "%u", v.uint16); break;
	case OTF2_TYPE_UINT32: fprintf(out, "%" PRIu32, v.uint32); break;
	case OTF2_TYPE_INT32: fprintf(out, "%" PRId32, v.int32); break;
	case OTF2_TYPE_INT64: fprintf(out, "\"%" PRId64 "\"", v.int64); break;
	default: fputs("null", out);
	}
	free(json);
}

char *json_args(const struct archive *archive, const struct event *event)
{
	struct in_value value;
	char *text = NULL, *name;
	size_t size = 0;
	FILE *out = event && event_attribute(event, 0, &value) ? open_memstream(&text, &size)
							       : NULL;

	for (uint32_t i = 0; out && event_attribute(event, i, &value); i++) {
		uint32_t at = idmap_find(&archive->attributes.map, value.ref);

		name = json_text(at == IDMAP_NONE ? "?" : archive->attributes.at[at].name);
		fprintf(out, "%c\"%s\":", i ? ',' : '{', name ? name : "?");
		free(name);
		value_put(out, archive, &value);
	}
	if (out) {
		fputs("}", out);
		fclose(out);
	}
	return text;
}
