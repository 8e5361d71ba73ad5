/* export_names.c - names of tracks, and their owners. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "export/export_json.h"
#include "export/export_names.h"

/* Streams are called CUDA[device:stream] in traces. */
void export_stream_name(const char *name, char *to, size_t size)
{
	unsigned device;
	int at = 0;

	if (sscanf(name, "CUDA[%u:%n", &device, &at) == 1 && at && strchr(name + at, ']'))
		snprintf(to, size, "GPU %u · stream %.*s", device, (int)strcspn(name + at, "]"),
			name + at);
	else
		snprintf(to, size, "%s", name);
}

int64_t export_rank(const struct model *model, uint32_t process)
{
	for (int depth = 0; process != MODEL_NONE && depth < 8; depth++) {
		if (model->processes.at[process].rank >= 0)
			return model->processes.at[process].rank;
		process = model->processes.at[process].parent;
	}
	return -1;
}

/*
 * The owner of a device that several processes see: the one with most events on it (view
 * device_owner), else the first; NULL: no owner.
 */
const struct device_use *export_device_owner(const struct model *model, const struct device *device)
{
	const struct device_use *owner = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < device->uses.n; i++) {
		uint64_t nevents = 0;

		for (size_t k = 0; k < device->streams.n; k++) {
			const struct location *stream = &model->locations.at[device->streams.at[k]];

			if (stream->process == device->uses.at[i].process)
				nevents += stream->in->nevents;
		}
		if (!owner || nevents > most) {
			owner = &device->uses.at[i];
			most = nevents;
		}
	}
	return owner;
}

char **export_region_names(const struct model *model)
{
	char **names = calloc(model->regions.n + 1, sizeof(*names));

	if (!names)
		log_error("out of memory for %zu regions", model->regions.n);
	for (size_t i = 0; names && i < model->regions.n; i++)
		names[i] = export_name(model->regions.at[i].name);
	return names;
}

void export_region_names_free(const struct model *model, char **names)
{
	for (size_t i = 0; names && i < model->regions.n; i++)
		free(names[i]);
	free(names);
}
