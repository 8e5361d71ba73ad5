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
	int64_t begun, last; /* the latest step's begin and end */
	uint64_t number;     /* of the latest step */
	bool is_partly;	     /* some steps are not in detail */
	bool failed;
};

static void border_add(struct marks *marks, int64_t t)
{
	int64_t *border = ARRAY_ADD(&marks->plan->borders);

	marks->failed |= !border;
	if (border)
		*border = t;
}

/* Whether a step does not continue the ones before: by its number, or after other work. */
static bool is_apart(const struct marks *marks, uint64_t number, int64_t t)
{
	return number != marks->number + 1 || t - marks->last > (marks->last - marks->begun) / 2;
}

static void step_mark_add(struct marks *marks, uint64_t number, int64_t t)
{
	struct step_plan *plan = marks->plan;

	if (!plan->runs.n || is_apart(marks, number, t)) {
		struct step_run *run;

		if (plan->runs.n)
			border_add(marks, marks->last);
		run = ARRAY_ADD(&plan->runs);
		marks->failed |= !run;
		if (run)
			*run = (struct step_run){ plan->borders.n + 1, 0, 1, number + 1 };
	}
	border_add(marks, t);
	if (!marks->failed)
		plan->runs.at[plan->runs.n - 1].n++;
	marks->number = number;
	marks->begun = marks->last = t;
}

static bool marks_take(void *user, const struct event *event)
{
	struct marks *marks = user;
	uint32_t region = event->kind == EVENT_ENTER || event->kind == EVENT_LEAVE
		? model_region(marks->model, event->ref)
		: MODEL_NONE;
	uint64_t n, next = marks->plan->runs.n ? marks->number + 1 : 0;

	if (region == MODEL_NONE || marks->model->regions.at[region].mark != MARK_STEP)
		return true;
	if (event->kind == EVENT_LEAVE) {
		marks->last = event->t;
		return true;
	}
	marks->is_partly |= event_number(event, marks->model->attributes[ATTRIBUTE_CALLS], &n);
	if (!event_number(event, marks->model->attributes[ATTRIBUTE_STEP], &n) || n < next)
		n = next; /* as window.c numbers them */
	step_mark_add(marks, n, event->t);
	return !marks->failed && !marks->is_partly;
}

int step_marks_plan(struct engine *engine, uint32_t peer, struct step_plan *plan)
{
	const struct model *model = &engine->tables.model;
	struct marks marks = { .model = model, .plan = plan };
	struct cursor cursor;

	cursor_open(&cursor, &engine->tables.archive,
		model->locations.at[model->processes.at[peer].main].in, marks_take, &marks);
	while (!cursor.ended && !marks.failed && !marks.is_partly)
		cursor_run(&cursor, MOST_READ);
	cursor_close(&cursor);
	if (!marks.failed && !marks.is_partly && plan->runs.n)
		border_add(&marks, marks.last);
	if (marks.failed || marks.is_partly || !plan->runs.n) {
		plan->runs.n = plan->borders.n = 0;
		return marks.failed ? -1 : 0;
	}
	plan->by = FOUND_BY_LAUNCHES;
	plan->next = 1;
	plan->is_peers = true;
	return 0;
}
