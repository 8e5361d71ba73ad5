/*
 * replay_stream.c - the way of one stream: an activity begins at the latest of
 * its predecessor's end, its launch and the events it waits for, plus slack,
 * and keeps its duration; see replay_device.h.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "engine/engine.h"
#include "tables/copy.h"
#include "tables/kernel.h"
#include "base/log.h"

static struct stream *stream_of(const struct track *track)
{
	return &track->engine->device.streams[track->location];
}

static struct device_process *process_of(const struct track *track)
{
	return &track->engine->device.processes[track->process];
}

/* Activities that are summed may have taken another time than the recorded one. */
static void sum_read(struct track *track, const struct event *event)
{
	const OTF2_AttributeRef *refs = track->engine->tables.model.attributes;
	struct stream *stream = stream_of(track);
	uint64_t total;

	stream->run = (struct call_run){ 0 };
	stream->total = -1;
	if (!event_number(event, refs[ATTRIBUTE_TOTAL], &total) || total > INT64_MAX)
		return;
	stream->total = (int64_t)total;
	if (event_number(event, refs[ATTRIBUTE_CALLS], &stream->run.calls)) {
		event_number(event, refs[ATTRIBUTE_SHORTEST], &stream->run.shortest);
		event_number(event, refs[ATTRIBUTE_LONGEST], &stream->run.longest);
	}
}

/* Copies and NCCL are known by attribute, all else by the region's name. */
static void activity_open(struct track *track, const struct event *event, enum activity_class class,
	uint32_t region)
{
	const struct engine *engine = track->engine;
	const OTF2_AttributeRef *attributes = engine->tables.model.attributes;
	struct stream *stream = stream_of(track);
	const char *op = event_text(&engine->tables.archive, event, attributes[ATTRIBUTE_OP]);

	stream->state = STREAM_OPEN;
	stream->start = event->t;
	stream->class = class;
	stream->region = region;
	stream->launch = MODEL_NONE;
	stream->uses.n = stream->more.n = 0;
	sum_read(track, event);
	stream->bytes = event->bytes;
	event_number(event, attributes[ATTRIBUTE_BYTES], &stream->bytes);
	stream->correlated = event_number(event, attributes[ATTRIBUTE_CORRELATION],
		&stream->correlation);
	stream->grouped = event_number(event, attributes[ATTRIBUTE_GROUP], &stream->group);
	stream->op = kernel_copy(op);
	stream->communicates = false;
	if (stream->op == MODEL_NONE && (class != ACTIVITY_NCCL || !engine->tables.summary))
		stream->communicates = nccl_call_read(track, event, &stream->call);
	stream->memory = copy_memory(
		event_text(&engine->tables.archive, event, attributes[ATTRIBUTE_MEMORY]));
	if (stream->op != MODEL_NONE && class == ACTIVITY_NCCL)
		stream->op = MODEL_NONE; /* NCCL's own copy */
	else if (stream->op != MODEL_NONE)
		stream->class = ACTIVITY_MEMCPY;
	else if (stream->communicates || (stream->grouped && class != ACTIVITY_MEMCPY))
		stream->class = ACTIVITY_NCCL;
}

static bool park(struct track *track, struct track *slow)
{
	if (!track_watch(slow, track, INT64_MIN)) {
		track_fail(track);
		return true;
	}
	track->replay.parked = true;
	track->replay.leave = stream_of(track)->stop;
	return false;
}

/*
 * Finds the launch, and waits until all threads have come to it, since their work before it counts.
 * For an activity that no launch reports, threads have to come to its end: a call that ends before
 * did not wait for it.
 */
static bool launch_ready(struct track *track)
{
	struct stream *stream = stream_of(track);
	struct device_process *process = track->process == MODEL_NONE ? NULL : process_of(track);
	bool found;
	struct track *slow;

	if (!process)
		return true;
	if (stream->correlated)
		stream->launch = launch_find(process, stream->correlation);
	found = stream->launch != MODEL_NONE;
	slow = threads_behind(track, process,
		found			     ? process->launches.at[stream->launch].at.t
			: stream->correlated ? stream->start
					     : stream->stop,
		stream->correlated && !found);
	return !slow || track->replay.forced || park(track, slow);
}

/* Marks that are before the activity's launch are after what came before it. */
static void marks_resolve(struct stream *stream, const struct report_order *launched)
{
	size_t n = 0;

	for (; n < stream->marks.n && place_after(launched, &stream->marks.at[n]->place); n++) {
		struct mark *mark = stream->marks.at[n];

		mark->resolved = true;
		if (stream->any)
			mark->end = stream->end;
		mark_release(mark);
	}
	if (n)
		memmove(stream->marks.at, stream->marks.at + n,
			(stream->marks.n - n) * sizeof(*stream->marks.at));
	stream->marks.n -= n;
}

static bool waits_ready(struct track *track, const struct report_order *launched)
{
	struct stream *stream = stream_of(track);
	struct track *slow;

	for (size_t i = 0;
		i < stream->waits.n && !place_after(&stream->waits.at[i].place, launched); i++)
		if (!track->replay.forced && stream->waits.at[i].mark->stream != track->location &&
			!mark_ready(track->engine, stream->waits.at[i].mark, stream->start, &slow))
			return park(track, slow);
	return true;
}

/* The latest of the events waited for before the launch. */
static void waits_take(struct track *track, const struct report_order *launched,
	struct moment *gate, bool *gated)
{
	struct stream *stream = stream_of(track);
	size_t n = 0;

	for (; n < stream->waits.n && !place_after(&stream->waits.at[n].place, launched); n++) {
		struct moment end = mark_end(track->engine, stream->waits.at[n].mark);

		if (end.t != INT64_MIN && *gated)
			moment_later(gate, &end);
		else if (end.t != INT64_MIN)
			*gate = end;
		*gated |= end.t != INT64_MIN;
		mark_release(stream->waits.at[n].mark);
	}
	if (n)
		memmove(stream->waits.at, stream->waits.at + n,
			(stream->waits.n - n) * sizeof(*stream->waits.at));
	stream->waits.n -= n;
}

/* Whether another lane of the stream can still begin something before the activity of `track`. */
static bool lane_is_behind(const struct track *track, const struct track *other)
{
	const struct stream *own = stream_of(track), *lane = stream_of(other);
	/* of two that begin together the one with the lower number is the first */
	bool is_after = other->location > track->location;
	int64_t t = lane->state == STREAM_IDLE	      ? (other->any ? other->last : INT64_MIN)
		: lane->state == STREAM_COMMUNICATING ? lane->stop
						      : lane->start;

	if (lane->state == STREAM_IDLE && other->cursor.ended && !other->replay.parked)
		return false;
	return t < own->start || (t == own->start && !is_after);
}

/* The first activity of a launch is known when all lanes of the stream have come to it. */
static bool lanes_ready(struct track *track)
{
	const struct stream *stream = stream_of(track);
	const struct device_process *process = process_of(track);

	if (!stream->has_lanes || track->replay.forced ||
		process->launches.at[stream->launch].begun)
		return true;
	for (size_t i = 0; i < process->streams.n; i++) {
		struct track *other = &track->engine->tracks[process->streams.at[i]];

		if (other != track &&
			streams_are_one(track->engine, track->location, other->location) &&
			lane_is_behind(track, other))
			return park(track, other);
	}
	return true;
}

/* Further activities of a launch keep their offset to its first; `follows`: to the one before. */
static void begin_along(struct stream *stream, const struct launch *launch, bool follows)
{
	for (int s = SCENARIO_IDENTITY + 1; s < SCENARIO_COUNT; s++) {
		int64_t along = launch->begin.clock[s] + stream->start - launch->begin.t;
		int64_t behind = stream->any ? stream->end.clock[s] : along;

		if (follows && (scenario_freedoms[s] & FAST_MATRIX))
			continue; /* a shorter activity makes the graph shorter */
		stream->begin.clock[s] = along > behind ? along : behind;
	}
}

/* Beginning by the recurrence. */
static void activity_place(struct track *track)
{
	struct stream *stream = stream_of(track);
	struct launch *launch = stream->launch == MODEL_NONE
		? NULL
		: &process_of(track)->launches.at[stream->launch];
	struct moment gate = stream->any ? stream->end : (struct moment){ .t = stream->start };
	bool gated = stream->any;
	/* The one before is of the same launch. */
	bool follows = stream->any && launch && launch->begun && stream->begin.t >= launch->begin.t;
	int64_t slack;

	if (!gated)
		for (int s = 0; s < SCENARIO_COUNT; s++)
			gate.clock[s] = stream->start;
	if (launch) {
		marks_resolve(stream, &launch->place);
		waits_take(track, &launch->place, &gate, &gated);
		if (!gated)
			gate = launch->at;
		else
			moment_later(&gate, &launch->at);
	}
	slack = replay_residual(&track->engine->replay, gate.t, stream->start);
	stream->begin.t = stream->start;
	for (int s = 0; s < SCENARIO_COUNT; s++)
		stream->begin.clock[s] = gate.clock[s] +
			((scenario_freedoms[s] & FREE_HOST) && launch ? 0 : replay_kept(s, slack));
	if (launch && launch->begun) {
		begin_along(stream, launch, follows);
	} else if (launch) {
		launch->begun = true;
		launch->begin = stream->begin;
	}
}

/* Takes part in the operations that it carries out. False: it is not known which. */
static bool operations_join(struct track *track)
{
	struct stream *stream = stream_of(track);
	const struct device_process *process = process_of(track);
	uint32_t number = stream->grouped ? idmap_find(&process->groups, idmap_key(stream->group))
					  : MODEL_NONE;
	uint32_t ordinal = track->engine->tables.model.locations.at[track->location].ordinal;

	for (size_t i = 0; number != MODEL_NONE && i < process->group_calls.at[number].calls.n;
		i++) {
		const struct nccl_call *call = &process->group_calls.at[number].calls.at[i];

		if ((!stream->communicates || call->comm == stream->call.comm) &&
			(call->device == MODEL_NONE || call->device == ordinal) &&
			!nccl_arrive(track, call))
			track_fail(track);
	}
	if (!stream->uses.n && stream->communicates && !nccl_arrive(track, &stream->call))
		track_fail(track);
	for (size_t i = 0; i < stream->more.n; i++)
		if (!nccl_arrive(track, &stream->more.at[i]))
			track_fail(track);
	return stream->uses.n > 0;
}

/* The call reports a copy-engine collective; other collectives are in a kernel. */
static bool is_nccl_copy(const struct track *track)
{
	const struct model *model = &track->engine->tables.model;
	uint32_t region = stream_of(track)->region;

	return region < model->regions.n && strcmp(model->regions.at[region].name, "ncclCopy") == 0;
}

/* NCCL waits for members, and the trace has not all of them: no part of its time is a transfer for sure. */
static bool split_is_unknown(const struct track *track)
{
	const struct stream *stream = stream_of(track);

	if (stream->class != ACTIVITY_NCCL)
		return false;
	return stream->uses.n ? nccl_lacks_members(track) : !is_nccl_copy(track);
}

/* End by the recurrence: durations are kept but where the scenario does without them. */
static void activity_end(struct track *track)
{
	struct stream *stream = stream_of(track);
	struct moment joined;
	const struct moment *gate = stream->uses.n ? &joined : &stream->begin;
	unsigned char freedom = stream->class == ACTIVITY_MEMCPY ? FREE_MEMORY
		: stream->uses.n				 ? FREE_NETWORK
								 : 0;
	bool matrix = stream->class == ACTIVITY_COMPUTE &&
		kernel_is_plain_matrix(&track->engine->tables, stream->region);
	int64_t rest;

	if (stream->uses.n)
		joined = nccl_gate(track);
	rest = replay_residual(&track->engine->replay, gate->t, stream->stop);
	stream->end.t = stream->stop;
	for (int s = 0; s < SCENARIO_COUNT; s++)
		stream->end.clock[s] = gate->clock[s] +
			((scenario_freedoms[s] & COUPLED) && (scenario_freedoms[s] & freedom)
					? 0
					: replay_kept(s, rest));
	for (int s = 0; matrix && s < SCENARIO_COUNT; s++)
		if (scenario_freedoms[s] & FAST_MATRIX)
			stream->end.clock[s] = gate->clock[s] +
				llround((double)replay_kept(s, rest) / TENSOR_SPEEDUP);
	stream->any = true;
	track->engine->replay.nmismatched += stream->end.clock[SCENARIO_IDENTITY] != stream->stop;
	if (sweep_add(track, split_is_unknown(track) ? SPLIT_UNKNOWN : gate->t) < 0)
		track_fail(track);
	if (stream->uses.n)
		nccl_leave(track, stream->stop);
}

/* For summed activities: the state of the device, and the process that launched them. */
static bool activity_count(struct track *track)
{
	struct stream *stream = stream_of(track);

	if (!launch_ready(track))
		return false;
	if (stream->launch != MODEL_NONE)
		process_of(track)->launches.at[stream->launch].begun = true;
	if (sweep_add(track, stream->start) < 0)
		track_fail(track);
	stream->state = STREAM_IDLE;
	track->replay.parked = track->replay.forced = false;
	return true;
}

bool stream_resume(struct track *track)
{
	struct stream *stream = stream_of(track);
	struct device_replay *device = &track->engine->device;

	if (track->engine->tables.summary)
		return activity_count(track);
	if (stream->state == STREAM_LAUNCHING) {
		if (!launch_ready(track))
			return false;
		if (stream->launch != MODEL_NONE &&
			(!waits_ready(track,
				 &process_of(track)->launches.at[stream->launch].place) ||
				!lanes_ready(track)))
			return false;
		activity_place(track);
		device->nactivities++;
		device->nunlaunched += stream->launch == MODEL_NONE;
		if (stream->class == ACTIVITY_NCCL && track->process != MODEL_NONE) {
			device->nunnamed += !operations_join(track) && !is_nccl_copy(track);
		}
		stream->state = STREAM_COMMUNICATING;
	}
	if (stream->uses.n && !track->replay.forced && !nccl_ready(track)) {
		track->replay.parked = true;
		track->replay.leave = stream->stop;
		return false;
	}
	activity_end(track);
	stream->state = STREAM_IDLE;
	track->replay.parked = track->replay.forced = false;
	return true;
}

static bool activity_close(struct track *track, int64_t t)
{
	struct stream *stream = stream_of(track);
	struct tables *tables = &track->engine->tables;
	uint32_t device = tables->model.locations.at[track->location].device;
	uint64_t ns = (uint64_t)(stream->total < 0 ? t - stream->start : stream->total);

	stream->stop = t;
	stream->state = STREAM_LAUNCHING;
	if (kernel_add(tables, device, stream->region, stream->op, ns, stream->bytes,
		    &stream->run) < 0)
		track_fail(track);
	if (stream->op != MODEL_NONE)
		copy_add(&tables->copies[device], stream->op, stream->memory,
			stream->run.calls ? stream->run.calls : 1, ns, stream->bytes);
	if (!stream->run.calls)
		return stream_resume(track);
	stream->state = STREAM_IDLE; /* sums have no place in the replay */
	return true;
}

/* A further operation of the kernel that has begun: a graph makes no calls that would report it. */
static void operation_add(struct track *track, const struct event *event)
{
	struct stream *stream = stream_of(track);
	struct nccl_call call, *at;

	if (stream->state != STREAM_OPEN || stream->depth != 1 ||
		!nccl_call_read(track, event, &call))
		return;
	at = ARRAY_ADD(&stream->more);
	if (at)
		*at = call;
	else
		track_fail(track);
}

/* The part between is not in detail. */
static void stream_measurement(struct track *track, const struct event *event)
{
	struct stream *stream = stream_of(track);
	const uint32_t *attributes = track->engine->tables.model.attributes;
	uint64_t lost = 0, launches = 0, bare = 0;

	event_number(event, attributes[ATTRIBUTE_LOST], &lost);
	event_number(event, attributes[ATTRIBUTE_CALLS], &launches);
	event_number(event, attributes[ATTRIBUTE_TOTAL], &bare);
	if (event->bytes && stream->is_summed &&
		sweep_add_summed(track,
			&(struct sweep_off){ stream->summed_from, event->t, stream->recorded,
				launches, (int64_t)bare }) < 0)
		track_fail(track);
	stream->is_summed = !event->bytes && lost == TRACE_LOST_SUMMED;
	stream->summed_from = event->t;
	stream->recorded = launches;
}

bool stream_take(struct track *track, const struct event *event)
{
	struct stream *stream = stream_of(track);
	enum activity_class class;
	uint32_t region;

	switch (event->kind) {
	case EVENT_ENTER:
	case EVENT_RMA_BEGIN:
		if (stream->depth++)
			return true;
		region = event->kind == EVENT_ENTER
			? model_region(&track->engine->tables.model, event->ref)
			: MODEL_NONE;
		class = event->kind != EVENT_ENTER ? ACTIVITY_MEMCPY
			: region == MODEL_NONE
			? ACTIVITY_COMPUTE
			: track->engine->tables.model.regions.at[region].activity;
		if (class == ACTIVITY_NONE)
			return true;
		activity_open(track, event, class, region);
		if (event->kind == EVENT_RMA_BEGIN)
			stream->op = kernel_copy(event->tag ? "memcpy_d2h" : "memcpy_h2d");
		return true;
	case EVENT_LEAVE:
	case EVENT_RMA_END:
		if (!stream->depth || --stream->depth || stream->state != STREAM_OPEN)
			return true;
		return activity_close(track, event->t);
	case EVENT_PARAMETER: operation_add(track, event); return true;
	case EVENT_MEASUREMENT: stream_measurement(track, event); return true;
	default: return true;
	}
}

/* An activity that is open at the end of its stream ends there. */
void stream_finish(struct track *track)
{
	struct stream *stream = stream_of(track);

	if (stream->state != STREAM_OPEN)
		return;
	track->replay.forced = true;
	activity_close(track, track->last > stream->start ? track->last : stream->start);
}
