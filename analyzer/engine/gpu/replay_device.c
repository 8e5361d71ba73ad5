/*
 * replay_device.c - runtime calls of threads: launches, records and waits of events, waits for
 * streams; and the checks of the device side; see replay_device.h.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "engine/engine.h"
#include "tables/check_row.h"

enum { GROUPS = 1024 }; /* NCCL groups of a process that are remembered */

/* The stream that a call names; MODEL_NONE: it names none. */
static uint32_t stream_named(const struct track *track, const struct event *event)
{
	const struct model *model = &track->engine->tables.model;
	const struct device_process *process = &track->engine->device.processes[track->process];
	uint64_t device = 0, stream;

	if (!event_number(event, model->attributes[ATTRIBUTE_STREAM], &stream))
		return MODEL_NONE;
	event_number(event, model->attributes[ATTRIBUTE_DEVICE], &device);
	for (size_t i = 0; i < process->streams.n; i++) {
		const struct location *location = &model->locations.at[process->streams.at[i]];

		if (location->ordinal == device && location->stream == stream)
			return process->streams.at[i];
	}
	return MODEL_NONE;
}

/* Depth of the copy that the present call belongs to, if it is one, else of the call itself. */
static size_t copy_depth(const struct track *track)
{
	const struct model *model = &track->engine->tables.model;

	for (size_t depth = track->outer; depth && depth < track->stack.n; depth++) {
		uint32_t region = track->stack.at[depth - 1].region;

		if (region != MODEL_NONE &&
			model->regions.at[region].device_call == DEVICE_CALL_COPY)
			return depth;
	}
	return track->stack.n;
}

static void need_add(struct track *track, struct mark *mark, bool polled)
{
	struct device_need *need = mark ? ARRAY_ADD(&track->replay.device_needs) : NULL;

	if (need)
		*need = (struct device_need){ mark, polled, copy_depth(track), INT64_MAX };
	else if (mark)
		track_fail(track);
}

/* No stream named: all of the device, or of the process. */
static void needs_add(struct track *track, const struct event *event, bool polled)
{
	const struct model *model = &track->engine->tables.model;
	const struct device_process *process = &track->engine->device.processes[track->process];
	uint64_t device = 0, named;
	bool one = event_number(event, model->attributes[ATTRIBUTE_DEVICE], &device);
	bool has_stream = event_number(event, model->attributes[ATTRIBUTE_STREAM], &named);

	for (size_t i = 0; i < process->streams.n; i++) {
		const struct location *location = &model->locations.at[process->streams.at[i]];

		/* a stream with overlapping activities has several locations */
		if (has_stream ? location->ordinal == device && location->stream == named
			       : !one || location->ordinal == device)
			need_add(track, mark_add(track, process->streams.at[i], event->t), polled);
	}
}

static void event_record(struct track *track, const struct event *event)
{
	struct device_process *process = &track->engine->device.processes[track->process];
	uint32_t stream = stream_named(track, event), number;
	uint64_t id;
	struct mark **at;

	if (stream == MODEL_NONE ||
		!event_number(event, track->engine->tables.model.attributes[ATTRIBUTE_EVENT], &id))
		return;
	number = idmap_find(&process->events, idmap_key(id));
	if (number == IDMAP_NONE) {
		number = process->recorded.n;
		at = ARRAY_ADD(&process->recorded);
		if (!at || idmap_set(&process->events, idmap_key(id), number) < 0) {
			track_fail(track);
			return;
		}
	}
	mark_release(process->recorded.at[number]);
	process->recorded.at[number] = mark_add(track, stream, event->t);
}

/* What the event is after, with a reference; NULL: never recorded. */
static struct mark *event_mark(struct track *track, const struct event *event)
{
	struct device_process *process = &track->engine->device.processes[track->process];
	uint64_t id;
	uint32_t number;

	if (!event_number(event, track->engine->tables.model.attributes[ATTRIBUTE_EVENT], &id))
		return NULL;
	number = idmap_find(&process->events, idmap_key(id));
	if (number == IDMAP_NONE || !process->recorded.at[number])
		return NULL;
	process->recorded.at[number]->references++;
	return process->recorded.at[number];
}

/*
 * Work that comes to the stream from t on follows the mark. Takes over the reference of the mark.
 */
static void wait_add(struct track *track, uint32_t location, struct mark *mark, int64_t t)
{
	struct stream_wait *wait = mark ? ARRAY_ADD(&track->engine->device.streams[location].waits)
					: NULL;

	if (!wait) {
		track_fail(track);
		return;
	}
	wait->place = (struct report_order){ t, track->nenters, track->location };
	wait->mark = mark;
}

static void stream_waits(struct track *track, const struct event *event)
{
	uint32_t location = stream_named(track, event);
	struct mark *mark = location == MODEL_NONE ? NULL : event_mark(track, event);

	if (mark)
		wait_add(track, location, mark, event->t);
}

/*
 * Work of the legacy default stream follows all that was launched onto blocking streams of its
 * device, and theirs follows its. A wait is noted where something new was launched since the last.
 */
static void legacy_order(struct track *track, uint32_t location, int64_t t)
{
	struct engine *engine = track->engine;
	const struct device_process *process = &engine->device.processes[track->process];
	struct stream *streams = engine->device.streams, *stream = &streams[location];

	if (stream->order == STREAM_FREE)
		return;
	stream->nlaunched++;
	for (size_t i = 0; i < process->streams.n; i++) {
		uint32_t number = process->streams.at[i];
		struct stream *other = &streams[number];
		uint64_t *waited = stream->order == STREAM_LEGACY ? &other->behind
								  : &stream->before;

		if (other->order == STREAM_FREE || other->order == stream->order ||
			*waited == other->nlaunched ||
			engine->tables.model.locations.at[number].ordinal !=
				engine->tables.model.locations.at[location].ordinal)
			continue;
		*waited = other->nlaunched;
		wait_add(track, location, mark_add(track, number, t), t);
	}
}

/* One call of an NCCL group: the kernel that is launched for the group carries no list of them. */
static void group_add(struct track *track, uint64_t id, const struct nccl_call *call)
{
	struct device_process *process = &track->engine->device.processes[track->process];
	uint32_t number = idmap_find(&process->groups, idmap_key(id));
	struct nccl_call *at;

	if (number == IDMAP_NONE) {
		number = process->group_calls.n < GROUPS ? process->group_calls.n
							 : process->next_group++ % GROUPS;
		if (number < process->group_calls.n)
			idmap_set(&process->groups, idmap_key(process->group_calls.at[number].id),
				IDMAP_NONE);
		else if (!ARRAY_ADD(&process->group_calls))
			return track_fail(track);
		if (idmap_set(&process->groups, idmap_key(id), number) < 0)
			return track_fail(track);
		process->group_calls.at[number].id = id;
		process->group_calls.at[number].calls.n = 0;
	}
	at = ARRAY_ADD(&process->group_calls.at[number].calls);
	if (at)
		*at = *call;
	else
		track_fail(track);
}

void device_call_enter(struct track *track, const struct region *region, const struct event *event)
{
	const OTF2_AttributeRef *attributes = track->engine->tables.model.attributes;
	struct nccl_call call;
	uint64_t number;

	if (track->process == MODEL_NONE)
		return;
	if (event_number(event, attributes[ATTRIBUTE_CORRELATION], &number) &&
		launch_add(track, number, event->t) && !track->engine->tables.summary &&
		track->engine->device.processes[track->process].has_legacy) {
		uint32_t location = stream_named(track, event);

		if (location != MODEL_NONE)
			legacy_order(track, location, event->t);
	}
	if (track->engine->tables.summary) /* the replay decides which track waits for which */
		return;
	if (region->kind == KIND_NCCL && nccl_call_read(track, event, &call)) {
		if (event_number(event, attributes[ATTRIBUTE_GROUP], &number))
			group_add(track, number, &call);
		/* nothing on the device states when its members met */
		if (call.algorithm && strcmp(call.algorithm, "copy_engine") == 0)
			track->engine->device.nunnamed++;
	}
	switch (region->device_call) {
	case DEVICE_CALL_STREAM_SYNC:
	case DEVICE_CALL_DEVICE_SYNC: needs_add(track, event, false); break;
	case DEVICE_CALL_FREE: /* cudaFree(0), by which programs begin a context, waits for nothing */
	case DEVICE_CALL_STREAM_QUERY: needs_add(track, event, true); break;
	case DEVICE_CALL_COPY:
		if (event_number(event, attributes[ATTRIBUTE_STREAM], &number))
			needs_add(track, event, true);
		break;
	case DEVICE_CALL_EVENT_SYNC:
	case DEVICE_CALL_EVENT_QUERY:
		need_add(track, event_mark(track, event),
			region->device_call == DEVICE_CALL_EVENT_QUERY);
		break;
	case DEVICE_CALL_RECORD: event_record(track, event); break;
	case DEVICE_CALL_WAIT_EVENT: stream_waits(track, event); break;
	default: break;
	}
}

/* What the call waits for has not all come by: it is parked at t. */
static bool device_park(struct track *track, int64_t t, struct track *slow)
{
	if (!track_watch(slow, track, INT64_MIN)) {
		track_fail(track);
		return true;
	}
	track->replay.parked = true;
	track->replay.leave = t;
	return false;
}

bool device_call_waits(const struct track *track, const struct track *stream)
{
	const struct replay_track *replay = &track->replay;
	struct track *slow;

	for (size_t i = 0; replay->parked && !replay->forced && i < replay->device_needs.n; i++)
		if (!mark_ready(track->engine, replay->device_needs.at[i].mark, replay->leave,
			    &slow))
			return slow == stream;
	return false;
}

/* The call's own marks need not be resolved for anybody else. */
static void needs_drop(struct track *track)
{
	for (size_t i = 0; i < track->replay.device_needs.n; i++) {
		struct mark *mark = track->replay.device_needs.at[i].mark;
		uint32_t stream = mark->stream;
		bool own = !mark->resolved && mark->references == 2;

		mark_release(mark);
		if (own && track->engine->device.streams[stream].marks.n > 8)
			marks_prune(&track->engine->device.streams[stream]);
	}
	track->replay.device_needs.n = 0;
}

void device_call_return(struct track *track, int64_t t)
{
	for (size_t i = 0; i < track->replay.device_needs.n; i++) {
		struct device_need *need = &track->replay.device_needs.at[i];

		if (need->depth == track->stack.n && need->left == INT64_MAX)
			need->left = t;
	}
}

bool device_call_leave(struct track *track, int64_t t, bool *settled)
{
	struct replay_track *replay = &track->replay;
	struct moment gate = replay->entered.moment;
	struct track *slow;

	*settled = false;
	for (size_t i = 0; i < replay->device_needs.n && !replay->forced; i++)
		if (!mark_ready(track->engine, replay->device_needs.at[i].mark, t, &slow))
			return device_park(track, t, slow);
	for (size_t i = 0; i < replay->device_needs.n; i++) {
		const struct device_need *need = &replay->device_needs.at[i];
		struct moment end = mark_end(track->engine, need->mark);

		if (end.t != INT64_MIN && (!need->polled || (end.t <= t && end.t <= need->left)))
			moment_later(&gate, &end);
		*settled = true;
	}
	needs_drop(track);
	if (*settled)
		replay_settle(track, &gate, t, FREE_HOST);
	replay->parked = replay->forced = false;
	return true;
}

const char *device_replay_missing(const struct engine *engine)
{
	const struct device_replay *device = &engine->device;

	if (engine->tables.summary)
		return "no replay in a summary";
	if (device->nactivities && device->nunlaunched == device->nactivities)
		return "the trace does not have the launches of the activities";
	if (device->nunlaunched * 100 > device->nactivities)
		return "more than 1 % of the activities have no launch in the trace";
	if (device->nunnamed)
		return "the trace does not have the communicators of the communication kernels";
	if (engine->replay.ncalls && !engine->replay.noperations)
		return "the trace has MPI calls but no messages or collectives";
	return NULL;
}

void device_replay_finish(struct engine *engine)
{
	struct device_replay *device = &engine->device;
	uint64_t forgotten = device->nforgotten;

	if (!device->any)
		return;
	nccl_finish(engine);
	for (size_t i = 0; i < engine->tables.model.locations.n; i++)
		forgotten += device->histories[i].nforgotten;
	if (forgotten)
		check_write(&engine->tables.db, "run", "waits_resolved", false,
			"%" PRIu64 " waits were so long that part "
			"of what they were for is not known",
			forgotten);
	if (device->nlate)
		check_write(&engine->tables.db, "run", "nccl_overlap", false,
			"%" PRIu64 " NCCL kernels began after another "
			"member's had ended: clocks are skewed or kernels are missing",
			device->nlate);
}
