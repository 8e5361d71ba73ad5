/* export_json.h - names and attributes of an archive as JSON. */
#ifndef ANALYZER_EXPORT_JSON_H
#define ANALYZER_EXPORT_JSON_H

#include "base/json.h"
#include "otf2/otf2_in.h"

/* A name of unknown origin as a JSON string, see text_clean(). To be freed; NULL without memory. */
char *export_name(const char *text);

/* A time in microseconds with three decimals; those before 0 (clock offsets) keep their sign. */
void export_time(struct json *json, const char *key, int64_t ns);

/*
 * What an event (NULL: none) carries, as a JSON object, to be freed; NULL when there is nothing, or
 * no memory.
 */
char *export_args(const struct archive *archive, const struct event *event);

#endif
