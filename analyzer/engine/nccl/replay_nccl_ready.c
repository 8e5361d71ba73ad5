/*
 * replay_nccl_ready.c - whether all members that gate an activity have come by, and for which one
 * its stream waits until then; see replay_nccl.h. Only a definition in the trace states how many
 * members a communicator has. Without one, an instance is complete when every stream has come past
 * its end, and from then on the communicator's size is known.
 */
#include "config.h"

#include "engine/engine.h"

static bool takes_part(const struct stream *stream, uint32_t instance)
{
	for (size_t i = 0; i < stream->uses.n; i++)
		if (stream->uses.at[i].instance == instance)
			return true;
	return false;
}

/* The activity that the stream has at hand may turn out to be a member. */
static bool may_join(const struct engine *engine, const struct stream *stream, uint32_t number)
{
	const struct nccl_instance *instance = &engine->device.nccl.instances.at[number];

	return stream->class == ACTIVITY_NCCL &&
		(stream->grouped || !stream->communicates ||
			(stream->call.seq == instance->seq &&
				stream->call.comm ==
					engine->device.nccl.comms.at[instance->comm].id));
}

/* The stream can bring no further member of an instance that ended at t. */
static bool stream_passed(const struct engine *engine, uint32_t location, uint32_t instance,
	int64_t t)
{
	const struct stream *stream = &engine->device.streams[location];
	const struct track *track = &engine->tracks[location];

	if (stream->state == STREAM_IDLE)
		return (track->cursor.ended && !track->replay.parked) ||
			(track->any && track->last > t);
	return stream->start > t ||
		(stream->state == STREAM_COMMUNICATING &&
			(stream->stop > t ||
				(stream->stop == t && takes_part(stream, instance)))) ||
		/* one without length proves nothing: the next may begin at t as well */
		(stream->start == t && stream->state != STREAM_OPEN && stream->stop > t &&
			!may_join(engine, stream, instance));
}

/* The stream at this place, or the next one; MODEL_NONE after the last. */
static uint32_t stream_at(const struct model *model, struct stream_place *at)
{
	for (; at->device < model->devices.n; at->device++, at->stream = 0)
		if (at->stream < model->devices.at[at->device].streams.n)
			return model->devices.at[at->device].streams.at[at->stream];
	return MODEL_NONE;
}

/* Continues to a stream that may still bring a member. */
static uint32_t behind_from(const struct engine *engine, struct stream_place *at, uint32_t instance,
	int64_t t)
{
	uint32_t location;

	while ((location = stream_at(&engine->tables.model, at)) != MODEL_NONE &&
		(!peers_reads_here(&engine->peers, location) ||
			stream_passed(engine, location, instance, t)))
		at->stream++;
	return location;
}

/*
 * A stream that may still bring a member; NULL: none. Each member that comes
 * asks: where the last one found one is kept, as a stream that has come past
 * never goes back.
 */
static struct track *stream_behind(struct engine *engine, uint32_t number, int64_t t)
{
	struct nccl_instance *instance = &engine->device.nccl.instances.at[number];
	struct stream_place at;
	uint32_t location;

	if (t > instance->passed_until) {
		instance->passed = (struct stream_place){ 0, 0 };
		instance->passed_until = t;
	}
	location = behind_from(engine, &instance->passed, number, instance->passed_until);
	at = instance->passed;
	if (t < instance->passed_until)
		location = behind_from(engine, &at, number, t);
	return location == MODEL_NONE ? NULL : &engine->tracks[location];
}

static bool root_there(const struct nccl_instance *instance)
{
	for (size_t i = 0; i < instance->members.n; i++)
		if (nccl_is_root(instance, i))
			return true;
	return false;
}

/* The member need not wait for others: they exist, or no other waits for them. */
static bool member_ready(const struct engine *engine, const struct nccl_instance *instance,
	uint32_t member)
{
	uint32_t size = nccl_size(&engine->device.nccl, instance);

	if (instance->closed || (size && instance->members.n >= size))
		return true;
	switch (nccl_ops[instance->op].gate) {
	case GATE_ROOT: return nccl_is_root(instance, member) || root_there(instance);
	case GATE_AT_ROOT: return !nccl_is_root(instance, member);
	default: return false;
	}
}

/* All streams have come past: the known members are all. */
static void instance_close(struct engine *engine, struct nccl_instance *instance)
{
	struct nccl_comm *comm = &engine->device.nccl.comms.at[instance->comm];

	instance->closed = true;
	if (!instance->pair && comm->defined == MODEL_NONE && instance->members.n > comm->size)
		comm->size = instance->members.n;
}

bool nccl_is_awaited(const struct engine *engine, uint64_t key)
{
	const struct nccl_replay *nccl = &engine->device.nccl;
	uint32_t number = idmap_find(&nccl->instance_numbers, key), size;
	const struct nccl_instance *instance;

	if (number == IDMAP_NONE)
		return false;
	instance = &nccl->instances.at[number];
	size = nccl_size(nccl, instance);
	return !instance->closed && (!size || instance->members.n < size);
}

bool nccl_passed(struct engine *engine, uint64_t key, int64_t t)
{
	uint32_t number = idmap_find(&engine->device.nccl.instance_numbers, key);

	return number == IDMAP_NONE || !stream_behind(engine, number, t);
}

void nccl_confirmed(struct engine *engine, uint64_t key)
{
	uint32_t number = idmap_find(&engine->device.nccl.instance_numbers, key);
	struct nccl_instance *instance = number == IDMAP_NONE
		? NULL
		: &engine->device.nccl.instances.at[number];

	if (!instance)
		return;
	instance->nconfirmed++;
	nccl_wake(engine, instance, MODEL_NONE);
}

/* Whether other readers have come past an instance that ended at t; they are asked once. */
static bool others_passed(struct engine *engine, struct nccl_instance *instance, int64_t t)
{
	if (!engine->peers.n || instance->nconfirmed == engine->peers.n - 1)
		return true;
	if (!instance->asked)
		engine->peers.calls->nccl_ask(engine, instance->key, t);
	instance->asked = true;
	return false;
}

/*
 * The track parks. One of the parked tracks checks whether members can still come: the one that
 * ends its part first, as it is the first to know that none can. More tracks that check the same
 * would be woken in vain each time that it continues.
 */
static bool instance_wait(struct track *track, struct nccl_instance *instance, int64_t stop,
	struct track *slow)
{
	uint32_t *at = ARRAY_ADD(&instance->waiting);

	if (!at)
		return false;
	*at = track->location;
	if (!slow || (stop >= instance->watched && instance->watcher != track->location))
		return true;
	instance->watcher = track->location;
	instance->watched = stop;
	return track_watch(slow, track, stop);
}

bool nccl_ready(struct track *track)
{
	struct engine *engine = track->engine;
	struct stream *stream = &engine->device.streams[track->location];

	for (size_t i = 0; i < stream->uses.n; i++) {
		struct nccl_instance *instance = &engine->device.nccl.instances
							  .at[stream->uses.at[i].instance];
		struct track *slow;

		if (member_ready(engine, instance, stream->uses.at[i].member))
			continue;
		slow = stream_behind(engine, stream->uses.at[i].instance, stream->stop);
		if (others_passed(engine, instance, stream->stop) && !slow) {
			instance_close(engine, instance);
			nccl_wake(engine, instance, track->location);
			continue;
		}
		engine->tables.failed |= !instance_wait(track, instance, stream->stop, slow);
		return false;
	}
	return true;
}
