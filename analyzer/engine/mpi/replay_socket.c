/*
 * replay_socket.c - waits for other ranks through sockets. Merge states which write ended which
 * wait (tacho.message): the begin of the write gates the wait; the rest of the wait is transfer, as
 * for a message of MPI.
 */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"
#include "model/family.h"
#include "tables/socket_row.h"

/* Instead of a communicator's number in channels. */
#define SOCKETS (MODEL_NONE - 1)

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

	replay->carries |= partner != MODEL_NONE &&
		process_ancestor(&track->engine->tables.model, partner) !=
			process_ancestor(&track->engine->tables.model, track->process);
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
	uint64_t key = idmap_key((uint64_t)track->process << 32 | partner);
	uint32_t number = idmap_find(&replay->socket_numbers, key);
	struct socket_sum *sum;

	if (number != IDMAP_NONE)
		return &replay->socket_sums.at[number];
	sum = ARRAY_ADD(&replay->socket_sums);
	if (!sum || idmap_set(&replay->socket_numbers, key, replay->socket_sums.n - 1) < 0) {
		track_fail(track);
		return NULL;
	}
	*sum = (struct socket_sum){ .process = track->process, .partner = partner };
	return sum;
}

/* What a rank's main thread waited for another rank. */
static void rank_count(struct track *track, uint32_t partner, int64_t ns, bool late)
{
	struct replay_track *replay = &track->replay;
	struct socket_sum *sum = sum_of(track, partner);

	if (!sum)
		return;
	*(late ? &sum->late : &sum->transfer) += ns;
	replay->in_sockets += ns;
	if (!late)
		return;
	replay->waited_sockets += ns;
	replay->waited += ns;
	window_waited(track, process_ancestor(&track->engine->tables.model, partner), ns);
}

static void piece_keep(struct track *track, struct remote_pieces **pieces,
	const struct remote_piece *piece)
{
	if (!*pieces && !(*pieces = calloc(1, sizeof(**pieces))))
		return track_fail(track);
	(*pieces)->at[(*pieces)->n++ % PIECES_MOST] = *piece;
}

/* The oldest one that exists. */
static uint64_t pieces_first(const struct remote_pieces *pieces)
{
	return pieces->n > PIECES_MOST ? pieces->n - PIECES_MOST : 0;
}

/* The thread was in transfer with another rank, or waited for it to begin (late). */
static void piece_add(struct track *track, int64_t from, int64_t to, uint32_t partner, bool late)
{
	if (to <= from)
		return;
	piece_keep(track, &track->replay.pieces, &(struct remote_piece){ from, to, partner, late });
	if (track->is_rank)
		rank_count(track, partner, to - from, late);
}

void socket_polled(struct track *track, int64_t t)
{
	if (!track->is_rank)
		piece_keep(track, &track->replay.idle,
			&(struct remote_piece){ track->replay.entered.t, t, MODEL_NONE, true });
}

void socket_woken(struct track *track)
{
	if (track->replay.idle)
		track->replay.idle->n = 0;
}

/* Who polls again and again waits all the time for whoever sends at last. */
static void polls_count(struct track *track)
{
	const struct remote_pieces *idle = track->replay.idle;

	for (uint64_t i = idle ? pieces_first(idle) : 0; idle && i < idle->n; i++)
		piece_add(track, idle->at[i % PIECES_MOST].from, idle->at[i % PIECES_MOST].to,
			track->replay.partner, true);
	socket_woken(track);
}

/* The wait until `gate` was for the other rank, the rest was transfer. */
static void wait_count(struct track *track, int64_t gate, int64_t t)
{
	struct replay_track *replay = &track->replay;
	struct socket_sum *sum;

	if (replay->partner == MODEL_NONE)
		return;
	gate = gate < t ? gate : t;
	if (gate > replay->entered.t)
		polls_count(track);
	else
		socket_woken(track);
	piece_add(track, replay->entered.t, gate, replay->partner, true);
	piece_add(track, gate, t, replay->partner, false);
	sum = track->is_rank ? sum_of(track, replay->partner) : NULL;
	if (sum)
		sum->n++;
}

void sockets_take(struct track *track, const struct track *by, int64_t from, int64_t to)
{
	const struct remote_pieces *pieces = by->replay.pieces;
	uint64_t first;

	if (!pieces)
		return;
	first = pieces_first(pieces);
	for (uint64_t i = pieces->n; i > first; i--)
		if (pieces->at[(i - 1) % PIECES_MOST].to <= from)
			first = i;
	for (uint64_t i = first; i < pieces->n; i++) {
		struct remote_piece piece = pieces->at[i % PIECES_MOST];

		piece_add(track, piece.from > from ? piece.from : from,
			piece.to < to ? piece.to : to, piece.partner, piece.late);
	}
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
