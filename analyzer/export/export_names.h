/* export_names.h - names of tracks, and whose they are. */
#ifndef ANALYZER_EXPORT_NAMES_H
#define ANALYZER_EXPORT_NAMES_H

#include "model/model.h"

/* Of a stream that traces call CUDA[0:7] what people read. */
void export_stream_name(const char *name, char *to, size_t size);

/* The rank of a process or of those that made it; -1: none. */
int64_t export_rank(const struct model *model, uint32_t process);

/* NULL: nobody's. */
const struct device_use *export_device_owner(const struct model *model,
	const struct device *device);

/* Names of all regions as JSON strings; NULL without memory (reported). */
char **export_region_names(const struct model *model);
void export_region_names_free(const struct model *model, char **names);

#endif
