/*
 * replay_rma.c - post, start, complete and wait of a window as messages between the ranks that name
 * each other: a post is received by the start (which may wait for it, as a standard send for its
 * receive) and by the complete (which must), the end of a complete by the wait.
 */
#include "config.h"

#include "engine/engine.h"

/* Tags of such messages, with the window's number: MPI's are below. */
enum { WINDOW_TAG = 1u << 31 };
enum turn { TURN_START, TURN_COMPLETE, TURN_END, TURNS };

/* Place of a window by its reference, MODEL_NONE: it was not defined. */
static uint32_t window_of(const struct track *track, uint64_t ref)
{
	const struct archive *archive = track->engine->tables.model.archive;
	uint32_t at = idmap_find(&archive->windows.map, ref);

	return at == IDMAP_NONE ? MODEL_NONE : at;
}

/* The track's side; NULL: without memory. */
static struct message *turn_take(struct track *track, const struct channel *key, enum turn turn,
	enum side side, const struct arrival *now)
{
	struct channel channel = *key;

	channel.tag = WINDOW_TAG | (key->tag * TURNS + turn);
	channel.from = side == SIDE_SEND ? track->process : key->to;
	channel.to = side == SIDE_SEND ? key->to : track->process;
	return message_side(track, &channel, side, now);
}

/* … which the call waits for as a receive, or as a send in that mode. */
static void turn_wait(struct track *track, const struct channel *key, enum turn turn,
	enum side side, enum send_mode mode, const struct arrival *now)
{
	struct message *message = turn_take(track, key, turn, side, now);

	if (message)
		message_need(track,
			&(struct need){ .kind = side == SIDE_SEND ? NEED_RECEIVER : NEED_SENDER,
				.mode = mode,
				.posted = *now,
				.message = message });
}

void replay_window(struct track *track, const struct event *event, const struct arrival *now)
{
	struct model *model = &track->engine->tables.model;
	uint32_t window = window_of(track, event->ref);
	struct channel key = { .tag = window };

	key.comm = window == MODEL_NONE
		? MODEL_NONE
		: model_comm(model, model->archive->windows.at[window].comm);
	if (key.comm == MODEL_NONE || !track->replay.call)
		return;
	key.to = model_peer(model, key.comm, track->process, event->peer);
	if (key.to == MODEL_NONE)
		return;
	switch (track->replay.call->sync) {
	case RMA_POST:
		message_release(track->engine, turn_take(track, &key, TURN_START, SIDE_RECV, now));
		message_release(track->engine,
			turn_take(track, &key, TURN_COMPLETE, SIDE_RECV, now));
		break;
	case RMA_START: turn_wait(track, &key, TURN_START, SIDE_SEND, SEND_STANDARD, now); break;
	case RMA_COMPLETE:
		turn_wait(track, &key, TURN_COMPLETE, SIDE_SEND, SEND_RENDEZVOUS, now);
		message_release(track->engine, turn_take(track, &key, TURN_END, SIDE_SEND, now));
		break;
	case RMA_WAIT: turn_wait(track, &key, TURN_END, SIDE_RECV, SEND_EAGER, now); break;
	case RMA_NONE: break;
	}
}
