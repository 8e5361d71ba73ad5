/*
 * step_scan.c - what of a main thread's events steps are found by; see step_find.h. It is read once for
 * these events alone.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/read/step_find.h"

enum { MOST_SYMBOLS = 1 << 24, MOST_READ = 1 << 20 };

#define LITTLE 0.25 /* share of the time */

struct step_scan {
	const struct model *model;
	struct sequence all, steps; /* collectives and backward passes; steps of optimizers */
	/* latest call's or pass's begin; end of the latest of `all`; of the latest step */
	int64_t entered, ended, stepped;
	int64_t first, last; /* event */
	size_t backward;     /* passes */
	unsigned within;     /* collectives since a pass began */
	bool passed;	     /* there was a backward pass since the latest step */
	bool failed;
};

bool step_is_collective(const struct event *event)
{
	return (event->kind == EVENT_COLLECTIVE_END || event->kind == EVENT_COLLECTIVE_COMPLETE) &&
		collective_op(event->tag);
}

enum training step_training(const struct model *model, const struct event *event)
{
	uint32_t region = model_region(model, event->ref);

	return region == MODEL_NONE ? TRAINING_NONE : model->regions.at[region].training;
}

static void symbol_add(struct step_scan *scan, struct sequence *sequence, uint32_t symbol,
	float gap, float turn)
{
	scan->failed = scan->failed || sequence_add(sequence, symbol, gap, turn) < 0;
}

static void all_add(struct step_scan *scan, uint32_t symbol, int64_t t)
{
	symbol_add(scan, &scan->all, symbol,
		scan->entered > scan->ended ? scan->entered - scan->ended : 0, t - scan->ended);
	scan->ended = t;
}

static void enter_take(struct step_scan *scan, const struct event *event)
{
	uint32_t region = model_region(scan->model, event->ref);

	if (region == MODEL_NONE)
		return;
	if (scan->model->regions.at[region].training == TRAINING_BACKWARD)
		scan->within = 0;
	else if (!kind_communicates(scan->model->regions.at[region].kind))
		return;
	scan->entered = event->t;
}

static void leave_take(struct step_scan *scan, const struct event *event)
{
	switch (step_training(scan->model, event)) {
	case TRAINING_BACKWARD:
		all_add(scan, scan->within ? SYMBOL_REDUCED : SYMBOL_BACKWARD, event->t);
		scan->backward++;
		scan->passed = true;
		break;
	case TRAINING_OPTIMIZER:
		if (scan->passed)
			symbol_add(scan, &scan->steps, SYMBOL_OPTIMIZER, event->t - scan->stepped,
				event->t - scan->stepped);
		scan->stepped = scan->passed ? event->t : scan->stepped;
		scan->passed = false;
		break;
	default: break;
	}
}

static bool scan_take(void *user, const struct event *event)
{
	struct step_scan *scan = user;

	scan->first = scan->last ? scan->first : event->t;
	scan->last = event->t;
	if (event->kind == EVENT_ENTER) {
		enter_take(scan, event);
	} else if (event->kind == EVENT_LEAVE) {
		leave_take(scan, event);
	} else if (step_is_collective(event)) {
		scan->within++;
		all_add(scan,
			(uint32_t)hash_mix(hash_mix(event->ref, event->tag),
				hash_mix(event->bytes, event->received)),
			event->t);
	}
	return !scan->failed && scan->all.symbols.n < MOST_SYMBOLS &&
		scan->steps.symbols.n < MOST_SYMBOLS;
}

bool symbol_is_backward(uint32_t symbol)
{
	return symbol == SYMBOL_BACKWARD || symbol == SYMBOL_REDUCED;
}

static bool period_passes(const struct period *period, const struct sequence *sequence)
{
	for (uint32_t i = 0; period->runs.n && i < period->length; i++)
		if (symbol_is_backward(sequence->symbols.at[period->runs.at[0].first + i]))
			return true;
	return false;
}

/* Leaves the backward passes alone, all alike. */
static void passes_keep(struct sequence *all)
{
	size_t n = 0;
	float turn = 0;

	for (size_t i = 0; i < all->symbols.n; i++) {
		turn += all->turns.at[i];
		if (!symbol_is_backward(all->symbols.at[i]))
			continue;
		all->symbols.at[n] = SYMBOL_BACKWARD;
		all->gaps.at[n] = all->turns.at[n] = turn;
		n++;
		turn = 0;
	}
	all->symbols.n = all->gaps.n = all->turns.n = n;
}

/* The first of the three that has a period. A training's steps have backward passes. */
static int period_choose(struct step_scan *scan, struct found_period *found)
{
	if (scan->steps.symbols.n >= STEP_LEAST_PERIODS) {
		found->by = FOUND_BY_OPTIMIZER;
		found->sequence = scan->steps;
		scan->steps = (struct sequence){ 0 };
		return period_find(&found->sequence, &found->period);
	}
	found->by = FOUND_BY_COLLECTIVES;
	found->sequence = scan->all;
	scan->all = (struct sequence){ 0 };
	if (period_find(&found->sequence, &found->period) < 0)
		return -1;
	if (scan->backward < STEP_LEAST_PERIODS ||
		(found->period.length && period_passes(&found->period, &found->sequence)))
		return 0;
	found->by = FOUND_BY_BACKWARD;
	passes_keep(&found->sequence);
	return period_find(&found->sequence, &found->period);
}

/* What steps take that a period finds, ns. */
static double period_time(const struct found_period *found)
{
	double time = 0;

	for (size_t r = 0; found->period.length && r < found->period.runs.n; r++)
		for (size_t i = found->period.runs.at[r].first; i < found->period.runs.at[r].end;
			i++)
			time += i ? found->sequence.turns.at[i] : 0;
	return time;
}

void found_period_free(struct found_period *found)
{
	sequence_free(&found->sequence);
	free(found->period.runs.at);
	free(found->ends.at);
	*found = (struct found_period){ 0 };
}

/*
 * If the found steps take little of the thread's time: the period of launches, if it takes much
 * more. A period of a single kernel may be any loop; a single graph is a training's step.
 */
static int launches_choose(struct engine *engine, uint32_t process, const struct step_scan *scan,
	struct found_period *found)
{
	struct found_period by = { .by = FOUND_BY_LAUNCHES };
	struct launched launched;
	int ret;

	if (period_time(found) > LITTLE * (scan->last - scan->first))
		return 0;
	ret = launches_scan(engine, process, &launched);
	by.sequence = launched.sequence;
	launched.sequence = (struct sequence){ 0 };
	by.ends.at = launched.ends.at;
	by.ends.n = launched.ends.n;
	launched.ends.at = NULL;
	if (ret == 0)
		ret = period_find(&by.sequence, &by.period);
	if (ret == 0 && by.period.length && (by.period.length > 1 || launched.several) &&
		LITTLE * period_time(&by) > period_time(found)) {
		struct found_period other = *found;

		*found = by;
		found->passes = other.passes;
		by = other;
	}
	found_period_free(&by);
	return ret;
}

int step_scan(struct engine *engine, uint32_t process, struct found_period *found)
{
	const struct model *model = &engine->tables.model;
	const struct location *main = &model->locations.at[model->processes.at[process].main];
	struct step_scan scan = { .model = model };
	struct cursor cursor;
	int ret;

	cursor_open(&cursor, &engine->tables.archive, main->in, scan_take, &scan);
	while (!cursor.ended && !scan.failed && scan.all.symbols.n < MOST_SYMBOLS &&
		scan.steps.symbols.n < MOST_SYMBOLS)
		cursor_run(&cursor, MOST_READ);
	cursor_close(&cursor);
	found->passes = scan.backward || scan.steps.symbols.n;
	ret = scan.failed ? -1 : period_choose(&scan, found);
	if (ret == 0)
		ret = launches_choose(engine, process, &scan, found);
	sequence_free(&scan.all);
	sequence_free(&scan.steps);
	return ret;
}
