/*
 * step_launch.c - steps of a training with launches as the only host events; see step_find.h. A
 * launch is known by its activities on the devices, so these are read first: the names of its
 * kernels and copies, without their order, as streams are read one by one. Then the thread that
 * launches most is read: the main thread, unless a runtime launches from a separate thread, as JAX
 * may do.
 */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"
#include "engine/read/step_find.h"

enum { MOST_LAUNCHES = 1 << 19, MOST_READ = 1 << 20 };

/*
 * Lowest bit of a launch's symbol, which is the sum of the hashes of its activities: whether it has
 * several.
 */
enum { SEVERAL = 1 };

struct launch_scan {
	const struct model *model;
	struct idmap work; /* by idmap_key(correlation) */
	uint64_t nlaunches;
	struct launched *launched; /* of the thread that is read */
	int64_t entered;	   /* the outermost launch's begin, and end of the one before */
	int64_t ended;
	uint32_t symbol;
	unsigned depth, launching; /* calls; of those the outermost launch, 0: in none */
	uint32_t nbreaks;	   /* stretches that were not recorded: equal to nothing */
	bool failed;
};

/* One activity of a device. */
static bool activity_take(void *user, const struct event *event)
{
	struct launch_scan *scan = user;
	uint64_t correlation;
	uint32_t before, sum;

	if (event->kind != EVENT_ENTER ||
		!event_number(event, scan->model->attributes[ATTRIBUTE_CORRELATION], &correlation))
		return true;
	before = idmap_find(&scan->work, idmap_key(correlation));
	sum = (uint32_t)hash_mix(event->ref, 0) & ~SEVERAL;
	if (before != IDMAP_NONE)
		sum = (sum + before) | SEVERAL;
	else
		scan->nlaunches++;
	scan->failed |= idmap_set(&scan->work, idmap_key(correlation), sum & INT32_MAX) < 0;
	return !scan->failed && scan->nlaunches < MOST_LAUNCHES;
}

static void call_enter(struct launch_scan *scan, const struct event *event)
{
	uint64_t correlation;
	uint32_t work;

	scan->depth++;
	if (!event_number(event, scan->model->attributes[ATTRIBUTE_CORRELATION], &correlation))
		return;
	work = idmap_find(&scan->work, idmap_key(correlation));
	if (work == IDMAP_NONE)
		return;
	if (!scan->launching) {
		scan->launching = scan->depth;
		scan->entered = event->t;
		scan->symbol = 0;
	}
	scan->symbol += work & ~SEVERAL;
	scan->launched->several |= work & SEVERAL;
}

static void sequence_launch(struct launch_scan *scan, uint32_t symbol, int64_t gap, int64_t t)
{
	struct launched *launched = scan->launched;
	int64_t *end = ARRAY_ADD(&launched->ends);

	if (end)
		*end = t;
	scan->failed |= !end ||
		sequence_add(&launched->sequence, symbol, (float)gap, (float)(t - scan->ended)) < 0;
	scan->ended = t;
}

static void call_leave(struct launch_scan *scan, int64_t t)
{
	if (scan->launching && scan->depth == scan->launching) {
		scan->launching = 0;
		sequence_launch(scan, scan->symbol | SYMBOL_LAUNCH, scan->entered - scan->ended, t);
	}
	scan->depth -= scan->depth > 0;
}

static bool thread_take(void *user, const struct event *event)
{
	struct launch_scan *scan = user;

	if (event->kind == EVENT_ENTER)
		call_enter(scan, event);
	else if (event->kind == EVENT_LEAVE)
		call_leave(scan, event->t);
	else if (event->kind == EVENT_MEASUREMENT && scan->launched->ends.n)
		sequence_launch(scan, hash_mix(++scan->nbreaks, 1) & ~SYMBOL_LAUNCH, 0, event->t);
	return !scan->failed && scan->launched->ends.n < MOST_LAUNCHES;
}

static void location_read(struct launch_scan *scan, const struct engine *engine, uint32_t location,
	event_taker *take)
{
	struct cursor cursor;

	cursor_open(&cursor, engine->tables.model.archive,
		engine->tables.model.locations.at[location].in, take, scan);
	while (!cursor.ended && !scan->failed &&
		(scan->launched ? scan->launched->ends.n : scan->nlaunches) < MOST_LAUNCHES)
		cursor_run(&cursor, MOST_READ);
	cursor_close(&cursor);
}

void launched_free(struct launched *launched)
{
	sequence_free(&launched->sequence);
	free(launched->ends.at);
	*launched = (struct launched){ 0 };
}

/* The launches of a thread, if they outnumber the ones in *most. */
static void thread_read(struct launch_scan *scan, const struct engine *engine, uint32_t location,
	struct launched *most)
{
	struct launched own = { 0 };

	scan->launched = &own;
	scan->ended = 0;
	scan->depth = scan->launching = 0;
	location_read(scan, engine, location, thread_take);
	if (own.ends.n > most->ends.n) {
		launched_free(most);
		*most = own;
	} else {
		launched_free(&own);
	}
	scan->launched = NULL;
}

int launches_scan(struct engine *engine, uint32_t process, struct launched *launched)
{
	const struct model *model = &engine->tables.model;
	struct launch_scan scan = { .model = model };
	uint32_t main = model->processes.at[process].main;

	*launched = (struct launched){ 0 };
	for (uint32_t i = 0; i < model->locations.n && !scan.failed; i++)
		if (model->locations.at[i].process == process &&
			model->locations.at[i].device != MODEL_NONE)
			location_read(&scan, engine, i, activity_take);
	if (scan.nlaunches >= STEP_LEAST_PERIODS && !scan.failed)
		thread_read(&scan, engine, main, launched);
	for (uint32_t i = 0; i < model->locations.n && !scan.failed; i++)
		if (scan.nlaunches >= STEP_LEAST_PERIODS && 2 * launched->ends.n < scan.nlaunches &&
			model->locations.at[i].process == process && i != main &&
			model->locations.at[i].device == MODEL_NONE)
			thread_read(&scan, engine, i, launched);
	idmap_free(&scan.work);
	return scan.failed ? -1 : 0;
}
