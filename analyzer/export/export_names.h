/* export_names.h - names of tracks, and their owners. */
#ifndef ANALYZER_EXPORT_NAMES_H
#define ANALYZER_EXPORT_NAMES_H

#include "model/model.h"

/* A readable name for a stream that traces call CUDA[0:7]. */
void export_stream_name(const char *name, char *to, size_t size);

/* The rank of a process or its ancestors; -1: none. */
int64_t export_rank(const struct model *model, uint32_t process);

/* NULL: no owner. */
const struct device_use *export_device_owner(const struct model *model,
	const struct device *device);

/* Names of all regions as JSON strings; NULL without memory (reported). */
char **export_region_names(const struct model *model);
void export_region_names_free(const struct model *model, char **names);

#endif
