/* export_json.h - names and attributes of an archive as JSON. */
#ifndef ANALYZER_EXPORT_JSON_H
#define ANALYZER_EXPORT_JSON_H

#include "otf2/otf2_in.h"

/* A name of unknown origin as a JSON string, see text_clean(). To be freed; NULL without memory. */
char *export_name(const char *text);

/*
 * What an event (NULL: none) carries, as a JSON object, to be freed; NULL when there is nothing, or
 * no memory.
 */
char *export_args(const struct archive *archive, const struct event *event);

#endif
