/*
 * region_around.c - see region.h: regions of a runtime that other regions are entered in, which only the
 * events show.
 */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "model/region.h"

enum { AT_ONCE = 1 << 16, DEEPEST = 256 };

struct looking {
	struct model *model;
	bool *is_around; /* by region */
	bool *may_be;	 /* by region: it is of a runtime, and not known to be around others */
	uint32_t open[DEEPEST];
	size_t depth;
};

/* A call of a device's API that another one makes is a part of it; no other call has any. */
static bool is_part(const struct model *model, uint32_t region, uint32_t inner)
{
	enum region_kind kind = model->regions.at[region].kind;

	return inner != MODEL_NONE && region_keeps_inner(&model->archive->regions.at[region]) &&
		model->regions.at[inner].kind == kind;
}

static void entered(struct looking *looking, uint32_t region)
{
	size_t depth = looking->depth < DEEPEST ? looking->depth : DEEPEST;

	for (size_t i = 0; i < depth; i++) {
		uint32_t outer = looking->open[i];

		if (outer == MODEL_NONE || !looking->may_be[outer] || outer == region ||
			is_part(looking->model, outer, region))
			continue;
		looking->may_be[outer] = false;
		looking->is_around[outer] = true;
	}
	if (looking->depth < DEEPEST)
		looking->open[looking->depth] = region;
	looking->depth++;
}

static bool take(void *user, const struct event *event)
{
	struct looking *looking = user;

	if (event->kind == EVENT_ENTER)
		entered(looking, model_region(looking->model, event->ref));
	else if (event->kind == EVENT_LEAVE && looking->depth)
		looking->depth--;
	return true;
}

static void location_look(struct looking *looking, struct archive *archive,
	const struct in_location *location)
{
	struct cursor cursor;

	looking->depth = 0;
	cursor_open(&cursor, archive, location, take, looking);
	while (!cursor.ended)
		cursor_run(&cursor, AT_ONCE);
	cursor_close(&cursor);
}

/* its own archive: what libotf2 keeps open is not to be shared with processes that read later. */
static int archive_look(struct looking *looking)
{
	const struct archive *of = looking->model->archive;
	struct archive archive;
	int ret = -1;

	if (archive_open(&archive, of->path, of->skipped, of->nskipped) == 0 &&
		archive_open_events(&archive) == 0) {
		for (size_t i = 0; i < archive.locations.n; i++)
			if (archive.locations.at[i].type == OTF2_LOCATION_TYPE_CPU_THREAD)
				location_look(looking, &archive, &archive.locations.at[i]);
		ret = 0;
	}
	archive_close(&archive);
	return ret;
}

int regions_look(struct model *model)
{
	size_t n = model->regions.n;
	struct looking looking = { .model = model,
		.is_around = calloc(n + 1, sizeof(bool)),
		.may_be = calloc(n + 1, sizeof(bool)) };
	bool any = false;
	int ret = looking.is_around && looking.may_be ? 0 : -1;

	for (size_t i = 0; ret == 0 && i < n; i++)
		any |= looking.may_be[i] = region_may_be_around(&model->archive->regions.at[i]);
	if (ret < 0)
		log_error("out of memory for %zu regions", n);
	else if (any && !property_find(&model->archive->properties, PROPERTY_ARCHIVE_VERSION))
		ret = archive_look(&looking);
	for (size_t i = 0; ret == 0 && i < n; i++)
		if (looking.is_around[i])
			model->regions.at[i].kind = KIND_USER;
	free(looking.is_around);
	free(looking.may_be);
	return ret;
}
