/* export_json.h - names and attributes of an archive as parts of JSON. */
#ifndef ANALYZER_EXPORT_JSON_H
#define ANALYZER_EXPORT_JSON_H

#include "otf2/otf2_in.h"

/*
 * A text of unknown origin as it stands between the quotes of a JSON string: valid UTF-8, control
 * characters as pictures. To be freed; NULL without memory.
 */
char *json_text(const char *text);

/*
 * What an event (NULL: none) carries, as a JSON object, to be freed; NULL when there is nothing, or
 * no memory.
 */
char *json_args(const struct archive *archive, const struct event *event);

#endif
