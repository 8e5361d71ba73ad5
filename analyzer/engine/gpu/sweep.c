/* sweep.c - see sweep.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "tables/kernel.h"
#include "base/log.h"

static struct device_sweep *sweep_of(struct engine *engine, size_t device)
{
	return &engine->device.sweeps[device];
}

static int sweep_open(struct engine *engine, size_t number)
{
	const struct device *device = &engine->tables.model.devices.at[number];
	struct device_sweep *sweep = sweep_of(engine, number);

	sweep->last_thread = MODEL_NONE;
	sweep->queues = calloc(device->streams.n + 1, sizeof(*sweep->queues));
	for (size_t i = 0; i < device->uses.n; i++) {
		const struct device_process
			*process = &engine->device.processes[device->uses.at[i].process];

		for (size_t k = 0;
			device->uses.at[i].process != MODEL_NONE && k < process->threads.n; k++) {
			uint32_t *at = ARRAY_ADD(&sweep->threads);

			if (!at)
				return -1;
			*at = process->threads.at[k];
		}
	}
	sweep->cursors = calloc(sweep->threads.n + 1, sizeof(*sweep->cursors));
	return sweep->queues && sweep->cursors ? 0 : -1;
}

int sweeps_open(struct engine *engine)
{
	for (size_t i = 0; i < engine->tables.model.devices.n; i++)
		if (sweep_open(engine, i) < 0)
			return -1;
	return kernels_open(&engine->tables);
}

void sweeps_close(struct engine *engine)
{
	for (size_t i = 0; engine->device.sweeps && i < engine->tables.model.devices.n; i++) {
		struct device_sweep *sweep = sweep_of(engine, i);

		for (size_t k = 0;
			sweep->queues && k < engine->tables.model.devices.at[i].streams.n; k++)
			free(sweep->queues[k].spans.at);
		free(sweep->queues);
		free(sweep->threads.at);
		free(sweep->cursors);
		free(sweep->cuts.at);
		free(sweep->open.at);
		free(sweep->pieces.at);
		free(sweep->piece_totals.at);
		free(sweep->piece_windows.at);
		free(sweep->sample.blocks.at);
	}
}

/* A kernel counts for the phases that its process was in when it was launched. */
static void launched_add(const struct track *track, uint32_t device, const struct launch *launch,
	int64_t ns)
{
	bool by_main = launch->place.thread ==
		track->engine->tables.model.processes.at[track->process].main;
	struct phase_nest *phase = by_main ? launch->phase : window_phase_at(track, launch->at.t);

	for (; phase; phase = phase->outer)
		phase->window->sums[device].launched += ns;
}

/* Room for a span of the track's stream; NULL without memory. */
static struct activity_span *span_new(const struct track *track)
{
	struct engine *engine = track->engine;
	uint32_t number = engine->tables.model.locations.at[track->location].device;
	const struct device *device = &engine->tables.model.devices.at[number];
	struct span_queue *queue = NULL;

	for (size_t i = 0; i < device->streams.n && !queue; i++)
		if (device->streams.at[i] == track->location)
			queue = &sweep_of(engine, number)->queues[i];
	if (queue->head == queue->spans.n) /* nearly always: the same memory again */
		queue->head = queue->spans.n = 0;
	if (queue->head > 64 && queue->head * 2 > queue->spans.n) {
		queue->spans.n -= queue->head;
		memmove(queue->spans.at, queue->spans.at + queue->head,
			queue->spans.n * sizeof(*queue->spans.at));
		queue->head = 0;
	}
	return ARRAY_ADD(&queue->spans);
}

int sweep_add_summed(struct track *track, const struct sweep_off *off)
{
	struct activity_span *span = span_new(track);

	if (span)
		*span = (struct activity_span){ .start = off->from,
			.stop = off->until,
			.split = off->from,
			.recorded = off->recorded,
			.missed = off->missed,
			.bare = off->bare,
			.class = ACTIVITY_NONE,
			.launched = INT64_MAX };
	return span ? 0 : -1;
}

int sweep_add(struct track *track, int64_t split)
{
	struct engine *engine = track->engine;
	const struct stream *stream = &engine->device.streams[track->location];
	uint32_t number = engine->tables.model.locations.at[track->location].device;
	struct activity_span *span = span_new(track);

	if (!span)
		return -1;
	span->start = stream->start;
	span->stop = stream->stop;
	span->split = stream->uses.n || split == SPLIT_UNKNOWN ? split : stream->start;
	span->class = stream->class;
	span->launched = INT64_MAX;
	if (stream->launch != MODEL_NONE) {
		const struct launch *launch = &engine->device.processes[track->process]
						       .launches.at[stream->launch];

		span->launched = launch->at.t;
		span->thread = launch->place.thread;
		span->totals = launch->totals;
		if (stream->class == ACTIVITY_COMPUTE)
			launched_add(track, number, launch, stream->stop - stream->start);
	}
	return 0;
}

/* A time before which nothing of the track can come any more. */
static int64_t track_reached(const struct engine *engine, const struct track *track)
{
	const struct stream *stream = &engine->device.streams[track->location];
	bool is_stream = engine->tables.model.locations.at[track->location].device != MODEL_NONE;

	if (is_stream && stream->state != STREAM_IDLE)
		return stream->start;
	if (track->cursor.ended && !track->replay.parked && !track->stack.n)
		return INT64_MAX;
	if (!track->any)
		return INT64_MIN;
	return !is_stream && track->state == HOST_WAIT ? track->since : track->last;
}

/* Calls `take` for all locations that have to do with the device. */
#define EACH_TRACK(engine, sweep, device, track)                                                   \
	for (size_t i_ = 0; i_ < (sweep)->threads.n + (device)->streams.n; i_++)                   \
		for (const struct track *track = &(engine)->tracks[i_ < (sweep)->threads.n         \
				     ? (sweep)->threads.at[i_]                                     \
				     : (device)->streams.at[i_ - (sweep)->threads.n]];             \
			track; track = NULL)

static int64_t horizon(const struct engine *engine, const struct device_sweep *sweep,
	const struct device *device)
{
	int64_t least = INT64_MAX;

	EACH_TRACK(engine, sweep, device, track)
	{
		int64_t reached = track_reached(engine, track);

		least = reached < least ? reached : least;
	}
	return least;
}

static bool sweep_begin(const struct engine *engine, struct device_sweep *sweep,
	const struct device *device)
{
	EACH_TRACK(engine, sweep, device, track)
	{
		if (!track->any)
			continue;
		if (!sweep->begun || track->first < sweep->at)
			sweep->at = track->first;
		sweep->begun = true;
	}
	if (sweep->begun)
		sweep->run.present = -sweep->at;
	return sweep->begun;
}

/*
 * The first activity that has not ended by t; activities that begin and end at t count when
 * `empty`.
 */
static struct activity_span *queue_front(struct span_queue *queue, int64_t t, bool empty)
{
	while (queue->head < queue->spans.n) {
		struct activity_span *span = &queue->spans.at[queue->head];

		if (span->stop > t || (empty && span->start >= t))
			return span;
		queue->head++;
	}
	return NULL;
}

static void state_add(struct engine *engine, struct device_sweep *sweep, enum device_state state,
	int64_t ns)
{
	size_t device = sweep - engine->device.sweeps;

	sweep->run.ns[state] += ns;
	if (state != DEVICE_SUMMED &&
		timeline_device(&engine->timelines, device, sweep->at, ns, state) < 0)
		engine->tables.failed = true;
	for (size_t i = 0; i < sweep->open.n; i++)
		sweep->open.at[i].window->sums[device].ns[state] += ns;
}

/* The activity launched first among those beginning at t; NULL: none begins. */
static const struct activity_span *span_first(const struct device_sweep *sweep,
	const struct device *device, int64_t t)
{
	const struct activity_span *first = NULL;

	for (size_t i = 0; i < device->streams.n; i++) {
		const struct activity_span *span = queue_front(&sweep->queues[i], t, true);

		if (span && span->start == t && (!first || span->launched < first->launched))
			first = span;
	}
	return first;
}

static void cut_take(struct engine *engine, struct device_sweep *sweep, const struct cut *cut)
{
	struct device_sums *sums = &cut->window->sums[sweep - engine->device.sweeps];
	struct open_cut *open = NULL;
	size_t i;

	for (i = 0; i < sweep->open.n && !open; i++)
		if (sweep->open.at[i].window == cut->window)
			open = &sweep->open.at[i];
	if (cut->begins) {
		if (!open && (open = ARRAY_ADD(&sweep->open))) {
			*open = (struct open_cut){ cut->window, 0 };
			sums->present -= cut->t;
		}
		if (open)
			open->n++;
		return;
	}
	if (open && --open->n == 0) {
		*open = sweep->open.at[--sweep->open.n];
		sums->present += cut->t;
	}
	device_window_drop(engine, cut->window);
}

static bool cuts_take(struct engine *engine, struct device_sweep *sweep)
{
	bool any = false;

	while (sweep->next_cut < sweep->cuts.n && sweep->cuts.at[sweep->next_cut].t <= sweep->at) {
		struct cut cut = sweep->cuts.at[sweep->next_cut++];

		cut_take(engine, sweep, &cut);
		any = true;
	}
	return any;
}

static void soonest(int64_t *next, int64_t at, int64_t t)
{
	if (t > at && t < *next)
		*next = t;
}

/* What the device does at its present time, and until when that cannot change; `off`: where it is not in detail. */
static enum device_state state_at(const struct engine *engine, const struct device_sweep *sweep,
	const struct device *device, int64_t *next, bool *nccl, const struct activity_span **off)
{
	bool compute = false, waits = false, transfers = false, memcpy_ = false, summed = false;
	bool unknown = engine->tables.summary;

	for (size_t i = 0; i < device->streams.n; i++) {
		const struct activity_span *span = queue_front(&sweep->queues[i], sweep->at, false);

		if (!span)
			continue;
		soonest(next, sweep->at, span->start);
		soonest(next, sweep->at, span->stop);
		soonest(next, sweep->at, span->split);
		if (span->start > sweep->at)
			continue;
		if (span->class == ACTIVITY_NONE) {
			summed = true;
			*off = span;
		}
		compute |= span->class == ACTIVITY_COMPUTE;
		memcpy_ |= span->class == ACTIVITY_MEMCPY;
		waits |= span->class == ACTIVITY_NCCL && span->split > sweep->at;
		transfers |= span->class == ACTIVITY_NCCL && span->split <= sweep->at;
		unknown |= span->class == ACTIVITY_NCCL && span->split == SPLIT_UNKNOWN;
	}
	*nccl = (waits || transfers) && !summed;
	if (summed)
		return DEVICE_SUMMED;
	if (*nccl && !compute && unknown)
		return DEVICE_NCCL;
	return compute	    ? DEVICE_COMPUTE
		: transfers ? DEVICE_NCCL_TRANSFER
		: waits	    ? DEVICE_NCCL_WAIT
		: memcpy_   ? DEVICE_MEMCPY
			    : DEVICE_IDLE_UNKNOWN;
}

static void nccl_add(const struct engine *engine, struct device_sweep *sweep, int64_t ns,
	bool overlapped)
{
	size_t device = sweep - engine->device.sweeps;

	sweep->run.nccl += ns;
	sweep->run.overlapped += overlapped ? ns : 0;
	for (size_t i = 0; i < sweep->open.n; i++) {
		sweep->open.at[i].window->sums[device].nccl += ns;
		sweep->open.at[i].window->sums[device].overlapped += overlapped ? ns : 0;
	}
}

/* Up to the next change, but not beyond `end`. */
static void sweep_step(struct engine *engine, struct device_sweep *sweep,
	const struct device *device, int64_t end)
{
	const struct activity_span *first = span_first(sweep, device, sweep->at), *off = NULL;
	int64_t next = end;
	enum device_state state;
	bool nccl, cut;

	if (first && sweep->pieces.n)
		gap_end(engine, sweep, sweep->at, first);
	if (first && first->launched != INT64_MAX)
		sweep->last_thread = first->thread;
	cut = cuts_take(engine, sweep);
	state = state_at(engine, sweep, device, &next, &nccl, &off);
	if (sweep_sample_note(sweep, off) < 0)
		engine->tables.failed = true;
	if (sweep->next_cut < sweep->cuts.n)
		soonest(&next, sweep->at, sweep->cuts.at[sweep->next_cut].t);
	if (state != DEVICE_IDLE_UNKNOWN)
		state_add(engine, sweep, state, next - sweep->at);
	else if ((cut || !sweep->pieces.n) && gap_piece(engine, sweep, sweep->at) < 0)
		engine->tables.failed = true;
	if (nccl)
		nccl_add(engine, sweep, next - sweep->at, state == DEVICE_COMPUTE);
	sweep->at = next;
}

static void histories_trim(struct engine *engine, const struct device_sweep *sweep)
{
	for (size_t i = 0; i < sweep->threads.n; i++) {
		uint32_t thread = sweep->threads.at[i];
		struct history *history = &engine->device.histories[thread];
		const struct device_process
			*process = &engine->device.processes[engine->tracks[thread].process];
		uint64_t least = UINT64_MAX;

		if (history->points.n < 2 * process->keep)
			continue;
		for (size_t d = 0; d < process->devices.n; d++) {
			const struct device_sweep *other = sweep_of(engine, process->devices.at[d]);
			size_t place = sweep_thread(other, thread);

			if (place != SIZE_MAX && other->cursors[place].point < least)
				least = other->cursors[place].point;
		}
		history_trim(history, least, process->keep);
	}
}

static void sweep_run(struct engine *engine, size_t number)
{
	const struct device *device = &engine->tables.model.devices.at[number];
	struct device_sweep *sweep = sweep_of(engine, number);
	int64_t end = sweep->over ? INT64_MAX : horizon(engine, sweep, device);
	struct cause_totals unused;

	if (end == INT64_MIN || end == INT64_MAX ||
		(!sweep->begun && !sweep_begin(engine, sweep, device)))
		return;
	while (sweep->at < end && !engine->tables.failed)
		sweep_step(engine, sweep, device, end);
	for (size_t i = 0; i < sweep->threads.n; i++) {
		const struct track *track = &engine->tracks[sweep->threads.at[i]];

		history_advance(&engine->device.histories[track->location], &sweep->cursors[i],
			sweep->at < track->last ? sweep->at : track->last, &unused);
	}
	histories_trim(engine, sweep);
}

void sweep_progress(struct track *track)
{
	struct engine *engine = track->engine;
	const struct device_process *process;

	if (track->process == MODEL_NONE)
		return;
	process = &engine->device.processes[track->process];
	for (size_t i = 0; i < process->devices.n; i++)
		sweep_run(engine, process->devices.at[i]);
}

/* What only the way to its end needed. */
static void sweep_drop(struct device_sweep *sweep, const struct device *device)
{
	for (size_t k = 0; k < device->streams.n; k++)
		free(sweep->queues[k].spans.at);
	free(sweep->queues);
	free(sweep->cursors);
	free(sweep->cuts.at);
	free(sweep->open.at);
	free(sweep->pieces.at);
	free(sweep->piece_totals.at);
	free(sweep->piece_windows.at);
	sweep->queues = NULL;
	sweep->cursors = NULL;
	memset(&sweep->cuts, 0, sizeof(sweep->cuts));
	memset(&sweep->open, 0, sizeof(sweep->open));
	memset(&sweep->pieces, 0, sizeof(sweep->pieces));
	memset(&sweep->piece_totals, 0, sizeof(sweep->piece_totals));
	memset(&sweep->piece_windows, 0, sizeof(sweep->piece_windows));
}

void sweep_finish(struct engine *engine, uint32_t number)
{
	const struct device *device = &engine->tables.model.devices.at[number];
	struct device_sweep *sweep = sweep_of(engine, number);
	int64_t end = INT64_MIN;

	if (sweep->over || (!sweep->begun && !sweep_begin(engine, sweep, device)))
		return;
	EACH_TRACK(engine, sweep, device, track)
	if (track->any && track->last > end)
		end = track->last;
	while (sweep->at < end && !engine->tables.failed)
		sweep_step(engine, sweep, device, end);
	if (sweep->pieces.n)
		gap_end(engine, sweep, end, span_first(sweep, device, end));
	cuts_take(engine, sweep);
	sweep->run.present += end;
	sweep->over = true;
	sweep_drop(sweep, device);
}

void sweeps_finish(struct engine *engine)
{
	for (size_t d = 0; d < engine->tables.model.devices.n; d++)
		sweep_finish(engine, d);
}
