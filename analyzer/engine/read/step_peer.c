/* step_peer.c - steps of another rank as times, for ranks that have none; see step_find.h. */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"
#include "engine/read/step_find.h"

enum { MOST_READ = 1 << 20 };

int found_ends_fill(struct found_period *found)
{
	double t = 0;

	for (size_t i = 0; found->by != FOUND_BY_LAUNCHES && i < found->sequence.turns.n; i++) {
		int64_t *end = ARRAY_ADD(&found->ends);

		if (!end)
			return -1;
		t += found->sequence.turns.at[i];
		*end = (int64_t)t;
	}
	found->by = FOUND_BY_LAUNCHES;
	return 0;
}

/* Steps of a main thread, as it marks them. */
struct marks {
	const struct model *model;
	struct step_plan *plan;
	int64_t last;	/* the latest step's end */
	bool is_partly; /* some steps are not in detail */
	bool failed;
};

static bool marks_take(void *user, const struct event *event)
{
	struct marks *marks = user;
	uint32_t region = event->kind == EVENT_ENTER || event->kind == EVENT_LEAVE
		? model_region(marks->model, event->ref)
		: MODEL_NONE;
	uint64_t n;
	int64_t *border;

	if (region == MODEL_NONE || marks->model->regions.at[region].mark != MARK_STEP)
		return true;
	marks->last = event->t;
	if (event->kind == EVENT_LEAVE)
		return true;
	marks->is_partly |= event_number(event, marks->model->attributes[ATTRIBUTE_CALLS], &n);
	if (!marks->plan->borders.n &&
		event_number(event, marks->model->attributes[ATTRIBUTE_STEP], &n))
		marks->plan->steps = n;
	border = ARRAY_ADD(&marks->plan->borders);
	marks->failed |= !border;
	if (border)
		*border = event->t;
	return !marks->failed && !marks->is_partly;
}

int step_marks_plan(struct engine *engine, uint32_t peer, struct step_plan *plan)
{
	const struct model *model = &engine->tables.model;
	struct marks marks = { .model = model, .plan = plan };
	struct step_run *run;
	struct cursor cursor;
	int64_t *end;

	cursor_open(&cursor, &engine->tables.archive,
		model->locations.at[model->processes.at[peer].main].in, marks_take, &marks);
	while (!cursor.ended && !marks.failed && !marks.is_partly)
		cursor_run(&cursor, MOST_READ);
	cursor_close(&cursor);
	if (marks.failed || marks.is_partly || !plan->borders.n)
		return marks.failed ? -1 : 0;
	run = ARRAY_ADD(&plan->runs);
	end = ARRAY_ADD(&plan->borders);
	if (!run || !end)
		return -1;
	*end = marks.last;
	*run = (struct step_run){ 1, plan->borders.n - 1, 1 };
	plan->by = FOUND_BY_LAUNCHES;
	plan->next = 1;
	plan->is_peers = true;
	return 0;
}
