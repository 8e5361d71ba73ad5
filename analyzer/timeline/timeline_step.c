/*
 * timeline_step.c - the picture of one step: whose locations are looked at in it; see timeline.h.
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

static void locations_look(struct tables *tables, struct looks *looks)
{
	const struct model *model = &tables->model;
	size_t helpers = HELPERS_OF_ALL / (model->nranks < RANKS_MOST ? model->nranks : RANKS_MOST);
	uint32_t *used = calloc(model->nranks + 1, sizeof(*used));

	for (size_t i = 0; used && i < model->locations.n && !tables->failed; i++) {
		const struct location *at = &model->locations.at[i];
		int64_t rank = at->process == MODEL_NONE ? -1 : rank_of(model, at->process);
		bool is_main = at->is_main && rank >= 0 &&
			model->processes.at[at->process].rank >= 0;

		if (at->in->type == OTF2_LOCATION_TYPE_METRIC || !is_shown(model, rank) ||
			rank >= model->nranks)
			continue;
		if (is_main || at->device != MODEL_NONE || used[rank]++ < helpers)
			timeline_look(tables, looks, i);
	}
	tables->failed |= !used;
	free(used);
}

void timeline_step_write(struct tables *tables, const struct timeline_known *known)
{
	struct looks looks = { .known = known };

	if (!timeline_choose(tables, &looks))
		return;
	locations_look(tables, &looks);
	timeline_rows_flush(tables, &looks);
	if (!tables->failed)
		timeline_path_write(tables, &looks);
	for (size_t i = 0; i < looks.at.n; i++)
		free(looks.at.at[i].pieces.at);
	free(looks.at.at);
	free(looks.rows.at);
}
