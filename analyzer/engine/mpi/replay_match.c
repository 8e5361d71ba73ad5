/*
 * replay_match.c - which send belongs to which receive: first come, first served in each channel;
 * see replay.h.
 */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"
#include "base/log.h"

enum { BLOCK = 256 };

static struct message *message_new(struct replay *replay)
{
	struct message *message = replay->free_message, **block;

	if (!message) {
		block = ARRAY_ADD(&replay->blocks);
		*(block ? block : &message) = message = calloc(BLOCK, sizeof(*message));
		if (!block || !message) {
			log_error("out of memory for the messages in flight");
			return NULL;
		}
		for (int i = 0; i + 1 < BLOCK; i++)
			message[i].next = &message[i + 1];
	}
	replay->free_message = message->next;
	*message = (struct message){ .waiting = { MODEL_NONE, MODEL_NONE } };
	return message;
}

void message_release(struct engine *engine, struct message *message)
{
	if (!message || --message->references)
		return;
	message->next = engine->replay.free_message;
	engine->replay.free_message = message;
}

static bool same(const struct channel *a, const struct channel *b)
{
	return a->comm == b->comm && a->from == b->from && a->to == b->to && a->tag == b->tag;
}

/*
 * Number of the channel, made when it is new. Keys that mix to the same hash are after each
 * other.
 */
static uint32_t channel_find(struct replay *replay, const struct channel *key, uint64_t *hash)
{
	struct channel *channel;
	uint32_t number;

	*hash = hash_mix((uint64_t)key->comm << 32 | key->tag,
			(uint64_t)key->from << 32 | key->to) |
		1ull << 63;
	while ((number = idmap_find(&replay->channel_numbers, *hash)) != IDMAP_NONE) {
		if (same(&replay->channels.at[number], key))
			return number;
		++*hash;
	}
	if (replay->free_channel != IDMAP_NONE) {
		number = replay->free_channel;
		channel = &replay->channels.at[number];
		replay->free_channel = channel->next_free;
	} else {
		number = replay->channels.n;
		channel = ARRAY_ADD(&replay->channels);
	}
	if (!channel || idmap_set(&replay->channel_numbers, *hash, number) < 0)
		return IDMAP_NONE;
	*channel = *key;
	channel->head = channel->tail = NULL;
	return number;
}

/* Takes the oldest message off; an empty channel is given back, tags may never come again. */
static struct message *channel_take(struct replay *replay, uint32_t number, uint64_t hash)
{
	struct channel *channel = &replay->channels.at[number];
	struct message *message = channel->head;

	channel->head = message->next;
	if (!channel->head) {
		idmap_set(&replay->channel_numbers, hash, IDMAP_NONE);
		channel->next_free = replay->free_channel;
		replay->free_channel = number;
	}
	return message;
}

/* A new message after all others, with a reference for each side; NULL without memory. */
static struct message *channel_append(struct replay *replay, struct channel *channel,
	enum side side)
{
	struct message *message = message_new(replay);

	if (!message)
		return NULL;
	message->references = 2;
	message->next = NULL;
	if (channel->head)
		channel->tail->next = message;
	else
		channel->head = message;
	channel->tail = message;
	channel->side = side;
	return message;
}

struct message *message_publish(struct engine *engine, const struct channel *key, enum side side,
	const struct arrival *posted)
{
	struct replay *replay = &engine->replay;
	uint64_t hash;
	uint32_t number = channel_find(replay, key, &hash);
	struct channel *channel = number == IDMAP_NONE ? NULL : &replay->channels.at[number];
	struct message *message;

	if (!channel)
		return NULL;
	if (channel->head && channel->side != side) {
		message = channel_take(replay, number, hash);
		if (message->waiting[!side] != MODEL_NONE)
			replay_wake(engine, message->waiting[!side]);
		message->waiting[!side] = MODEL_NONE;
	} else {
		message = channel_append(replay, channel, side);
		if (!message)
			return NULL;
	}
	message->receiver = key->to;
	message->known[side] = true;
	message->posted[side] = *posted;
	return message;
}

struct message *message_probe(struct engine *engine, const struct channel *key)
{
	struct replay *replay = &engine->replay;
	uint64_t hash;
	uint32_t number = channel_find(replay, key, &hash);
	struct channel *channel = number == IDMAP_NONE ? NULL : &replay->channels.at[number];
	struct message *message;

	if (!channel)
		return NULL;
	if (channel->head && channel->side == SIDE_SEND) {
		message = channel_take(replay, number, hash);
	} else { /* represents the receive, which is not known yet */
		message = channel_append(replay, channel, SIDE_RECV);
		if (!message)
			return NULL;
	}
	message->receiver = key->to;
	message->references++;
	return message;
}

void message_receive(struct engine *engine, struct message *message, const struct arrival *posted)
{
	message->known[SIDE_RECV] = true;
	message->posted[SIDE_RECV] = *posted;
	if (message->waiting[SIDE_SEND] != MODEL_NONE)
		replay_wake(engine, message->waiting[SIDE_SEND]);
	message->waiting[SIDE_SEND] = MODEL_NONE;
}
