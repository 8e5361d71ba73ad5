/* track.c - see track.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "base/log.h"
#include "model/region.h"
#include "model/scorep.h"
#include "engine/read/track.h"

/* Places of all locations together; of one. */
enum { PLACES_OF_ALL = 1 << 17, PLACES_LEAST = 16, PLACES_MOST = 1 << 10 };

static bool take(void *user, const struct event *event);

/* Events of a location that is inspected again: a run of few locations has many events. */
static uint64_t places_most(size_t nlocations)
{
	uint64_t most = PLACES_OF_ALL / nlocations;

	return most < PLACES_LEAST ? PLACES_LEAST : most > PLACES_MOST ? PLACES_MOST : most;
}

void track_open(struct track *track, struct engine *engine, uint32_t location)
{
	const struct location *at = &engine->tables.model.locations.at[location];

	*track = (struct track){ .engine = engine,
		.location = location,
		.process = at->process,
		.last_step = -1,
		.inside = MODEL_NONE };
	track->is_rank = at->is_main && engine->tables.model.processes.at[at->process].rank >= 0;
	if (track->is_rank && timeline_open(&engine->timelines, &track->timeline) < 0)
		engine->tables.failed = true;
	track->border = timeline_border(&track->timeline);
	cursor_open(&track->cursor, &engine->tables.archive, at->in, take, track);
	if (!engine->tables.summary && at->in->type != OTF2_LOCATION_TYPE_METRIC)
		cursor_keep(&track->cursor, places_most(engine->tables.model.locations.n));
}

/* Why a device may be idle meanwhile. */
static enum idle_cause cause_of(const struct track *track)
{
	static const enum idle_cause causes[HOST_STATE_COUNT] = {
		[HOST_USEFUL] = CAUSE_COMPUTE,
		[HOST_IO] = CAUSE_IO,
		[HOST_MPI] = CAUSE_MPI,
		[HOST_GLOO] = CAUSE_MPI,
		[HOST_CUDA] = CAUSE_CUDA,
		[HOST_WAIT] = CAUSE_WAIT,
		[HOST_OMP_IDLE] = CAUSE_WAIT,
		[HOST_ABSENT] = CAUSE_NONE,
		[HOST_LOST] = CAUSE_NONE,
		[HOST_SUMMED] = CAUSE_NONE,
	};

	return track->checkpoints ? CAUSE_CHECKPOINT : causes[track->state];
}

static void cause_set(struct track *track, int64_t t)
{
	if (track->engine->device.any &&
		history_change(&track->engine->device.histories[track->location], t,
			cause_of(track)) < 0)
		track_fail(track);
}

static void metric_event(struct track *track, const struct event *event)
{
	const struct host_now now = track_now(track);

	counters_take(&track->engine->tables, track->location, &now, &track->work, event);
}

/* Seldom: not in line, or the frame of its caller is larger at each change of state. */
static __attribute__((noinline)) void border_cross(struct track *track, int64_t t)
{
	const struct host_now now = track_now(track);
	int64_t began = path_measure(track, t),
		bin = timeline_cross(&track->engine->timelines, &track->timeline, &now, t);

	track->border = began < bin ? began : bin;
}

/* Whether the outermost call only waits for a time that the program gave. */
static bool call_sleeps(const struct track *track)
{
	uint32_t region = track_outer_region(track);

	return region != MODEL_NONE && track_model(track)->regions.at[region].sleeps;
}

/* `settled`: the replay's clocks have been set for the time up to t. */
static void state_set(struct track *track, enum host_state state, int64_t t, bool settled)
{
	if (t >= track->border)
		border_cross(track, t);
	track->spent[track->state] += t - track->since;
	track->slept = track_slept(track, t);
	if (!settled)
		replay_spend(track, track->state, t - track->since);
	if (!track->is_ahead)
		network_spend(track, t);
	track->state = state;
	track->sleeps = state == HOST_WAIT && call_sleeps(track);
	track->since = t;
	track_part_set(track, t);
	if (track->is_ahead)
		deferred_change(track, state, t);
	cause_set(track, t);
}

void track_timeline_write(struct track *track)
{
	struct engine *engine = track->engine;
	const struct host_now now = track_now(track);

	timeline_write(&engine->timelines, &track->timeline, track->any ? &now : NULL, track->last,
		&engine->tables.db, track->location);
}

/* State outside of all runtime regions: an OpenMP worker is idle between parallel regions. */
static enum host_state resting(const struct track *track)
{
	if (track->is_off)
		return track->is_lost ? HOST_LOST : track->is_summed ? HOST_SUMMED : HOST_ABSENT;
	return track->omp && track->stack.n == 0 &&
			!track_model(track)->locations.at[track->location].is_main
		? HOST_OMP_IDLE
		: HOST_USEFUL;
}

/* The devices and other threads of a call. */
static void device_enter(struct track *track, const struct region *region, enum region_kind kind,
	const struct event *event)
{
	uint64_t wake;

	if (region_is_checkpoint(region)) {
		track->checkpoints++;
		cause_set(track, event->t);
	} else if (kind == KIND_CUDA || kind == KIND_NCCL) {
		if (track->engine->device.any)
			device_call_enter(track, region, event);
	} else if (event_number(event, track_model(track)->attributes[ATTRIBUTE_WAKE], &wake) &&
		(wake || track->outer == track->stack.n)) {
		track_report(track,
			&(struct replay_input){ INPUT_SYNC, .event = event, .wakes = wake,
				.process_wide = region_is_process_wide(region),
				.reads = track->bytes_read > 0, .region = region });
	}
}

/* Whether a region is a part of the run with its own figures; in a summary steps are not. */
static bool is_window(const struct track *track, const struct region *region)
{
	return region && region->mark && track->is_rank &&
		!(region->mark == MARK_STEP && track->engine->tables.summary);
}

/* A window is entered, by its first measured time. */
static void window_begin(struct track *track, const struct region *region,
	const struct event *event)
{
	bool *open = ARRAY_ADD(&track->open);

	track->polls_most = 0;
	if (!open)
		return track_fail(track);
	*open = region_is_checkpoint(region);
	track_report(track,
		&(struct replay_input){ INPUT_WINDOW_ENTER, .region = region, .event = event });
}

static void window_end(struct track *track, const struct event *event, bool truncated)
{
	track->open.n -= track->open.n > 0;
	track->polls_most = 0;
	track_report(track,
		&(struct replay_input){ INPUT_WINDOW_LEAVE, .event = event,
			.truncated = truncated });
}

/* Whether the replay waits at the end of an outermost call of that kind. */
static bool is_gated(const struct track *track, const struct region *region, enum region_kind kind)
{
	return kind_communicates(kind) || region->file_call || kind == KIND_SOCKET ||
		(kind == KIND_WAIT && track->engine->device.handovers);
}

/* An outermost call begins. */
static void call_begin(struct track *track, const struct region *region, enum region_kind kind,
	const struct event *event)
{
	if (track->engine->tables.summary)
		track->replay.entered.t = event->t;
	else if (kind_communicates(kind) || region->file_call)
		track_report(track,
			&(struct replay_input){ INPUT_ENTER, .call = kind, .region = region,
				.event = event });
	else if (track->engine->device.any || is_gated(track, region, kind))
		track_report(track,
			&(struct replay_input){ INPUT_WAIT, .region = region, .t = event->t });
}

/* Short calls that are one there. */
static void run_read(struct track *track, const struct event *event)
{
	const OTF2_AttributeRef *refs = track_model(track)->attributes;
	struct call_run *run = &track->run;

	run->calls = run->shortest = run->longest = 0;
	if (event_number(event, refs[ATTRIBUTE_CALLS], &run->calls)) {
		event_number(event, refs[ATTRIBUTE_SHORTEST], &run->shortest);
		event_number(event, refs[ATTRIBUTE_LONGEST], &run->longest);
	}
}

/*
 * The outermost call that has begun, of that kind, may name the other end of a socket; so
 * may any call that writes to one.
 */
static void socket_call(struct track *track, enum region_kind kind, const struct event *event)
{
	const OTF2_AttributeRef *refs = track->engine->tables.model.attributes;
	bool waits = kind == KIND_SOCKET;
	uint64_t partner;

	if (track->process == MODEL_NONE ||
		!event_number(event, refs[ATTRIBUTE_PARTNER], &partner) ||
		(waits && track->outer != track->stack.n))
		return;
	if (track->engine->tables.summary) {
		track->engine->replay.nsockets += waits;
		return;
	}
	track_report(track,
		&(struct replay_input){ INPUT_SOCKET, .event = event, .wakes = !waits });
}

/* The node of the innermost region that is open. */
static uint32_t path_of(const struct track *track)
{
	return track->stack.n ? track->stack.at[track->stack.n - 1].path : 0;
}

static uint32_t path_enter(const struct track *track, uint32_t region)
{
	return !track->is_rank || region == MODEL_NONE
		? path_of(track)
		: call_path_enter(&track->engine->tables.paths[track->process], track_model(track),
			  path_of(track), region);
}

/* The state of an outermost call that begins, and after a poll the state of the time before it. */
static void call_state_set(struct track *track, const struct region *region, enum region_kind kind,
	const struct event *event)
{
	uint64_t comm;
	enum host_state state = region_kind_states[kind];

	if (track->polls_most && track_polls_on(track, region, kind, event->t)) {
		state_set(track, HOST_MPI, track->since, false);
		state = kind == KIND_WAIT ? HOST_MPI : state;
	}
	track->finds = region->polls && event->carried &&
		event_number(event, track_model(track)->attributes[ATTRIBUTE_COMM], &comm);
	state_set(track, state, event->t, false);
}

static void enter(struct track *track, const struct event *event)
{
	static const struct region unknown = { .name = "(unknown)" };
	uint32_t number = model_region(track_model(track), event->ref);
	const struct region *region = number == MODEL_NONE
		? &unknown
		: &track_model(track)->regions.at[number];
	uint32_t path = path_enter(track, number);
	struct frame *frame = ARRAY_ADD(&track->stack);

	if (!frame) {
		track_fail(track);
		return;
	}
	*frame = (struct frame){ number, region_kind_of_call(track_model(track), region, event),
		event->t, -1, path };
	track->nenters++;
	track_sum_read(track, event, frame);
	run_read(track, event);
	if (!track->omp && number != MODEL_NONE)
		track->omp = track->engine->tables.archive.regions.at[number].paradigm ==
			OTF2_PARADIGM_OPENMP;
	if (is_window(track, region))
		window_begin(track, region, event);
	if (region_training(region))
		track_training_set(track, event->t);
	if (track->is_rank && region->bound == BOUND_FINALIZE)
		track_report(track, &(struct replay_input){ INPUT_ACTIVE_LEAVE, .t = event->t });
	/*
	 * events outside the capture window (MPI_Init) describe the run, but are not measured
	 */
	if (!track->outer && !track->is_off && frame->kind != KIND_USER &&
		frame->kind != KIND_WAKE) {
		track->outer = track->stack.n;
		call_state_set(track, region, frame->kind, event);
		call_begin(track, region, frame->kind, event);
	} else if (!track->outer && track->state != resting(track)) {
		state_set(track, resting(track), event->t, false);
	}
	if (event->carried)
		socket_call(track, frame->kind, event);
	if (track->engine->device.handovers && frame->kind != KIND_SOCKET)
		device_enter(track, region, frame->kind, event);
}

/*
 * The same of a track that has gone ahead. Devices alone ask whether the clocks are past it. If
 * there is news, reading stops here rather than anywhere: here it also stops where no track goes
 * ahead.
 */
static bool leave_report(struct track *track, const struct frame *frame, int64_t t)
{
	static const struct region unknown;
	const struct region *region = frame->region == MODEL_NONE
		? &unknown
		: &track_model(track)->regions.at[frame->region];

	if (is_gated(track, region, frame->kind))
		track_report(track,
			&(struct replay_input){ INPUT_LEAVE, .call = frame->kind, .t = t,
				.forced = track->outer_lost });
	track->outer_lost = false;
	track->cursor.border = true;
	return false;
}

/* Takes the innermost frame off. False: parked, its end will be taken up again. */
static bool leave(struct track *track, int64_t t)
{
	struct frame *frame = &track->stack.at[track->stack.n - 1];
	bool settled;

	if (track->outer == track->stack.n) {
		if (track->is_ahead)
			settled = leave_report(track, frame, t);
		else if (!outer_leave(track, frame->kind, t, &settled))
			return false;
		else
			track->replay.forced = track->replay.queued = false;
		if (frame->region != MODEL_NONE)
			track_wait_count(track, frame, t);
		track_polled(track, frame, t);
		track->outer = 0;
		track->stack.n--;
		state_set(track, resting(track), t, settled);
	} else {
		if (track->replay.device_needs.n)
			device_call_return(track, t);
		track->stack.n--;
		if (!track->outer && track->state != resting(track))
			state_set(track, resting(track), t, false);
	}
	if (frame->region != MODEL_NONE)
		track_saved_look(track, frame, t);
	if (frame->region != MODEL_NONE &&
		region_training(&track_model(track)->regions.at[frame->region]))
		track_training_set(track, t);
	if (track->checkpoints && frame->region != MODEL_NONE &&
		region_is_checkpoint(&track_model(track)->regions.at[frame->region])) {
		track->checkpoints--;
		cause_set(track, t);
	}
	if (!track->outer && track->engine->found.plans)
		step_found_border(track, t);
	if (track->is_rank && frame->region != MODEL_NONE &&
		track_model(track)->regions.at[frame->region].bound == BOUND_INIT)
		track_report(track,
			&(struct replay_input){ INPUT_ACTIVE_ENTER, .t = t,
				.step = track_sum_end(track, frame, t) - t });
	if (frame->region != MODEL_NONE && track->process != MODEL_NONE &&
		track_model(track)->locations.at[track->location].in->type ==
			OTF2_LOCATION_TYPE_CPU_THREAD &&
		call_add(&track->engine->tables.calls[track->process], track_model(track),
			frame->region, frame->total >= 0 ? frame->total : t - frame->enter,
			&track->run,
			!track_model(track)->locations.at[track->location].is_main) < 0)
		track_fail(track);
	if (track->is_rank && frame->total < 0)
		call_path_leave(&track->engine->tables.paths[track->process], frame->path,
			path_of(track), track->run.calls > 1 ? track->run.calls : 1,
			t - frame->enter);
	track->run.calls = 0;
	return true;
}

/* The frame that a Leave belongs to; the frames above it had no Leave. 0: it never entered. */
static size_t frame_find(const struct track *track, uint32_t region)
{
	for (size_t depth = track->stack.n; depth > 0; depth--)
		if (track->stack.at[depth - 1].region == region)
			return depth;
	return 0;
}

static bool leave_event(struct track *track, const struct event *event)
{
	uint32_t number = model_region(track_model(track), event->ref);
	size_t depth = frame_find(track, number);
	const struct region *region = number == MODEL_NONE
		? NULL
		: &track_model(track)->regions.at[number];
	uint64_t truncated = 0;

	if (!depth) {
		track->unmatched_leaves++;
		return true;
	}
	track->unmatched_leaves += track->stack.n - depth;
	if (track->outer > depth) {
		if (track->is_ahead)
			track->outer_lost = true;
		else
			replay_force(track);
	}
	while (track->stack.n > depth)
		leave(track, event->t);
	event_number(event, track_model(track)->attributes[ATTRIBUTE_CUT], &truncated);
	track_sum_leave(track, event);
	track_sum_step(track, event);
	if (is_window(track, region))
		window_end(track, event, truncated);
	return leave(track, event->t);
}

/* The replay follows the outermost call. */
static bool in_reported_call(const struct track *track)
{
	const struct frame *frame = track->outer ? &track->stack.at[track->outer - 1] : NULL;

	return frame && frame->region != MODEL_NONE &&
		(kind_communicates(frame->kind) ||
			track_model(track)->regions.at[frame->region].file_call);
}

static void io_event(struct track *track, const struct event *event)
{
	if (!track->engine->tables.summary && in_reported_call(track))
		track_report(track, &(struct replay_input){ INPUT_FILE, .event = event });
	track_io(track, event);
}

static bool is_stream(const struct track *track)
{
	return track_model(track)->locations.at[track->location].device != MODEL_NONE;
}

/* The communication of a call. */
static void communication(struct track *track, const struct event *event)
{
	struct event plain;

	event = scorep_plain(track_model(track), event, &plain);
	if (event->kind != EVENT_ISEND_COMPLETE && event->kind != EVENT_IRECV_REQUEST)
		track_bytes(track, track_outer_region(track),
			event->kind == EVENT_SEND || event->kind == EVENT_ISEND ||
					event->kind == EVENT_COLLECTIVE_END ||
					event->kind == EVENT_COLLECTIVE_COMPLETE
				? event->bytes
				: 0,
			event->kind == EVENT_RECV || event->kind == EVENT_IRECV ? event->bytes
										: event->received);
	track->finds |= event_completes(event);
	if (event->kind == EVENT_SEND || event->kind == EVENT_ISEND)
		track_message(track, event, track_outer_region(track));
	if (track->engine->found.plans)
		step_found_collective(track, event);
	if (!track->engine->tables.summary)
		track_report(track, &(struct replay_input){ INPUT_EVENT, .event = event });
}

/* The measured time begins or ends here: the capture window, or the time without loss. */
static void measurement(struct track *track, const struct event *event)
{
	uint64_t lost = 0;

	event_number(event, track_model(track)->attributes[ATTRIBUTE_LOST], &lost);
	track_sum_step(track, event);
	track->is_off = !event->bytes;
	track->is_lost = lost == TRACE_LOST;
	track->is_summed = lost == TRACE_LOST_SUMMED;
	if (!track->outer)
		state_set(track, resting(track), event->t, false);
}

/* A separate function keeps the way short for Enter and Leave, which nearly all events are. */
static __attribute__((noinline)) void inner_event(struct track *track, const struct event *event)
{
	struct event without;

	event = track_bytes_possible(track, event, &without);
	switch (event->kind) {
	case EVENT_IO_CREATE:
	case EVENT_IO_DESTROY:
	case EVENT_IO_SEEK:
	case EVENT_IO_BEGIN:
	case EVENT_IO_COMPLETE: io_event(track, event); break;
	case EVENT_MEASUREMENT: measurement(track, event); break;
	case EVENT_METRIC: metric_event(track, event); break;
	case EVENT_RMA_BEGIN:
		track_bytes(track, track_outer_region(track), event->tag ? event->bytes : 0,
			event->tag ? 0 : event->bytes);
		track_one_sided(track, event);
		break;
	case EVENT_RMA_ATOMIC:
		track_bytes(track, track_outer_region(track), event->bytes, event->received);
		track_one_sided(track, event);
		break;
	case EVENT_RMA_SYNC:
		track->finds = true;
		if (!track->engine->tables.summary)
			track_report(track, &(struct replay_input){ INPUT_EVENT, .event = event });
		break;
	case EVENT_RMA_END:
	case EVENT_OTHER:
	case EVENT_PARAMETER: break;
	default: communication(track, event);
	}
}

static bool take(void *user, const struct event *event)
{
	struct track *track = user;

	if (!track->any) {
		track->any = true;
		track->first = track->since = track->part_since = event->t;
		if (!is_stream(track))
			cause_set(track, event->t);
		path_begin(track);
	}
	track->last = event->t;
	if (is_stream(track))
		return stream_take(track, event) && !track->cursor.ended;
	if (event->kind == EVENT_ENTER) {
		enter(track, event);
	} else if (event->kind == EVENT_LEAVE) {
		if (track->engine->found.plans)
			step_found_leave(track, event);
		return leave_event(track, event) && !track->cursor.ended;
	} else {
		inner_event(track, event);
	}
	return !track->cursor.ended;
}

bool track_resume(struct track *track)
{
	if (track->replay.held)
		return !birth_wait(track);
	return is_stream(track) ? stream_resume(track) : leave(track, track->replay.leave);
}

void track_run(struct track *track, uint64_t nevents)
{
	if (track->is_ahead ? !deferred_play(track) : track->replay.parked && !track_resume(track))
		return;
	if (!track->engine->tables.failed)
		cursor_run(&track->cursor, nevents);
}

void track_finish(struct track *track)
{
	const struct archive *archive = &track->engine->tables.archive;

	/* it existed until its next event, which comes after the cut */
	if (track->cursor.cut && track->any &&
		track->cursor.location->type != OTF2_LOCATION_TYPE_METRIC)
		track->last = archive->latest_ns;
	if (track->outer && !archive->is_cut) {
		track->inside = track->stack.at[track->outer - 1].region;
		track->inside_since = track->stack.at[track->outer - 1].enter;
	}
	if (track->stack.n)
		replay_force(track);
	while (track->stack.n)
		leave(track, track->last);
	while (track->windows.n && track->any)
		window_leave(track, &(struct event){ .t = track->last }, true);
	if (track->in_found)
		window_found_leave(track, track->last);
	window_active_leave(track, track->last);
	ahead_close(track);
	if (is_stream(track))
		stream_finish(track);
	else if (track->any)
		state_set(track, track->state, track->last, false);
	path_end(track);
	cursor_close(&track->cursor);
}

void track_close(struct track *track)
{
	ahead_close(track);
	cursor_close(&track->cursor);
	free(track->stack.at);
	free(track->timeline.ns);
	free(track->cursor.places.at);
	free(track->windows.at);
	io_cursors_free(&track->files);
	free(track->open.at);
	deferred_free(track);
	free(track->past.at);
	free(track->births.at.at);
	free(track->birth);
	free(track->pending.at);
	free(track->replay.pieces);
	free(track->replay.idle);
	free(track->replay.needs.at);
	free(track->replay.lates.at);
	free(track->replay.device_needs.at);
	free(track->replay.watchers.at);
}
