/* window.c - see window.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "base/log.h"
#include "tables/phase.def"
#include "engine/window/step_rest.h"

enum { PAST_PHASES = 64 };

static struct window_rank *ranks_new(const struct engine *engine)
{
	struct window_rank *ranks = calloc(engine->tables.model.processes.n + 1, sizeof(*ranks));

	if (!ranks)
		log_error("out of memory for the windows of %zu processes",
			engine->tables.model.processes.n);
	return ranks;
}

uint32_t window_phase_find(struct engine *engine, const char *name)
{
	struct windows *windows = &engine->windows;
	uint64_t key = idmap_key(text_hash(name));
	struct phase_window *phase;
	uint32_t i;

	for (; (i = idmap_find(&windows->phase_numbers, key)) != IDMAP_NONE;
		key = idmap_key(key + 1))
		if (strcmp(windows->phases.at[i].name, name) == 0)
			return i;
	phase = ARRAY_ADD(&windows->phases);
	if (!phase || !(phase->ranks = ranks_new(engine)) || !(phase->name = strdup(name)) ||
		idmap_set(&windows->phase_numbers, key, (uint32_t)(windows->phases.n - 1)) < 0)
		return MODEL_NONE;
	return windows->phases.n - 1;
}

/* Record of step n, in its own place until all ranks have had it. */
static uint32_t step_find(struct engine *engine, int64_t n)
{
	struct windows *windows = &engine->windows;
	uint32_t number = idmap_find(&windows->step_numbers, (uint64_t)n);
	struct step_window *step, **at;

	if (number != IDMAP_NONE)
		return number;
	if (!windows->nsteps && (!windows->steps.n || n < windows->first_step))
		windows->first_step = n;
	for (number = 0; number < windows->steps.n && windows->steps.at[number]; number++)
		;
	at = number < windows->steps.n ? &windows->steps.at[number] : ARRAY_ADD(&windows->steps);
	step = windows->spare ? windows->spare : calloc(1, sizeof(*step));
	windows->spare = NULL;
	if (!at || !step || (!step->ranks && !(step->ranks = ranks_new(engine)))) {
		free(step);
		return MODEL_NONE;
	}
	*at = step;
	step->n = n;
	return idmap_set(&windows->step_numbers, (uint64_t)n, number) < 0 ? MODEL_NONE : number;
}

static int64_t step_number(struct track *track, const struct event *event)
{
	uint64_t recorded;
	int64_t n = track->last_step + 1;

	if (event_number(event, track->engine->tables.model.attributes[ATTRIBUTE_STEP],
		    &recorded) &&
		recorded < INT64_MAX && (int64_t)recorded >= n)
		n = (int64_t)recorded;
	track->last_step = n;
	return n;
}

/* Where devices add up their time in the window. */
static struct device_window *device_of(struct engine *engine, const struct open_window *window)
{
	struct device_window **device = window->mark == MARK_PHASE
		? &engine->windows.phases.at[window->number].device
		: &engine->windows.steps.at[window->number]->device;

	if (!*device)
		*device = device_window_new(engine);
	return *device;
}

/* The window's number is known. */
void window_open(struct track *track, struct open_window *window, int64_t t)
{
	replay_moment(track, t, &window->start);
	window->waited = track->replay.waited;
	window->waited_io = track->replay.waited_io;
	window->waited_readers = track->replay.waited_readers;
	window->waited_sockets = track->replay.waited_sockets;
	window->in_sockets = track->replay.in_sockets;
	window->slept = track_slept(track, t);
	track_parts(track, t, window->parts);
	window->device = window->number == MODEL_NONE ? NULL : device_of(track->engine, window);
	device_window_cut(track, window->device, t, true);
	track_spent(track, t, window->before);
	memcpy(window->summed, track->summed, sizeof(window->summed));
	memcpy(window->stepped, track->stepped, sizeof(window->stepped));
}

/* The same in whatever order ranks are read. */
static int64_t phase_id(struct track *track)
{
	return (int64_t)track->nphases++ * (int64_t)track->engine->tables.model.processes.n +
		track->process + 1;
}

/* The innermost open phase, with those around it but its own name's. */
static struct phase_nest *nest_find(struct track *track)
{
	struct windows *windows = &track->engine->windows;
	const struct open_window *window = &track->windows.at[track->windows.n - 1];
	struct phase_nest *outer = NULL, *nest, **at;
	uint64_t key;
	uint32_t number;

	for (size_t i = track->windows.n - 1; i > 0 && !outer; i--)
		outer = track->windows.at[i - 1].nest;
	for (nest = outer; nest; nest = nest->outer)
		if (nest->window == window->device)
			return outer;
	key = idmap_key(hash_mix((uintptr_t)window->device, (uintptr_t)outer));
	for (; (number = idmap_find(&windows->nest_numbers, key)) != IDMAP_NONE;
		key = idmap_key(key + 1)) {
		nest = windows->nests.at[number];
		if (nest->window == window->device && nest->outer == outer)
			return nest;
	}
	nest = malloc(sizeof(*nest));
	at = nest ? ARRAY_ADD(&windows->nests) : NULL;
	if (!at) {
		free(nest);
		track->engine->tables.failed = true;
		return NULL;
	}
	*nest = (struct phase_nest){ window->device, outer };
	*at = nest;
	number = (uint32_t)(windows->nests.n - 1);
	track->engine->tables.failed |= idmap_set(&windows->nest_numbers, key, number) < 0;
	return nest;
}

static int64_t phase_around(const struct track *track, int64_t t)
{
	for (size_t i = track->windows.n; i > 0; i--)
		if (track->windows.at[i - 1].mark == MARK_PHASE &&
			track->windows.at[i - 1].start.t <= t)
			return track->windows.at[i - 1].id;
	return 0;
}

void window_enter(struct track *track, const struct region *region, const struct event *event)
{
	struct open_window *window = ARRAY_ADD(&track->windows);

	if (!window) {
		track->engine->tables.failed = true;
		return;
	}
	*window = (struct open_window){ .mark = region->mark, .number = MODEL_NONE };
	if (region->mark == MARK_STEP &&
		step_rest_read(track->engine, track->process, phase_around(track, event->t), event))
		return;
	window->number = region->mark == MARK_PHASE
		? window_phase_find(track->engine, region->name)
		: step_find(track->engine, step_number(track, event));
	if (window->number == MODEL_NONE)
		track->engine->tables.failed = true;
	else if (region->mark == MARK_PHASE) {
		struct window_rank *rank = &track->engine->windows.phases.at[window->number]
						    .ranks[track->process];

		window->instance = rank->instances++;
		if (phase_has_row(track->engine, window->instance))
			rank->phase = phase_id(track);
		window->id = rank->phase;
	}
	window_open(track, window, event->t);
	if (region->mark == MARK_PHASE && window->device)
		window->nest = nest_find(track);
}

void window_found_enter(struct track *track, int64_t t, int64_t n)
{
	track->found = (struct open_window){ .mark = MARK_STEP,
		.number = step_find(track->engine, n) };
	track->in_found = track->found.number != MODEL_NONE;
	track->engine->tables.failed |= !track->in_found;
	window_open(track, &track->found, t);
}

struct step_window *window_step(const struct track *track)
{
	const struct windows *windows = &track->engine->windows;

	for (size_t i = track->windows.n + track->in_found; i > 0; i--) {
		const struct open_window *window = i > track->windows.n ? &track->found
									: &track->windows.at[i - 1];

		if (window->mark == MARK_STEP && window->number != MODEL_NONE &&
			windows->steps.at[window->number])
			return windows->steps.at[window->number];
	}
	return NULL;
}

void window_waited(struct track *track, uint32_t by, int64_t ns)
{
	struct step_window *step = by == MODEL_NONE ? NULL : window_step(track);

	if (step)
		step->ranks[by].caused += ns;
}

static const struct open_window *phase_open(const struct track *track, int64_t t)
{
	for (size_t i = track->windows.n; i > 0; i--) {
		const struct open_window *window = &track->windows.at[i - 1];

		if (window->mark == MARK_PHASE && window->number != MODEL_NONE &&
			window->start.t <= t)
			return window;
	}
	return NULL;
}

struct phase_nest *window_phase_open(const struct track *track)
{
	const struct open_window *window = phase_open(track, INT64_MAX);

	return window ? window->nest : NULL;
}

struct phase_nest *window_phase_at(const struct track *track, int64_t t)
{
	uint32_t main = track->engine->tables.model.processes.at[track->process].main;
	const struct track *of = main == MODEL_NONE ? NULL : &track->engine->tracks[main];
	const struct open_window *open = of ? phase_open(of, t) : NULL;
	struct phase_nest *found = open ? open->nest : NULL;
	int64_t since = open ? open->start.t : INT64_MIN;

	for (size_t i = 0; of && i < of->past.n; i++) {
		const struct past_phase *past = &of->past.at[i];

		if (past->start <= t && t < past->end && past->start >= since) {
			since = past->start;
			found = past->nest;
		}
	}
	return found;
}

/* What other threads launched in it may be read later; but not so many phases later. */
static void past_add(struct track *track, const struct open_window *window, int64_t end)
{
	struct past_phase *past;

	if (!window->nest)
		return;
	if (track->past.n == PAST_PHASES) {
		track->past.n /= 2;
		memmove(track->past.at, track->past.at + track->past.n,
			track->past.n * sizeof(*track->past.at));
	}
	past = ARRAY_ADD(&track->past);
	if (past)
		*past = (struct past_phase){ window->start.t, end, window->nest };
	else
		track->engine->tables.failed = true;
}

void window_rank_add(struct window_rank *rank, const struct track *track,
	const struct open_window *window, int64_t t)
{
	int64_t spent[HOST_STATE_COUNT], parts[TRAINING_COUNT];

	track_spent(track, t, spent);
	for (int i = 0; i < HOST_STATE_COUNT; i++)
		rank->spent[i] += spent[i] - window->before[i];
	for (int i = 0; i < HOST_ABSENT; i++)
		rank->summed[i] += track->summed[i] - window->summed[i];
	for (int i = 0; i < STEP_SUMS; i++)
		rank->stepped[i] += track->stepped[i] - window->stepped[i];
	track_parts(track, t, parts);
	for (int i = 0; i < TRAINING_COUNT; i++)
		rank->parts[i] += parts[i] - window->parts[i];
	rank->here += t - window->start.t;
	rank->waited += track->replay.waited - window->waited;
	rank->waited_io += track->replay.waited_io - window->waited_io;
	rank->waited_readers += track->replay.waited_readers - window->waited_readers;
	rank->waited_sockets += track->replay.waited_sockets - window->waited_sockets;
	rank->in_sockets += track->replay.in_sockets - window->in_sockets;
	rank->slept += track_slept(track, t) - window->slept;
	rank->any = true;
}

/* Devices may not have come to its end yet: theirs is written when they have. */
static void step_device_write(struct engine *engine, struct step_window *step)
{
	int64_t replayed[SCENARIO_COUNT];
	char name[32];

	snprintf(name, sizeof(name), "step:%lld", (long long)step->n);
	for (int s = 0; s < SCENARIO_COUNT; s++)
		replayed[s] = step->span.clock_last[s] - step->span.clock_first[s];
	device_window_close(engine, step->device, name, step->span.last - step->span.first,
		replayed);
	step->device = NULL;
}

static void step_release(struct engine *engine, uint32_t number)
{
	struct windows *windows = &engine->windows;
	struct step_window *step = windows->steps.at[number];

	idmap_set(&windows->step_numbers, (uint64_t)step->n, IDMAP_NONE);
	windows->steps.at[number] = NULL;
	if (windows->spare) {
		free(step->ranks);
		free(step);
		return;
	}
	memset(step->ranks, 0, engine->tables.model.processes.n * sizeof(*step->ranks));
	*step = (struct step_window){ .ranks = step->ranks };
	windows->spare = step;
}

/* The innermost phase that has been open since t. */
static void step_write(struct engine *engine, const struct step_window *step)
{
	engine->sink->step(engine, step);
	engine->tables.step_rows.confidence = steps_confidence(&engine->found);
	step_rows_add(&engine->tables,
		&(struct step_added){ step->n, step->span.last - step->span.first,
			step_stands_for(engine, step->n) },
		step->ranks);
}

void step_end(struct engine *engine, uint32_t number)
{
	struct step_window *step = engine->windows.steps.at[number];

	if (engine->peers.self) {
		engine->peers.calls->step(engine, step);
	} else {
		for (size_t p = 0; p < engine->tables.model.processes.n; p++)
			step->ranks[p].waited += step->ranks[p].held;
		window_sums_add(engine, step);
		if (step_has_rows(engine, step->n))
			step_write(engine, step);
		else
			step_rest_take(engine, step);
		engine->windows.nsteps++;
	}
	step_device_write(engine, step);
	step_release(engine, number);
}

/* Ranks that this process has steps of. */
static uint32_t ranks_here(const struct engine *engine)
{
	return engine->peers.self ? engine->peers.nranks : engine->tables.model.nranks;
}

/* When all ranks have had it, and their waits are known. The writer is reported separately. */
static void step_look(struct engine *engine, uint32_t number)
{
	const struct step_window *step = engine->windows.steps.at[number];

	if (step->nranks == ranks_here(engine) && (engine->peers.self || !step->nopen))
		step_end(engine, number);
}

void window_held(struct engine *engine, const struct held *held)
{
	uint32_t number = step_find(engine, held->step);
	struct step_window *step;

	if (number == MODEL_NONE) {
		engine->tables.failed = true;
		return;
	}
	step = engine->windows.steps.at[number];
	step->ranks[held->process].held += held->ns;
	step->ranks[held->by].caused += held->ns;
	step->nopen--;
	step_look(engine, number);
}

static void step_leave(struct track *track, const struct open_window *window,
	const struct event *event, bool truncated)
{
	struct engine *engine = track->engine;
	struct step_window *step = engine->windows.steps.at[window->number];
	struct window_rank *rank = step ? &step->ranks[track->process] : NULL;
	uint64_t samples = 0;
	struct moment end;

	if (!rank || rank->any)
		return;
	replay_moment(track, event->t, &end);
	window_rank_add(rank, track, window, event->t);
	track->stepped_last.t = event->t;
	track->stepped_last.slept = track_slept(track, event->t);
	track->stepped_last.waited = replay_waited_ranks(&track->replay);
	rank->sampled = event_number(event, engine->tables.model.attributes[ATTRIBUTE_SAMPLES],
		&samples);
	rank->start = window->start.t;
	rank->end = event->t;
	rank->samples = samples;
	rank->phase = phase_around(track, window->start.t);
	rank->truncated = truncated;
	window_span_add(&step->span, &window->start, &end);
	step->nranks++;
	step_look(engine, window->number);
}

static void phase_leave(struct track *track, const struct open_window *window,
	const struct event *event, bool truncated)
{
	struct engine *engine = track->engine;
	static const struct db_table table = DB_TABLE(phase, "insert", PHASE_COLUMNS);
	const struct process *process = &engine->tables.model.processes.at[track->process];
	struct phase_window *phase = &engine->windows.phases.at[window->number];
	struct span_of_ranks interval = { 0 };
	struct moment end;

	replay_moment(track, event->t, &end);
	while (phase->instances.n <= window->instance)
		if (!ARRAY_ADD(&phase->instances)) {
			engine->tables.failed = true;
			return;
		}
	past_add(track, window, event->t);
	window_rank_add(&phase->ranks[track->process], track, window, event->t);
	window_span_add(&phase->instances.at[window->instance], &window->start, &end);
	window_span_add(&interval, &window->start, &end);
	phase_interval_add(&engine->windows, phase, &interval);
	if (phase_has_row(engine, window->instance))
		db_put_row(&engine->tables.db, &table, DB_ROW(PHASE_COLUMNS));
	else
		phase->ranks[track->process].rest += event->t - window->start.t;
	phase->ranks[track->process].end = event->t;
}

void window_leave(struct track *track, const struct event *event, bool truncated)
{
	struct open_window window;

	if (!track->windows.n)
		return;
	window = track->windows.at[--track->windows.n];
	device_window_cut(track, window.device, event->t, false);
	if (track->engine->tables.failed || window.number == MODEL_NONE)
		return;
	if (window.mark == MARK_STEP)
		step_leave(track, &window, event, truncated);
	else
		phase_leave(track, &window, event, truncated);
}

void window_found_leave(struct track *track, int64_t t)
{
	if (track->in_found)
		device_window_cut(track, track->found.device, t, false);
	if (track->in_found && !track->engine->tables.failed)
		step_leave(track, &track->found, &(struct event){ .t = t }, false);
	track->in_found = false;
}

static void track_span_add(struct span_of_ranks *span, const struct track *track)
{
	struct moment first = { .t = track->first }, last;

	replay_moment(track, track->last, &last);
	for (int s = 0; s < SCENARIO_COUNT; s++)
		first.clock[s] = track->first;
	window_span_add(span, &first, &last);
}

/*
 * Who the length of a run depends on: ranks and threads that launch. Others serve, and live as long
 * as their process, some polling until its end: their clocks would represent it whatever is faster.
 */
static bool run_depends(const struct engine *engine, size_t location, bool all)
{
	const struct track *track = &engine->tracks[location];

	return track->any &&
		engine->tables.model.locations.at[location].in->type ==
		OTF2_LOCATION_TYPE_CPU_THREAD &&
		(all || track->is_rank || track->replay.launches);
}

/* What the run lasts beyond what its length depends on stays, whatever is faster. */
static void span_extend(const struct engine *engine, struct span_of_ranks *span)
{
	int64_t beyond = engine->own_end - engine->own_start - (span->last - span->first);

	for (int s = 0; s < SCENARIO_COUNT; s++)
		span->clock_last[s] += beyond;
}

/* The run lasts until the last of them and its last stream have ended. */
static void device_run_write(struct engine *engine)
{
	struct span_of_ranks span = { 0 };

	for (int all = 0; all < 2 && !span.n; all++)
		for (size_t i = 0; i < engine->tables.model.locations.n; i++)
			if (run_depends(engine, i, all))
				track_span_add(&span, &engine->tracks[i]);
	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct stream *stream = &engine->device.streams[i];

		if (!stream->any)
			continue;
		span.last = stream->end.t > span.last ? stream->end.t : span.last;
		for (int s = 0; s < SCENARIO_COUNT; s++)
			if (stream->end.clock[s] > span.clock_last[s])
				span.clock_last[s] = stream->end.clock[s];
	}
	span_extend(engine, &span);
	engine->sink->devices_run(engine, &span);
}

/* The run as a window: every rank from its first to its last event. */
static void run_write(struct engine *engine)
{
	struct window_rank *ranks = ranks_new(engine);
	struct span_of_ranks span = { 0 };

	for (size_t p = 0; ranks && p < engine->tables.model.processes.n; p++) {
		uint32_t main = engine->tables.model.processes.at[p].main;
		const struct track *track = main == MODEL_NONE ? NULL : &engine->tracks[main];

		if (!track || !track->any)
			continue;
		memcpy(ranks[p].spent, track->spent, sizeof(ranks[p].spent));
		memcpy(ranks[p].summed, track->summed, sizeof(ranks[p].summed));
		ranks[p].here = track->last - track->first;
		ranks[p].waited_readers = track->replay.waited_readers;
		ranks[p].waited_sockets = track->replay.waited_sockets;
		ranks[p].in_sockets = track->replay.in_sockets;
		ranks[p].slept = track->slept;
		ranks[p].any = true;
		if (track->is_rank)
			track_span_add(&span, track);
	}
	span_extend(engine, &span);
	if (ranks)
		engine->sink->window(engine, "run", engine->own_end - engine->own_start,
			span.clock_last[SCENARIO_NETWORK] - span.clock_first[SCENARIO_NETWORK],
			ranks);
	if (engine->device.any)
		device_run_write(engine);
	free(ranks);
}

static void phase_write(struct engine *engine, struct phase_window *phase)
{
	int64_t measured = 0, replayed[SCENARIO_COUNT] = { 0 };
	char *name;

	phase_pair(engine, phase);
	/* ranks that do not wait for each other are in different ones at a time: it counts once */
	phase->instances.n = window_spans_unite(phase->instances.at, phase->instances.n);
	for (size_t i = 0; i < phase->instances.n; i++) {
		measured += phase->instances.at[i].last - phase->instances.at[i].first;
		for (int s = 0; s < SCENARIO_COUNT; s++)
			replayed[s] += phase->instances.at[i].clock_last[s] -
				phase->instances.at[i].clock_first[s];
	}
	name = phase_window_name(phase);
	if (!name) {
		engine->tables.failed = true;
		return;
	}
	engine->sink->window(engine, name, measured, replayed[SCENARIO_NETWORK], phase->ranks);
	phase_rest_write(engine, phase);
	device_window_close(engine, phase->device, name, measured, replayed);
	phase->device = NULL;
	free(name);
}

/* What others waited for a rank is distinguished from the rank's own part. */
static void rank_merge(struct window_rank *to, const struct window_rank *from)
{
	int64_t caused = to->caused + from->caused, held = to->held;

	if (from->any || from->instances)
		*to = *from;
	to->caused = caused;
	to->held = held;
}

void window_step_merge(struct engine *engine, int64_t n, const struct span_of_ranks *span,
	const struct window_part *parts, size_t nparts)
{
	uint32_t number = step_find(engine, n);
	struct step_window *step;

	if (number == MODEL_NONE) {
		engine->tables.failed = true;
		return;
	}
	step = engine->windows.steps.at[number];
	window_span_merge(&step->span, span);
	for (size_t i = 0; i < nparts; i++) {
		rank_merge(&step->ranks[parts[i].process], &parts[i].rank);
		step->nranks += parts[i].rank.any;
		step->nopen += parts[i].rank.open;
	}
	step_look(engine, number);
}

void window_phase_merge(struct engine *engine, const char *name,
	const struct span_of_ranks *instances, size_t ninstances, size_t nintervals,
	const struct window_part *parts, size_t nparts)
{
	uint32_t number = window_phase_find(engine, name);
	struct phase_window *phase = number == MODEL_NONE ? NULL
							  : &engine->windows.phases.at[number];

	while (phase && phase->instances.n < ninstances && ARRAY_ADD(&phase->instances))
		;
	if (!phase || phase->instances.n < ninstances) {
		engine->tables.failed = true;
		return;
	}
	for (size_t i = 0; i < ninstances; i++)
		window_span_merge(&phase->instances.at[i], &instances[i]);
	if (ninstances && !nintervals && !phase_is_active(phase))
		phase_intervals_leave(&engine->windows);
	for (size_t i = 0; i < nintervals; i++)
		phase_interval_add(&engine->windows, phase, &instances[ninstances + i]);
	for (size_t i = 0; i < nparts; i++)
		rank_merge(&phase->ranks[parts[i].process], &parts[i].rank);
}

void windows_finish(struct engine *engine)
{
	for (size_t i = 0; i < engine->windows.steps.n; i++)
		if (engine->windows.steps.at[i])
			step_end(engine, i);
	for (size_t i = 0; i < engine->windows.phases.n; i++)
		phase_write(engine, &engine->windows.phases.at[i]);
	run_write(engine);
	for (size_t i = 0; i < engine->step_rests.longest.n; i++)
		step_write(engine, &engine->step_rests.longest.at[i]);
	step_rests_write(engine);
	engine->tables.step_rows.confidence = steps_confidence(&engine->found);
	step_rows_flush(&engine->tables);
	window_rows_flush(&engine->tables.db, &engine->tables.host_rows);
	window_rows_flush(&engine->tables.db, &engine->tables.device_rows);
	window_rows_flush(&engine->tables.db, &engine->tables.metric_rows);
}

void windows_free(struct windows *windows)
{
	for (size_t i = 0; i < windows->phases.n; i++) {
		free(windows->phases.at[i].name);
		free(windows->phases.at[i].ranks);
		free(windows->phases.at[i].instances.at);
		free(windows->phases.at[i].intervals.at);
		device_window_free(windows->phases.at[i].device);
	}
	for (size_t i = 0; i < windows->steps.n; i++)
		if (windows->steps.at[i])
			free(windows->steps.at[i]->ranks), free(windows->steps.at[i]);
	if (windows->spare)
		free(windows->spare->ranks);
	free(windows->spare);
	free(windows->detail_outside);
	free(windows->sums.outside);
	free(windows->sums.slower.at);
	for (size_t i = 0; i < windows->nests.n; i++)
		free(windows->nests.at[i]);
	free(windows->nests.at);
	free(windows->phases.at);
	free(windows->steps.at);
	idmap_free(&windows->step_numbers);
	idmap_free(&windows->phase_numbers);
	idmap_free(&windows->nest_numbers);
}
