/* timeline_step.c - the pictures of some steps: chooses their locations; see timeline.h. */
#include "config.h"

#include <stdlib.h>

#include "db/query.h"
#include "tables/tables.h"
#include "timeline/timeline.h"
#include "timeline/timeline_step.h"

enum {
	RANKS_MOST = 128, /* shown; if there are more, the notable ones first, then some evenly
			   * spread */
	/* threads that are no main thread, and children, of all ranks together */
	HELPERS_OF_ALL = 192,
	/* a location's intervals shorter than this part of the window are joined */
	PARTS_MOST = 1500,
	PARTS_LEAST = 200,
	/* steps are added to the chosen ones up to this many rows, and events to read */
	ROWS_OF_MORE = 20000,
	EVENTS_OF_MORE = 400000,
	NEAR = 1 << 14,
	EARLIER = 1 << 10,
	EARLIER_OF_MORE = 1 << 7,
	PARTS_OF_OTHERS = 48000, /* of all locations together, of steps but the typical one */
};

struct shown {
	bool *ranks;
	ARRAY_OF(uint32_t) locations;
};

/* Half of the places are for notable ranks. */
static size_t notable_choose(struct tables *tables, bool *ranks)
{
	sqlite3_stmt *select = query_prepare(tables->db.handle,
		"select rank from rank_notable where run_id = ?1 order by place limit ?2", 1,
		&tables->failed);
	int64_t nranks = tables->model.nranks;
	size_t n = 0;

	sqlite3_bind_int64(select, 2, RANKS_MOST / 2);
	while (query_row_next(select, &tables->failed)) {
		int64_t rank = sqlite3_column_int64(select, 0);

		if (rank >= 0 && rank < nranks && !ranks[rank]) {
			ranks[rank] = true;
			n++;
		}
	}
	sqlite3_finalize(select);
	return n;
}

static void ranks_choose(struct tables *tables, bool *ranks)
{
	int64_t nranks = tables->model.nranks, nth = 0, others, room;
	size_t n = nranks > RANKS_MOST ? notable_choose(tables, ranks) : 0;

	others = nranks - (int64_t)n;
	room = nranks > RANKS_MOST ? RANKS_MOST - (int64_t)n : nranks;
	for (int64_t rank = 0; rank < nranks; rank++)
		if (!ranks[rank]) {
			ranks[rank] = nth == 0 || nth * room / others != (nth - 1) * room / others;
			nth++;
		}
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

static bool is_looked_at(const struct model *model, size_t location, const bool *shown,
	size_t helpers, uint32_t *used)
{
	const struct location *at = &model->locations.at[location];
	int64_t rank = at->process == MODEL_NONE ? -1 : rank_of(model, at->process);
	bool is_main = at->is_main && rank >= 0 && model->processes.at[at->process].rank >= 0;

	if (at->in->type == OTF2_LOCATION_TYPE_METRIC || rank < 0 || rank >= model->nranks ||
		!shown[rank])
		return false;
	return is_main || at->device != MODEL_NONE || used[rank]++ < helpers;
}

/* Chooses the locations to read, by number. 0, or -1 without memory. */
static int locations_choose(struct tables *tables, struct shown *shown)
{
	const struct model *model = &tables->model;
	size_t helpers = HELPERS_OF_ALL / (model->nranks < RANKS_MOST ? model->nranks : RANKS_MOST);
	uint32_t *used = calloc(model->nranks + 1, sizeof(*used)), *add;
	int ret;

	shown->ranks = calloc(model->nranks + 1, sizeof(*shown->ranks));
	ret = used && shown->ranks ? 0 : -1;
	if (ret == 0)
		ranks_choose(tables, shown->ranks);
	for (size_t i = 0; ret == 0 && i < model->locations.n; i++)
		if (is_looked_at(model, i, shown->ranks, helpers, used)) {
			add = ARRAY_ADD(&shown->locations);
			if (add)
				*add = (uint32_t)i;
			else
				ret = -1;
		}
	free(used);
	return ret;
}

/* What was done for steps beyond those chosen; NULL: it is one of these. */
struct beyond_work {
	size_t nrows, nevents;
};

static void window_look(struct tables *tables, const struct timeline_known *known,
	const struct shown *shown, const struct full_step *window, int64_t parts,
	struct beyond_work *work)
{
	struct looks looks = { .known = known,
		.from = window->from,
		.to = window->to,
		.step = window->step,
		.parts = parts,
		.near = work ? EARLIER_OF_MORE : NEAR,
		.earlier = work ? EARLIER_OF_MORE : EARLIER };

	for (size_t i = 0; i < shown->locations.n && !tables->failed; i++)
		timeline_look(tables, &looks, shown->locations.at[i]);
	timeline_rows_flush(tables, &looks);
	if (!tables->failed)
		timeline_path_write(tables, &looks);
	if (work) {
		work->nrows += looks.nrows;
		work->nevents += looks.nevents;
	}
	for (size_t i = 0; i < looks.at.n; i++)
		free(looks.at.at[i].pieces.at);
	free(looks.at.at);
	free(looks.rows.at);
}

static const char phase_sql[] =
	"update timeline_window set phase = (select h.name from step s join phase h on h.id = s.phase_id"
	" where s.run_id = :run and s.process_id = (select min(process_id) from step where run_id = :run)"
	" and s.n = timeline_window.step) where run_id = :run and why = ''";

/* All other steps, while there is room for them. */
static void others_look(struct tables *tables, const struct timeline_known *known,
	const struct shown *shown, const struct other_steps *others, int64_t parts)
{
	struct beyond_work work = { 0 };

	for (size_t i = 0; i < others->at.n && !tables->failed; i++) {
		struct full_step window = { .step = others->at.at[i] };

		if (work.nrows > ROWS_OF_MORE || work.nevents > EVENTS_OF_MORE)
			break;
		if (!timeline_extent(tables, &window))
			continue;
		timeline_window_put(tables, &window);
		window_look(tables, known, shown, &window, parts, &work);
	}
	if (!tables->failed && query_script(tables->db.handle, phase_sql, 1) != SQLITE_OK)
		tables->failed = true;
}

/* The first window is the typical step; with many locations the others are coarser. */
void timeline_step_write(struct tables *tables, const struct timeline_known *known)
{
	struct full_step windows[WINDOWS_MOST];
	struct other_steps others = { 0 };
	size_t n = timeline_choose(tables, known, windows, &others);
	struct shown shown = { 0 };
	int64_t parts = PARTS_MOST;

	if (n && locations_choose(tables, &shown) < 0)
		tables->failed = true;
	for (size_t i = 0; i < n && !tables->failed; i++) {
		window_look(tables, known, &shown, &windows[i], parts, NULL);
		if (shown.locations.n)
			parts = PARTS_OF_OTHERS / (int64_t)shown.locations.n;
		parts = parts > PARTS_MOST ? PARTS_MOST : parts < PARTS_LEAST ? PARTS_LEAST : parts;
	}
	others_look(tables, known, &shown, &others, parts);
	free(others.at.at);
	free(shown.locations.at);
	free(shown.ranks);
}
