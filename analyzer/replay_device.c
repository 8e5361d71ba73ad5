/* replay_device.c - launches, events and blocking calls: what threads tell of devices; see replay_device.h. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "log.h"
#include "metric.h"

enum {
	GROUPS = 1024,		/* NCCL groups of a process that are remembered */
	RETIRE_AT = 32,		/* launches: from then on it is tried with each, as streams stand well only now and then */
};

#define KEY(number) ((uint64_t)(number) | 1ull << 63)

static void fail(struct track *track)
{
	track->analysis->failed = true;
	track->cursor.ended = true;
}

static uint32_t family_of(const struct model *model, uint32_t process)
{
	for (size_t depth = 0; depth < model->processes.n; depth++) {
		if (model->processes.at[process].parent == MODEL_NONE)
			break;
		process = model->processes.at[process].parent;
	}
	return process;
}

/* Devices of each process, once each. */
static int devices_set(struct analysis *analysis)
{
	const struct model *model = &analysis->model;

	for (size_t d = 0; d < model->devices.n; d++)
		for (size_t i = 0; i < model->devices.at[d].uses.n; i++) {
			uint32_t user = model->devices.at[d].uses.at[i].process, *at;
			struct device_process *process = user == MODEL_NONE ? NULL : &analysis->device.processes[user];

			if (!process || (process->devices.n && process->devices.at[process->devices.n - 1] == d))
				continue;
			at = ARRAY_ADD(&process->devices);
			if (!at)
				return -1;
			*at = d;
		}
	return 0;
}

static enum stream_order order_of(const struct location *location)
{
	const char *kind = property_find(&location->in->properties, PROPERTY_STREAM_KIND);

	return !kind ? STREAM_FREE : strcmp(kind, STREAM_KIND_DEFAULT) == 0 ? STREAM_LEGACY :
		strcmp(kind, STREAM_KIND_BLOCKING) == 0 ? STREAM_BLOCKING : STREAM_FREE;
}

static size_t threads_count(const struct model *model)
{
	size_t n = 0;

	for (size_t i = 0; i < model->locations.n; i++)
		n += model->locations.at[i].in->type == OTF2_LOCATION_TYPE_CPU_THREAD;
	return n;
}

/*
 * What a thread was in is asked for as far as the devices of its process have come: these do not go
 * past a wait that has not ended. Only relatives, whose devices may be ahead, ask for older times.
 */
static void keep_set(struct analysis *analysis)
{
	enum { ALONE = 64 };
	struct device_process *processes = analysis->device.processes;
	size_t keep = history_keep(threads_count(&analysis->model));

	for (size_t i = 0; i < analysis->model.processes.n; i++)
		processes[i].keep = processes[processes[i].family].relative == MODEL_NONE ? ALONE : keep;
}

/* Threads and streams of each process. */
static int members_set(struct analysis *analysis)
{
	const struct model *model = &analysis->model;
	struct device_process *processes = analysis->device.processes;

	for (size_t i = 0; i < model->processes.n; i++) {
		processes[i].family = family_of(model, i);
		processes[i].relative = MODEL_NONE;
	}
	for (size_t i = 0; i < model->processes.n; i++) {
		struct device_process *head = &processes[processes[i].family];

		if (head == &processes[i])
			continue;
		processes[i].relative = head->relative;
		head->relative = i;
	}
	keep_set(analysis);
	for (size_t i = 0; i < model->locations.n; i++) {
		const struct location *location = &model->locations.at[i];
		struct device_process *process;
		uint32_t *at;

		if (location->process == MODEL_NONE || location->in->type == OTF2_LOCATION_TYPE_METRIC)
			continue;
		process = &processes[location->process];
		at = location->device != MODEL_NONE ? ARRAY_ADD(&process->streams) : ARRAY_ADD(&process->threads);
		if (!at)
			return -1;
		*at = i;
		if (location->device == MODEL_NONE)
			continue;
		analysis->device.streams[i].order = order_of(location);
		process->has_legacy |= analysis->device.streams[i].order == STREAM_LEGACY;
	}
	return 0;
}

/* Threads that may wake each other are read together; where nobody can, each goes on by itself. */
static bool handovers_are_told(const struct analysis *analysis)
{
	const struct model *model = &analysis->model;
	size_t families = 0;

	for (size_t i = 0; i < model->processes.n; i++)
		families += model->processes.at[i].parent == MODEL_NONE;
	return !analysis->options->summary && model->attributes[ATTRIBUTE_WAKE] != OTF2_UNDEFINED_ATTRIBUTE &&
		threads_count(model) > families;
}

int device_replay_open(struct analysis *analysis)
{
	struct device_replay *device = &analysis->device;
	const struct model *model = &analysis->model;

	device->any = model->devices.n > 0;
	device->handovers = device->any || handovers_are_told(analysis);
	if (!device->handovers)
		return 0;
	device->processes = calloc(model->processes.n + 1, sizeof(*device->processes));
	if (!device->any) {
		if (device->processes && members_set(analysis) == 0)
			return 0;
		log_error("out of memory for %zu processes", model->processes.n);
		return -1;
	}
	device->streams = calloc(model->locations.n + 1, sizeof(*device->streams));
	device->histories = calloc(model->locations.n + 1, sizeof(*device->histories));
	device->sweeps = calloc(model->devices.n + 1, sizeof(*device->sweeps));
	if (!device->processes || !device->streams || !device->histories || !device->sweeps ||
		members_set(analysis) < 0 || devices_set(analysis) < 0 || sweeps_open(analysis) < 0) {
		log_error("out of memory for %zu devices", model->devices.n);
		return -1;
	}
	return 0;
}

static void process_free(struct device_process *process)
{
	for (size_t i = 0; i < process->recorded.n; i++)
		mark_release(process->recorded.at[i]);
	for (size_t i = 0; i < process->group_calls.n; i++)
		free(process->group_calls.at[i].calls.at);
	free(process->recent);
	idmap_free(&process->launch_numbers);
	idmap_free(&process->events);
	idmap_free(&process->groups);
	free(process->launches.at);
	free(process->free_launches.at);
	free(process->oldest.at);
	free(process->recorded.at);
	free(process->group_calls.at);
	free(process->threads.at);
	free(process->streams.at);
	free(process->devices.at);
}

/* Without who its members are. */
static void process_drop(struct device_process *process)
{
	struct device_process kept = { .family = process->family, .relative = process->relative, .has_legacy = process->has_legacy };

	memcpy(&kept.threads, &process->threads, sizeof(kept.threads));
	memcpy(&kept.streams, &process->streams, sizeof(kept.streams));
	memcpy(&kept.devices, &process->devices, sizeof(kept.devices));
	process->threads.at = process->streams.at = process->devices.at = NULL;
	process_free(process);
	*process = kept;
}

static void stream_free(struct stream *stream)
{
	for (size_t i = 0; i < stream->marks.n; i++)
		mark_release(stream->marks.at[i]);
	for (size_t i = 0; i < stream->waits.n; i++)
		mark_release(stream->waits.at[i].mark);
	free(stream->marks.at);
	free(stream->waits.at);
	free(stream->uses.at);
	free(stream->more.at);
}

void device_replay_close(struct analysis *analysis)
{
	struct device_replay *device = &analysis->device;
	const struct model *model = &analysis->model;

	for (size_t i = 0; device->streams && i < model->locations.n; i++) {
		stream_free(&device->streams[i]);
		history_free(&device->histories[i]);
	}
	for (size_t i = 0; device->processes && i < model->processes.n; i++)
		process_free(&device->processes[i]);
	for (size_t i = 0; i < device->syncs.n; i++)
		free(device->syncs.at[i].wakes.at);
	nccl_close(analysis);
	sweeps_close(analysis);
	idmap_free(&device->objects);
	free(device->syncs.at);
	free(device->processes);
	free(device->streams);
	free(device->histories);
	free(device->sweeps);
}

void device_replay_drop(struct analysis *analysis, uint32_t location)
{
	const struct location *at = &analysis->model.locations.at[location];
	struct history *history = &analysis->device.histories[location];
	uint64_t nforgotten = history->nforgotten;

	if (at->process != MODEL_NONE)
		process_drop(&analysis->device.processes[at->process]);
	history_free(history);
	history->nforgotten = nforgotten;
}

const char *device_replay_missing(const struct analysis *analysis)
{
	const struct device_replay *device = &analysis->device;

	if (analysis->options->summary)
		return "no replay in a summary";
	if (device->nactivities && device->nunlaunched == device->nactivities)
		return "the trace does not say what launched the activities";
	if (device->nunlaunched * 100 > device->nactivities)
		return "more than 1 % of the activities have no launch in the trace";
	if (device->nuntold)
		return "the trace does not say which communicators the NCCL kernels belong to";
	if (analysis->replay.ncalls && !analysis->replay.noperations)
		return "the trace has MPI calls but not what they communicate";
	return NULL;
}

bool track_watch(struct track *slow, const struct track *waiting, int64_t t)
{
	struct watcher *at = ARRAY_ADD(&slow->replay.watchers);

	if (!at)
		slow->analysis->failed = true;
	else
		*at = (struct watcher){ waiting->location, t };
	return at;
}

struct track *threads_behind(const struct track *self, const struct device_process *process, int64_t t, bool past)
{
	for (size_t i = 0; i < process->threads.n; i++) {
		struct track *track = &self->analysis->tracks[process->threads.at[i]];

		if (track == self || (track->cursor.ended && !track->replay.parked) || (track->any && track->last > t))
			continue;
		if (track->any && track->last == t && (!past || (track->replay.parked && track->replay.waits &&
				self->replay.waits)))	/* two waits that end together do not end each other */
			continue;
		return track;
	}
	return NULL;
}

static uint32_t *launch_slot(const struct device_process *process, uint64_t correlation)
{
	return &process->recent[correlation % RECENT_LAUNCHES];
}

uint32_t launch_find(const struct device_process *process, uint64_t correlation)
{
	uint32_t recent = process->recent ? *launch_slot(process, correlation) : 0;

	return recent && process->launches.at[recent - 1].correlation == correlation ? recent - 1 :
		idmap_find(&process->launch_numbers, KEY(correlation));
}

/* The last ones stand in a plain array: numbers count up, and most launches are over before their place is taken. */
static int launch_note(struct device_process *process, uint64_t correlation, uint32_t number)
{
	uint32_t *slot;

	if (!process->recent && !(process->recent = calloc(RECENT_LAUNCHES, sizeof(*process->recent))))
		return -1;
	slot = launch_slot(process, correlation);
	if (*slot && process->launches.at[*slot - 1].correlation != correlation &&
		idmap_set(&process->launch_numbers, KEY(process->launches.at[*slot - 1].correlation), *slot - 1) < 0)
		return -1;
	if (process->launch_numbers.nused && idmap_find(&process->launch_numbers, KEY(correlation)) != IDMAP_NONE &&
		idmap_set(&process->launch_numbers, KEY(correlation), IDMAP_NONE) < 0)
		return -1;
	*slot = number + 1;
	return 0;
}

static void launch_forget(struct device_process *process, uint64_t correlation, uint32_t number)
{
	uint32_t *slot = launch_slot(process, correlation);

	if (*slot == number + 1)
		*slot = 0;
	else if (idmap_find(&process->launch_numbers, KEY(correlation)) == number)
		idmap_set(&process->launch_numbers, KEY(correlation), IDMAP_NONE);
}

/* No stream of the process can still begin something launched at t: all stand at later launches, or are over. */
static bool launch_passed(const struct analysis *analysis, const struct device_process *process, int64_t t)
{
	for (size_t i = 0; i < process->streams.n; i++) {
		const struct stream *stream = &analysis->device.streams[process->streams.at[i]];
		const struct track *track = &analysis->tracks[process->streams.at[i]];

		if (track->cursor.ended && stream->state == STREAM_IDLE)
			continue;
		if (stream->state == STREAM_IDLE || stream->state == STREAM_OPEN)
			return false;
		if (stream->launch == MODEL_NONE ? !stream->correlated || launch_find(process, stream->correlation) != MODEL_NONE :
			process->launches.at[stream->launch].at.t <= t)
			return false;
	}
	return true;
}

/* Forgets the oldest launches that nothing can refer to any more. */
static void launches_retire(struct analysis *analysis, struct device_process *process)
{
	while (process->oldest_at < process->oldest.n) {
		uint32_t number = process->oldest.at[process->oldest_at], *at;
		struct launch *launch = &process->launches.at[number];

		if (!launch_passed(analysis, process, launch->at.t) || !(at = ARRAY_ADD(&process->free_launches)))
			break;
		*at = number;
		launch_forget(process, launch->correlation, number);
		process->oldest_at++;
	}
	if (process->oldest_at * 2 > process->oldest.n) {
		process->oldest.n -= process->oldest_at;
		for (size_t i = 0; i < process->oldest.n; i++)
			process->oldest.at[i] = process->oldest.at[process->oldest_at + i];
		process->oldest_at = 0;
	}
}

static struct place place_of(const struct track *track, int64_t t)
{
	return (struct place){ t, track->nenters, track->location };
}

static void launch_set(struct launch *launch, const struct track *track, uint64_t correlation, int64_t t)
{
	launch->correlation = correlation;
	launch->place = place_of(track, t);
	launch->totals = history_totals(&track->analysis->device.histories[track->location], t);
	launch->begun = false;
	if (track->analysis->options->summary)
		launch->at.t = t;
	else
		launch->at = replay_moment(track, t);
}

/* False: it is known already. */
static bool launch_add(struct track *track, uint64_t correlation, int64_t t)
{
	struct analysis *analysis = track->analysis;
	struct device_process *process = &analysis->device.processes[track->process];
	uint32_t number = launch_find(process, correlation), *at;

	if (number != MODEL_NONE && !process->launches.at[number].begun)
		return false;		/* a driver call inside the runtime call that is known */
	if (process->oldest.n - process->oldest_at >= RETIRE_AT)
		launches_retire(analysis, process);
	if (process->free_launches.n) {
		number = process->free_launches.at[--process->free_launches.n];
	} else if (ARRAY_ADD(&process->launches)) {
		number = process->launches.n - 1;
	} else {
		fail(track);
		return false;
	}
	at = ARRAY_ADD(&process->oldest);
	if (!at || launch_note(process, correlation, number) < 0) {
		fail(track);
		return false;
	}
	*at = number;
	track->replay.launches = true;
	launch_set(&process->launches.at[number], track, correlation, t);
	return true;
}

/* Marks that nobody but the stream knows any more are of no use. */
static void marks_prune(struct stream *stream)
{
	size_t n = 0;

	for (size_t i = 0; i < stream->marks.n; i++)
		if (stream->marks.at[i]->references > 1)
			stream->marks.at[n++] = stream->marks.at[i];
		else
			mark_release(stream->marks.at[i]);
	stream->marks.n = n;
}

/* The mark stands behind another; of several in one stream the last is enough. */
static void mark_follow(struct mark *mark, struct mark *other)
{
	struct mark **after = NULL;

	for (size_t i = 0; i < mark->after.n && !after; i++)
		if (mark->after.at[i]->stream == other->stream)
			after = &mark->after.at[i];
	if (after && !place_after(&other->place, &(*after)->place))
		return;
	if (after)
		mark_release(*after);
	else
		after = ARRAY_ADD(&mark->after);
	if (!after)
		return;
	*after = other;
	other->references++;
}

/* A place in one stream, with two references: the caller's and the stream's. */
static struct mark *mark_add(struct track *track, uint32_t location, int64_t t)
{
	struct stream *stream = &track->analysis->device.streams[location];
	struct mark *mark = calloc(1, sizeof(*mark)), **at;
	size_t i;

	if (stream->marks.n % 64 == 63)
		marks_prune(stream);
	at = ARRAY_ADD(&stream->marks);
	if (!mark || !at) {
		stream->marks.n -= at != NULL;
		free(mark);
		fail(track);
		return NULL;
	}
	*mark = (struct mark){ .stream = location, .place = place_of(track, t), .references = 2, .end.t = INT64_MIN };
	for (i = stream->marks.n - 1; i > 0 && place_after(&stream->marks.at[i - 1]->place, &mark->place); i--)
		stream->marks.at[i] = stream->marks.at[i - 1];
	stream->marks.at[i] = mark;
	for (i = 0; i < stream->waits.n; i++)	/* what follows an event's wait follows the event */
		mark_follow(mark, stream->waits.at[i].mark);
	return mark;
}

/* The stream that a call names; MODEL_NONE: it names none. */
static uint32_t stream_named(const struct track *track, const struct event *event)
{
	const struct model *model = &track->analysis->model;
	const struct device_process *process = &track->analysis->device.processes[track->process];
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

static void need_add(struct track *track, struct mark *mark, bool polled)
{
	struct device_need *need = mark ? ARRAY_ADD(&track->replay.device_needs) : NULL;

	if (need)
		*need = (struct device_need){ mark, polled };
	else if (mark)
		fail(track);
}

/* No stream named: all of the device, or of the process. */
static void needs_add(struct track *track, const struct event *event, bool polled)
{
	const struct model *model = &track->analysis->model;
	const struct device_process *process = &track->analysis->device.processes[track->process];
	uint64_t device = 0, named;
	bool one = event_number(event, model->attributes[ATTRIBUTE_DEVICE], &device);
	bool has_stream = event_number(event, model->attributes[ATTRIBUTE_STREAM], &named);

	for (size_t i = 0; i < process->streams.n; i++) {
		const struct location *location = &model->locations.at[process->streams.at[i]];

		/* a stream whose activities overlap has several locations */
		if (has_stream ? location->ordinal == device && location->stream == named :
		    !one || location->ordinal == device)
			need_add(track, mark_add(track, process->streams.at[i], event->t), polled);
	}
}

static void event_record(struct track *track, const struct event *event)
{
	struct device_process *process = &track->analysis->device.processes[track->process];
	uint32_t stream = stream_named(track, event), number;
	uint64_t id;
	struct mark **at;

	if (stream == MODEL_NONE || !event_number(event, track->analysis->model.attributes[ATTRIBUTE_EVENT], &id))
		return;
	number = idmap_find(&process->events, KEY(id));
	if (number == IDMAP_NONE) {
		number = process->recorded.n;
		at = ARRAY_ADD(&process->recorded);
		if (!at || idmap_set(&process->events, KEY(id), number) < 0) {
			fail(track);
			return;
		}
	}
	mark_release(process->recorded.at[number]);
	process->recorded.at[number] = mark_add(track, stream, event->t);
}

/* What the event stands behind, with a reference; NULL: never recorded. */
static struct mark *event_mark(struct track *track, const struct event *event)
{
	struct device_process *process = &track->analysis->device.processes[track->process];
	uint64_t id;
	uint32_t number;

	if (!event_number(event, track->analysis->model.attributes[ATTRIBUTE_EVENT], &id))
		return NULL;
	number = idmap_find(&process->events, KEY(id));
	if (number == IDMAP_NONE || !process->recorded.at[number])
		return NULL;
	process->recorded.at[number]->references++;
	return process->recorded.at[number];
}

/* What comes to the stream from t on follows the mark, whose reference is taken over. */
static void wait_add(struct track *track, uint32_t location, struct mark *mark, int64_t t)
{
	struct stream_wait *wait = mark ? ARRAY_ADD(&track->analysis->device.streams[location].waits) : NULL;

	if (wait)
		*wait = (struct stream_wait){ place_of(track, t), mark };
	else
		fail(track);
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
	struct analysis *analysis = track->analysis;
	const struct device_process *process = &analysis->device.processes[track->process];
	struct stream *streams = analysis->device.streams, *stream = &streams[location];

	if (stream->order == STREAM_FREE)
		return;
	stream->nlaunched++;
	for (size_t i = 0; i < process->streams.n; i++) {
		uint32_t number = process->streams.at[i];
		struct stream *other = &streams[number];
		uint64_t *waited = stream->order == STREAM_LEGACY ? &other->behind : &stream->before;

		if (other->order == STREAM_FREE || other->order == stream->order || *waited == other->nlaunched ||
			analysis->model.locations.at[number].ordinal != analysis->model.locations.at[location].ordinal)
			continue;
		*waited = other->nlaunched;
		wait_add(track, location, mark_add(track, number, t), t);
	}
}

/* One call of an NCCL group: the kernel that is launched for the group carries no list of them. */
static void group_add(struct track *track, uint64_t id, const struct nccl_call *call)
{
	struct device_process *process = &track->analysis->device.processes[track->process];
	uint32_t number = idmap_find(&process->groups, KEY(id));
	struct nccl_call *at;

	if (number == IDMAP_NONE) {
		number = process->group_calls.n < GROUPS ? process->group_calls.n : process->next_group++ % GROUPS;
		if (number < process->group_calls.n)
			idmap_set(&process->groups, KEY(process->group_calls.at[number].id), IDMAP_NONE);
		else if (!ARRAY_ADD(&process->group_calls))
			return fail(track);
		if (idmap_set(&process->groups, KEY(id), number) < 0)
			return fail(track);
		process->group_calls.at[number].id = id;
		process->group_calls.at[number].calls.n = 0;
	}
	at = ARRAY_ADD(&process->group_calls.at[number].calls);
	if (at)
		*at = *call;
	else
		fail(track);
}

void device_call_enter(struct track *track, const struct region *region, const struct event *event)
{
	const OTF2_AttributeRef *attributes = track->analysis->model.attributes;
	struct nccl_call call;
	uint64_t number;

	if (track->process == MODEL_NONE)
		return;
	if (event_number(event, attributes[ATTRIBUTE_CORRELATION], &number) && launch_add(track, number, event->t) &&
		!track->analysis->options->summary && track->analysis->device.processes[track->process].has_legacy) {
		uint32_t location = stream_named(track, event);

		if (location != MODEL_NONE)
			legacy_order(track, location, event->t);
	}
	if (track->analysis->options->summary)	/* what waits for what is the replay's */
		return;
	if (region->kind == KIND_NCCL && event_number(event, attributes[ATTRIBUTE_GROUP], &number) &&
		nccl_call_read(track, event, &call))
		group_add(track, number, &call);
	switch (region->device_call) {
	case DEVICE_CALL_STREAM_SYNC: case DEVICE_CALL_DEVICE_SYNC:
		needs_add(track, event, false);
		break;
	case DEVICE_CALL_STREAM_QUERY:
		needs_add(track, event, true);
		break;
	case DEVICE_CALL_COPY:
		if (event_number(event, attributes[ATTRIBUTE_STREAM], &number))
			needs_add(track, event, true);
		break;
	case DEVICE_CALL_EVENT_SYNC: case DEVICE_CALL_EVENT_QUERY:
		need_add(track, event_mark(track, event), region->device_call == DEVICE_CALL_EVENT_QUERY);
		break;
	case DEVICE_CALL_RECORD:
		event_record(track, event);
		break;
	case DEVICE_CALL_WAIT_EVENT:
		stream_waits(track, event);
		break;
	default:
		break;
	}
}

/* What the call waits for has not all come by: it is parked at t. */
static bool device_park(struct track *track, int64_t t, struct track *slow)
{
	if (!track_watch(slow, track, INT64_MIN)) {
		fail(track);
		return true;
	}
	track->replay.parked = true;
	track->replay.leave = t;
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
		if (own && track->analysis->device.streams[stream].marks.n > 8)
			marks_prune(&track->analysis->device.streams[stream]);
	}
	track->replay.device_needs.n = 0;
}

bool device_call_leave(struct track *track, int64_t t, bool *settled)
{
	struct replay_track *replay = &track->replay;
	struct moment gate = replay->entered.moment;
	struct track *slow;

	*settled = false;
	for (size_t i = 0; i < replay->device_needs.n && !replay->forced; i++)
		if (!mark_ready(track->analysis, replay->device_needs.at[i].mark, t, &slow))
			return device_park(track, t, slow);
	for (size_t i = 0; i < replay->device_needs.n; i++) {
		struct moment end = mark_end(track->analysis, replay->device_needs.at[i].mark);

		if (end.t != INT64_MIN && (!replay->device_needs.at[i].polled || end.t <= t))
			moment_later(&gate, &end);
		*settled = true;
	}
	needs_drop(track);
	if (*settled)
		replay_settle(track, &gate, t);
	replay->parked = replay->forced = false;
	return true;
}

void device_replay_finish(struct analysis *analysis)
{
	struct device_replay *device = &analysis->device;
	uint64_t forgotten = device->nforgotten;

	if (!device->any)
		return;
	nccl_finish(analysis);
	for (size_t i = 0; i < analysis->model.locations.n; i++)
		forgotten += device->histories[i].nforgotten;
	if (forgotten)
		check_write(analysis, "run", "waits_resolved", false, "%" PRIu64 " waits were so long that part "
			"of what they were for is not known", forgotten);
	if (device->nlate)
		check_write(analysis, "run", "nccl_overlap", false, "%" PRIu64 " NCCL kernels began after another "
			"member's had ended: clocks are skewed or kernels are missing", device->nlate);
}
