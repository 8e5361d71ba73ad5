/*
 * timeline_step.c - the pictures of some steps: whose locations are looked at in them; see timeline.h.
 */
#include "config.h"

#include <stdlib.h>

#include "tables/tables.h"
#include "timeline/timeline.h"
#include "timeline/timeline_step.h"

enum {
	RANKS_MOST = 128, /* shown; of more, every so-manieth */
	/* threads that are no main thread, and children, of all ranks together */
	HELPERS_OF_ALL = 192,
	/* a location's intervals shorter than this part of the window are joined */
	PARTS_MOST = 1500,
	PARTS_LEAST = 200,
	PARTS_OF_OTHERS = 48000, /* of all locations together, of steps but the typical one */
};

struct shown {
	ARRAY_OF(uint32_t) locations;
};

static bool is_shown(const struct model *model, int64_t rank)
{
	int64_t every = (model->nranks + RANKS_MOST - 1) / RANKS_MOST;

	return rank >= 0 && (every < 2 || rank % every == 0);
}

static int64_t rank_of(const struct model *model, uint32_t process)
{
	for (int depth = 0; process != MODEL_NONE && depth < 8; depth++) {
		if (model->processes.at[process].rank >= 0)
			return model->processes.at[process].rank;
		process = model->processes.at[process].parent;
	}
	return -1;
}

static bool is_looked_at(const struct model *model, size_t location, size_t helpers, uint32_t *used)
{
	const struct location *at = &model->locations.at[location];
	int64_t rank = at->process == MODEL_NONE ? -1 : rank_of(model, at->process);
	bool is_main = at->is_main && rank >= 0 && model->processes.at[at->process].rank >= 0;

	if (at->in->type == OTF2_LOCATION_TYPE_METRIC || !is_shown(model, rank) ||
		rank >= model->nranks)
		return false;
	return is_main || at->device != MODEL_NONE || used[rank]++ < helpers;
}

/* The numbers of the locations that are looked at. 0, or -1 without memory. */
static int locations_choose(const struct model *model, struct shown *shown)
{
	size_t helpers = HELPERS_OF_ALL / (model->nranks < RANKS_MOST ? model->nranks : RANKS_MOST);
	uint32_t *used = calloc(model->nranks + 1, sizeof(*used)), *add;
	int ret = used ? 0 : -1;

	for (size_t i = 0; ret == 0 && i < model->locations.n; i++)
		if (is_looked_at(model, i, helpers, used)) {
			add = ARRAY_ADD(&shown->locations);
			if (add)
				*add = (uint32_t)i;
			else
				ret = -1;
		}
	free(used);
	return ret;
}

static void window_look(struct tables *tables, const struct timeline_known *known,
	const struct shown *shown, const struct full_step *window, int64_t parts)
{
	struct looks looks = { .known = known,
		.from = window->from,
		.to = window->to,
		.step = window->step,
		.parts = parts };

	for (size_t i = 0; i < shown->locations.n && !tables->failed; i++)
		timeline_look(tables, &looks, shown->locations.at[i]);
	timeline_rows_flush(tables, &looks);
	if (!tables->failed)
		timeline_path_write(tables, &looks);
	for (size_t i = 0; i < looks.at.n; i++)
		free(looks.at.at[i].pieces.at);
	free(looks.at.at);
	free(looks.rows.at);
}

/* The first window is that of the typical step; of many locations the others are coarser. */
void timeline_step_write(struct tables *tables, const struct timeline_known *known)
{
	struct full_step windows[WINDOWS_MOST];
	size_t n = timeline_choose(tables, known, windows);
	struct shown shown = { 0 };
	int64_t parts = PARTS_MOST;

	if (n && locations_choose(&tables->model, &shown) < 0)
		tables->failed = true;
	for (size_t i = 0; i < n && !tables->failed; i++) {
		window_look(tables, known, &shown, &windows[i], parts);
		if (shown.locations.n)
			parts = PARTS_OF_OTHERS / (int64_t)shown.locations.n;
		parts = parts > PARTS_MOST ? PARTS_MOST : parts < PARTS_LEAST ? PARTS_LEAST : parts;
	}
	free(shown.locations.at);
}
