/*
 * replay_socket.c - waits for other ranks through sockets. Merge says which write ended which wait
 * (tacho.message): the wait is gated by the begin of the write, what is left of it is transfer, as
 * that of a message of MPI.
 */
#include "config.h"

#include "engine/engine.h"
#include "model/family.h"
#include "tables/socket_row.h"

/* Instead of a communicator's number in channels. */
#define SOCKETS (MODEL_NONE - 1)

void socket_call(struct track *track, enum region_kind kind, const struct event *event)
{
	const OTF2_AttributeRef *refs = track->engine->tables.model.attributes;
	bool waits = kind == KIND_SOCKET;
	uint64_t partner;

	if (track->process == MODEL_NONE ||
		!event_number(event, refs[ATTRIBUTE_PARTNER], &partner) ||
		(waits && track->outer != track->stack.n))
		return;
	track_report(track,
		&(struct replay_input){ INPUT_SOCKET, .event = event, .wakes = !waits });
}

/* The process at the other end, MODEL_NONE: it is not in the trace. */
static uint32_t partner_of(const struct track *track, const struct event *event)
{
	const struct model *model = &track->engine->tables.model;
	uint64_t location;
	uint32_t at;

	if (!event_number(event, model->attributes[ATTRIBUTE_PARTNER], &location))
		return MODEL_NONE;
	at = idmap_find(&model->archive->locations.map, location);
	return at == IDMAP_NONE ? MODEL_NONE : model->locations.at[at].process;
}

/* One side of what passed through the socket has come by; NULL: it is not known which. */
static struct message *side_publish(struct track *track, const struct event *event, enum side side,
	uint32_t partner, const struct arrival *posted)
{
	struct engine *engine = track->engine;
	struct channel channel = { .comm = SOCKETS,
		.from = side == SIDE_SEND ? track->process : partner,
		.to = side == SIDE_SEND ? partner : track->process };
	struct message *message;
	uint64_t number;

	if (!event_number(event, engine->tables.model.attributes[ATTRIBUTE_MESSAGE], &number))
		return NULL;
	channel.tag = (uint32_t)number;
	message = message_publish(engine, &channel, side, posted);
	if (!message)
		track_fail(track);
	else if (peers_is_remote(&engine->peers, partner))
		engine->peers.calls->publish(engine, &channel, side, posted);
	return message;
}

static void written(struct track *track, const struct event *event, uint32_t partner)
{
	struct arrival posted;

	replay_moment(track, event->t, &posted.moment);
	path_to(track, event->t, &posted.path);
	message_release(track->engine, side_publish(track, event, SIDE_SEND, partner, &posted));
}

void socket_enter(struct track *track, const struct replay_input *input)
{
	struct replay_track *replay = &track->replay;
	uint32_t partner = partner_of(track, input->event);
	struct message *message;
	struct need *need;

	if (input->wakes) {
		if (partner != MODEL_NONE)
			written(track, input->event, partner);
		return;
	}
	replay_moment(track, input->event->t, &replay->entered.moment);
	path_to(track, input->event->t, &replay->entered.path);
	replay->partner = partner;
	replay->communicates = replay->completes_file = false;
	replay->needs.n = replay->lates.n = replay->nsettled = 0;
	message = partner == MODEL_NONE
		? NULL
		: side_publish(track, input->event, SIDE_RECV, partner, &replay->entered);
	if (!message)
		return;
	need = ARRAY_ADD(&replay->needs);
	if (!need)
		return track_fail(track);
	*need = (struct need){ .kind = NEED_SENDER, .posted = replay->entered, .message = message };
}

static struct socket_sum *sum_of(struct track *track, uint32_t partner)
{
	struct replay *replay = &track->engine->replay;
	struct socket_sum *sum;

	for (size_t i = 0; i < replay->socket_sums.n; i++)
		if (replay->socket_sums.at[i].process == track->process &&
			replay->socket_sums.at[i].partner == partner)
			return &replay->socket_sums.at[i];
	sum = ARRAY_ADD(&replay->socket_sums);
	if (sum)
		*sum = (struct socket_sum){ .process = track->process, .partner = partner };
	else
		track_fail(track);
	return sum;
}

/* The wait until `gate` was for the other rank, the rest was transfer. */
static void wait_count(struct track *track, int64_t gate, int64_t t)
{
	struct replay_track *replay = &track->replay;
	int64_t late = (gate < t ? gate : t) - replay->entered.t, all = t - replay->entered.t;
	struct socket_sum *sum;

	if (!track->is_rank || replay->partner == MODEL_NONE ||
		!(sum = sum_of(track, replay->partner)))
		return;
	sum->n++;
	sum->late += late;
	sum->transfer += all - late;
	replay->in_sockets += all;
	replay->waited_sockets += late;
	replay->waited += late;
	if (late)
		window_waited(track,
			process_ancestor(&track->engine->tables.model, replay->partner), late);
}

void sockets_finish(struct engine *engine)
{
	const struct model *model = &engine->tables.model;

	for (size_t i = 0; i < engine->replay.socket_sums.n; i++) {
		const struct socket_sum *sum = &engine->replay.socket_sums.at[i];

		socket_wait_put(&engine->tables.db, model->processes.at[sum->process].id,
			model->processes.at[sum->partner].id, sum->n, sum->late, sum->transfer);
	}
}

bool socket_leave(struct track *track, int64_t t, bool *settled)
{
	struct replay_track *replay = &track->replay;
	const struct message *message;
	struct arrival gate;

	*settled = false;
	if (!needs_met(track, t))
		return false;
	gate = replay->entered;
	message = replay->needs.n ? replay->needs.at[0].message : NULL;
	if (message && message->known[SIDE_SEND] && message->posted[SIDE_SEND].t > gate.t)
		gate = message->posted[SIDE_SEND];
	if (message && message->known[SIDE_SEND])
		moment_later(&gate.moment, &message->posted[SIDE_SEND].moment);
	moment_later(&gate.moment, &replay->entered.moment);
	wait_count(track, gate.t, t);
	path_take(track, &gate.path, gate.t, t, HOST_WAIT);
	clocks_set(track, &gate, t, replay->partner == MODEL_NONE);
	if (message) {
		replay->needs.at[0].message->waiting[SIDE_RECV] = MODEL_NONE;
		message_release(track->engine, replay->needs.at[0].message);
	}
	replay->needs.n = 0;
	replay->parked = replay->forced = false;
	*settled = true;
	return true;
}
