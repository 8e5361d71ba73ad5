/*
 * replay_wait.c - hand-overs: a wait waited for the last waking call on its object before it
 * returned; see replay_device.h. Addresses have a meaning in their process, numbers of pipes among
 * relatives. Without devices hand-overs lead the critical path through helpers, and nothing else.
 */
#include "config.h"

#include "engine/engine.h"

enum { MANY = 16 };

/* Processes that may share the object are distinguished by the first of them. */
static struct sync_object *object_of(struct track *track, uint64_t sync, bool process_wide)
{
	struct device_replay *device = &track->engine->device;
	uint32_t scope = process_wide ? track->process : device->processes[track->process].family;
	uint64_t key = 1ull << 63 | hash_mix(sync, (uint64_t)scope << 1 | process_wide);
	uint32_t number = idmap_find(&device->objects, key);

	if (number != IDMAP_NONE)
		return &device->syncs.at[number];
	if (!ARRAY_ADD(&device->syncs) || idmap_set(&device->objects, key, device->syncs.n - 1) < 0)
		return NULL;
	return &device->syncs.at[device->syncs.n - 1];
}

/* A thread of the scope that has not come past t; NULL: none. */
static struct track *scope_behind(struct track *track, bool process_wide, int64_t t)
{
	const struct device_process *processes = track->engine->device.processes;
	uint32_t i = process_wide ? track->process : processes[track->process].family;
	struct track *slow = NULL;

	for (; i != MODEL_NONE && !slow; i = process_wide ? MODEL_NONE : processes[i].relative)
		slow = threads_behind(track, &processes[i], t, true);
	return slow;
}

/* All threads have come past the last of these wakes: older ones cannot belong to any wait. */
static void wakes_prune(struct track *track, struct sync_object *object, bool process_wide)
{
	size_t first = object->wakes.n - 1;

	while (first > 0 && scope_behind(track, process_wide, object->wakes.at[first].t))
		first = first * 3 / 4;
	for (size_t i = first; i < object->wakes.n; i++)
		object->wakes.at[i - first] = object->wakes.at[i];
	object->wakes.n -= first;
}

/* Of a rank's threads, the ones feed it that read files, or that a child has woken. */
static void wake_add(struct track *track, uint64_t sync, const struct replay_input *input)
{
	struct sync_object *object = object_of(track, sync, input->process_wide);
	int64_t t = input->event->t;
	struct wake *wake;
	size_t i;

	if (object && object->wakes.n % MANY == MANY - 1)
		wakes_prune(track, object, input->process_wide);
	if (!object || !ARRAY_ADD(&object->wakes))
		return track_fail(track);
	for (i = object->wakes.n - 1; i > 0 && object->wakes.at[i - 1].t > t; i--)
		object->wakes.at[i] = object->wakes.at[i - 1];
	wake = &object->wakes.at[i];
	*wake = (struct wake){ .t = t,
		.thread = track->location,
		.feeds = !track->is_rank && (input->reads || track->replay.fed),
		.carries = !track->is_rank && track->replay.carries };
	replay_moment(track, t, &wake->at.moment);
	if (track->engine->tables.summary)
		return;
	path_to(track, t, &wake->at.path);
	path_since(track, t, &wake->since);
}

void handover_enter(struct track *track, const struct replay_input *input)
{
	uint64_t sync;

	if (track->process == MODEL_NONE ||
		!event_number(input->event, track->engine->tables.model.attributes[ATTRIBUTE_SYNC],
			&sync))
		return;
	if (input->wakes) {
		if (sync) /* else no thread waited */
			wake_add(track, sync, input);
		return;
	}
	track->replay.waits = true;
	track->replay.process_wide = input->process_wide;
	track->replay.for_child = input->region && input->region->for_child;
	track->replay.sync = sync;
}

/* The last wake up to t by another thread, NULL: none. */
static const struct wake *wake_find(struct track *track, int64_t t)
{
	const struct sync_object *object = object_of(track, track->replay.sync,
		track->replay.process_wide);

	for (size_t i = object ? object->wakes.n : 0; i > 0; i--)
		if (object->wakes.at[i - 1].t <= t &&
			object->wakes.at[i - 1].thread != track->location)
			return &object->wakes.at[i - 1];
	return NULL;
}

/* The path continues where the wake came from. */
static void wake_follow(struct track *track, const struct wake *wake, int64_t t)
{
	if (wake->since.t)
		path_take_since(track, &track->engine->tracks[wake->thread], &wake->since, wake->t,
			t);
	else
		path_take(track, &wake->at.path, wake->t, t, HOST_WAIT);
}

static bool has_child(const struct track *track)
{
	const struct device_process *processes = track->engine->device.processes;
	const struct process *all = track->engine->tables.model.processes.at;
	uint32_t i = processes[track->process].family;

	while (i != MODEL_NONE && (all[i].parent != track->process || all[i].rank >= 0))
		i = processes[i].relative;
	return i != MODEL_NONE;
}

static void feeder_add(struct replay_track *replay, uint32_t thread, int64_t ns)
{
	for (struct feeder *feeder = replay->feeders; feeder < replay->feeders + FEEDERS;
		feeder++) {
		if (feeder->ns && feeder->thread != thread)
			continue;
		feeder->thread = thread;
		feeder->ns += ns;
		return;
	}
}

/*
 * A wait that a child ended was for input as well: threads of communication belong to the rank
 * itself. NULL: not known, as the ends of a socket have different numbers. Python's workers send
 * their memory through sockets. A wait is not for input when the end of a child ended it, as a
 * shell's command does.
 */
static void wait_add(struct track *track, const struct wake *wake, int64_t t)
{
	const struct engine *engine = track->engine;
	uint32_t waker = wake ? engine->tracks[wake->thread].process : MODEL_NONE;
	bool child = wake
		? waker != track->process && engine->tables.model.processes.at[waker].rank < 0
		: !track->replay.process_wide && track->replay.sync && has_child(track);

	if (track->replay.for_child)
		return;
	if (track->is_rank && waker == track->process)
		feeder_add(&track->replay, wake->thread, t - track->replay.entered.t);
	track->replay.fed |= child;
	if (child || (wake && wake->feeds)) {
		int64_t ns = t - track->replay.entered.t;

		track->replay.waited_readers += ns;
		if (ns > track->replay.longest_readers)
			track->replay.longest_readers = ns;
	}
}

bool handover_leave(struct track *track, int64_t t, bool *settled)
{
	struct replay_track *replay = &track->replay;
	struct engine *engine = track->engine;
	struct moment gate = replay->entered.moment;
	struct track *slow;
	const struct wake *wake;

	*settled = false;
	if (!replay->waits) {
		if (replay->times_out)
			socket_polled(track, t);
		return true;
	}
	slow = replay->forced ? NULL : scope_behind(track, replay->process_wide, t);
	if (slow) {
		if (!track_watch(slow, track, t))
			track_fail(track);
		replay->parked = true;
		replay->leave = t;
		return false;
	}
	wake = wake_find(track, t);
	replay->waits = replay->parked = replay->forced = false;
	wait_add(track, wake, t);
	if (!wake) {
		path_blind(track, replay->entered.t, t);
		return true;
	}
	if (wake->t > replay->entered.t && !engine->tables.summary)
		sockets_take(track, &engine->tracks[wake->thread], replay->entered.t, wake->t);
	socket_woken(track);
	moment_later(&gate, &wake->at.moment);
	if (wake->t > replay->entered.t && !engine->tables.summary)
		wake_follow(track, wake, t);
	/* an ideal network leaves such a thread nothing to do; a main thread's wait is for other ranks' data */
	if (wake->carries && !track->is_rank)
		gate.clock[SCENARIO_NETWORK] = replay->entered.clock[SCENARIO_NETWORK];
	replay_settle(track, &gate, t,
		(enum freedom)(wake->carries && track->is_rank ? FREE_HOST : FREE_HOST | COUPLED));
	*settled = true;
	if (engine->device.any && wake->t > replay->entered.t &&
		history_resolve(&engine->device.histories[track->location],
			&engine->device.histories[wake->thread], wake->t, t) < 0)
		track_fail(track);
	return true;
}
