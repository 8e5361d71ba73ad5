/*
 * replay_message.c - one side of a message of MPI: the result of a probe, the data for other
 * readers, and the wait of a call; see replay.h.
 */
#include "config.h"

#include "engine/engine.h"

void message_need(struct track *track, const struct need *need)
{
	struct need *at;

	if (!track->replay.call || (need->kind == NEED_RECEIVER && need->mode == SEND_EAGER)) {
		message_release(track->engine, need->message);
		return;
	}
	at = ARRAY_ADD(&track->replay.needs);
	if (!at)
		track_fail(track);
	else
		*at = *need;
}

struct message *probed_find(struct track *track, const struct channel *channel, bool take)
{
	struct replay_process *process = &track->engine->replay.processes[track->process];

	for (size_t i = 0; i < process->probed.n; i++) {
		struct probed *at = &process->probed.at[i];
		struct message *message = at->message;

		if (at->channel.comm != channel->comm || at->channel.from != channel->from ||
			at->channel.tag != channel->tag)
			continue;
		if (take)
			*at = process->probed.at[--process->probed.n];
		return message;
	}
	return NULL;
}

/* A receive of a probed message gets that one, else the next in the channel. */
static struct message *channel_publish(struct track *track, const struct channel *channel,
	enum side side, const struct arrival *posted)
{
	struct message *probed = side == SIDE_RECV ? probed_find(track, channel, true) : NULL;

	if (!probed)
		return message_publish(track->engine, channel, side, posted);
	message_receive(track->engine, probed, posted);
	return probed;
}

struct message *message_side(struct track *track, const struct channel *channel, enum side side,
	const struct arrival *posted)
{
	struct message *message = channel_publish(track, channel, side, posted);

	if (!message)
		track_fail(track);
	if (peers_is_remote(&track->engine->peers, side == SIDE_SEND ? channel->to : channel->from))
		track->engine->peers.calls->publish(track->engine, channel, side, posted);
	return message;
}
