/*
 * report.c - reports of a track: they go to the replay and to windows at once, or into the queue of
 * a track that has gone ahead, from where they are played; see ../common/deferred.h.
 */
#include "config.h"

#include "engine/common/deferred_queue.h"

static void call_enter(struct track *track, const struct replay_input *input)
{
	replay_enter(track, input->event->t, input->region);
	if (!kind_communicates(input->call))
		return;
	replay_number(track, input->event);
	if (input->region->ungated || input->region->polls)
		replay_probe(track, input->event);
}

bool outer_leave(struct track *track, enum region_kind kind, int64_t t, bool *settled)
{
	*settled = false;
	if (kind_communicates(kind)) {
		*settled = !track->engine->tables.summary;
		return !*settled || replay_leave(track, t);
	}
	if (track->replay.call)
		return replay_leave_file(track, t, settled);
	if (kind == KIND_SOCKET)
		return track->engine->tables.summary || socket_leave(track, t, settled);
	if (track->engine->device.any && (kind == KIND_CUDA || kind == KIND_NCCL))
		return device_call_leave(track, t, settled);
	return !track->engine->device.handovers || kind != KIND_WAIT ||
		handover_leave(track, t, settled);
}

/* `settled` is of no use: without devices no clock stops in a state. */
static bool call_leave(struct track *track, const struct replay_input *input)
{
	bool settled;

	if (input->forced)
		replay_force(track);
	if (!outer_leave(track, input->call, input->t, &settled))
		return false;
	track->replay.forced = track->replay.queued = false;
	return true;
}

static void wait_enter(struct track *track, const struct replay_input *input)
{
	replay_moment(track, input->t, &track->replay.entered.moment);
	track->replay.times_out = input->region->times_out;
}

/* A part of the run begins or ends: what polls wait for until then belongs to the one before. */
static void window_take(struct track *track, const struct replay_input *input)
{
	track->replay.polls.open = false;
	switch (input->kind) {
	case INPUT_WINDOW_ENTER: window_enter(track, input->region, input->event); break;
	case INPUT_WINDOW_LEAVE: window_leave(track, input->event, input->truncated); break;
	case INPUT_FOUND_ENTER: window_found_enter(track, input->t, input->step); break;
	case INPUT_FOUND_LEAVE: window_found_leave(track, input->t); break;
	case INPUT_ACTIVE_ENTER: window_active_enter(track, input->t, input->step); break;
	case INPUT_ACTIVE_LEAVE: window_active_leave(track, input->t); break;
	default: break;
	}
}

static bool input_take(struct track *track, const struct replay_input *input)
{
	switch (input->kind) {
	case INPUT_ENTER: call_enter(track, input); break;
	case INPUT_WAIT: wait_enter(track, input); break;
	case INPUT_LEAVE: return call_leave(track, input);
	case INPUT_EVENT: replay_event(track, input->event); break;
	case INPUT_FILE: replay_file(track, input->event); break;
	case INPUT_SYNC: handover_enter(track, input); break;
	case INPUT_SOCKET: socket_enter(track, input); break;
	default: window_take(track, input);
	}
	return true;
}

bool track_report(struct track *track, const struct replay_input *input)
{
	struct deferred_entry *entry;

	if (!track->is_ahead)
		return input_take(track, input);
	entry = reel_add(&track->deferred->entries, sizeof(*entry));
	if (!entry) {
		track_fail(track);
		return true;
	}
	entry->kind = (unsigned char)input->kind;
	entry->call = (unsigned char)input->call;
	entry->wakes = input->wakes;
	entry->process_wide = input->process_wide;
	entry->reads = input->reads;
	entry->truncated = input->truncated;
	entry->forced = input->forced;
	entry->whole = deferred_is_whole(track, input);
	entry->nread = track->cursor.nread;
	entry->last = track->last;
	if (input->kind == INPUT_FOUND_ENTER || input->kind == INPUT_ACTIVE_ENTER)
		entry->step = input->step;
	else
		entry->region = input->region;
	entry->nchanges = track->deferred->nchanges;
	track->deferred->nchanges = 0;
	if (entry->whole && !deferred_event_keep(track, input->event)) {
		entry->whole = false;
		track_fail(track);
	}
	return true;
}

/* The states that the track had been through at the entry: once, also where it is tried again. */
static void changes_play(struct track *track, struct deferred_entry *entry)
{
	struct reel *changes = &track->deferred->changes;

	for (; entry->nchanges; entry->nchanges--) {
		const struct deferred_change *change = reel_at(changes, changes->nplayed++,
			sizeof(*change));

		if (change->is_sum) {
			track->summed[change->state] += change->t;
			continue;
		}
		if (change->is_step) {
			track->stepped[change->part] += change->t;
			continue;
		}
		track->spent[track->state] += change->t - track->since;
		network_spend(track, change->t);
		track->slept = track_slept(track, change->t);
		track->state = change->state;
		track->sleeps = change->sleeps;
		track->since = change->t;
		track->parts[track->part] += change->t - track->part_since;
		track->part = (enum training)change->part;
		track->part_since = change->t;
	}
}

/* `plain`: an event of which nothing but its time is known. */
static bool entry_play(struct track *track, struct deferred_entry *entry, struct event *plain)
{
	struct in_value own[KEPT_MOST];
	struct event event;
	struct replay_input input = { .kind = (enum replay_input_kind)entry->kind,
		.call = (enum region_kind)entry->call,
		.wakes = entry->wakes,
		.process_wide = entry->process_wide,
		.reads = entry->reads,
		.truncated = entry->truncated,
		.forced = entry->forced,
		.t = entry->last,
		.event = entry->whole ? &event : plain };

	if (entry->kind == INPUT_FOUND_ENTER || entry->kind == INPUT_ACTIVE_ENTER)
		input.step = entry->step;
	else
		input.region = entry->region;
	if (entry->whole)
		deferred_event_restore(track, entry->last, &event, own);
	else
		plain->t = entry->last;
	track->last = entry->last;
	changes_play(track, entry);
	track->deferred->nread = entry->nread;
	return input_take(track, &input);
}

bool deferred_play(struct track *track)
{
	struct deferred *deferred = track->deferred;
	struct reel *entries = &deferred->entries;
	struct event plain = { 0 };

	while (entries->nplayed < entries->nwritten) {
		struct deferred_entry *entry = entry_next(deferred);

		if (!entry_play(track, entry, &plain)) {
			deferred->nread = 0;
			deferred_fetch(deferred);
			return false;
		}
		deferred->events.nplayed += entry->whole;
		entries->nplayed++;
	}
	deferred->nread = 0;
	view_set(track, &deferred->ahead);
	track->is_ahead = false;
	deferred_rewind(deferred);
	return true;
}
