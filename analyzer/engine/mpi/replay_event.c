/* replay_event.c - an event of communication comes to the replay, or waits for its post; see replay.h. */
#include "config.h"

#include "engine/engine.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void replay_event(struct track *track, const struct event *event)
{
	struct replay_track *replay = &track->replay;
	struct arrival outside;

	if (track->process == MODEL_NONE || event->kind == EVENT_REQUEST_TEST)
		return;
	replay->communicates = true;
	replay->bytes = larger(replay->bytes, larger(event->bytes, event->received));
	replay->finds |= event_completes(event) || event->kind == EVENT_RECV ||
		event->kind == EVENT_RMA_SYNC;
	track->engine->replay.noperations++;
	if (event_completes(event) && late_add(track, event))
		return;
	if (replay->call) {
		replay_operation(track, event, &replay->entered);
		return;
	}
	replay_moment(track, event->t, &outside.moment);
	path_to(track, event->t, &outside.path);
	replay_operation(track, event, &outside);
}
