/*
 * split_replay.c - what leads from one reader's locations to another's: both
 * sides of a message are known at both; of a collective each reader reports the
 * others what gates them, and its home what the row needs. See split.h.
 */
#include "config.h"

#include <string.h>

#include "engine/engine.h"
#include "parallel/split.h"

struct wire_message {
	uint32_t comm, from, to, tag, side;
	struct arrival posted;
};

struct wire_arrived {
	uint64_t key;
	uint32_t comm, op, root, member, n;
	bool alone;
	struct arrival latest;
};

struct wire_left {
	uint64_t key;
	uint32_t comm, root;
	struct collective_row row;
};

struct wire_passed {
	uint32_t location, number;
};

/* --- messages --- */

void split_publish(struct engine *engine, const struct channel *channel, enum side side,
	const struct arrival *posted)
{
	struct wire_message wire = { channel->comm, channel->from, channel->to, channel->tag, side,
		*posted };
	uint32_t other = side == SIDE_SEND ? channel->to : channel->from,
		 own = side == SIDE_SEND ? channel->from : channel->to;

	engine->replay.processes[own].is_border = true;
	split_send(engine, engine->peers.process_owners[other], NOTE_MESSAGE, &wire, sizeof(wire));
}

void split_take_message(struct engine *engine, const struct note *note)
{
	const struct wire_message *wire = (const struct wire_message *)note->data;
	struct message *message = message_publish(engine,
		&(struct channel){ .comm = wire->comm,
			.from = wire->from,
			.to = wire->to,
			.tag = wire->tag },
		(enum side)wire->side, &wire->posted);

	if (message)
		message_release(engine, message);
	else
		engine->tables.failed = true;
}

static void watch_send(struct engine *engine, const struct split_watch *watch)
{
	split_send(engine, engine->peers.process_owners[watch->process], NOTE_WATCH, watch,
		sizeof(*watch));
}

void split_ask(struct track *track, struct need *need, int64_t t)
{
	struct engine *engine = track->engine;
	struct split *split = engine->peers.split;
	struct split_watch *look,
		watch = { .worker = engine->peers.self,
			.location = track->location,
			.process = need->message->receiver,
			.posted = need_since(need),
			.t = t };

	if (need->asked)
		return;
	need->asked = watch.number = ++split->nasked;
	if (!link_is_near(&split->link, engine->peers.process_owners[watch.process], watch.process))
		watch_send(engine, &watch);
	else if ((look = ARRAY_ADD(&split->looks)))
		*look = watch;
	else
		engine->tables.failed = true;
}

static bool watch_answer(struct engine *engine, const struct split_watch *watch)
{
	struct wire_passed wire = { watch->location, watch->number };

	if (!process_passed(engine, watch->process, watch->posted, watch->t))
		return false;
	split_send(engine, watch->worker, NOTE_PASSED, &wire, sizeof(wire));
	return true;
}

void split_take_watch(struct engine *engine, const struct note *note)
{
	struct split_watch watch, *at;

	memcpy(&watch, note->data, sizeof(watch));
	if (watch_answer(engine, &watch))
		return;
	at = ARRAY_ADD(&engine->peers.split->watches);
	if (at)
		*at = watch;
	else
		engine->tables.failed = true;
}

static void passed_set(struct engine *engine, uint32_t location, uint32_t number)
{
	struct replay_track *replay = &engine->tracks[location].replay;

	for (size_t i = 0; i < replay->needs.n; i++)
		if (replay->needs.at[i].asked == number) {
			replay->needs.at[i].passed = true;
			replay_wake(engine, location);
		}
}

void split_take_passed(struct engine *engine, const struct note *note)
{
	struct wire_passed wire;

	memcpy(&wire, note->data, sizeof(wire));
	passed_set(engine, wire.location, wire.number);
}

/* --- the board: how far processes have come past sends, without question and answer --- */

static void progress_show(struct track *track)
{
	struct engine *engine = track->engine;

	if (track->process != MODEL_NONE &&
		engine->tables.model.processes.at[track->process].main == track->location)
		link_show(&engine->peers.split->link, track->process,
			process_passed_until(engine, track->process));
}

static void progress_answer(struct track *track)
{
	struct split *split = track->engine->peers.split;
	size_t kept = 0;

	for (size_t i = 0; i < split->watches.n; i++) {
		struct split_watch watch = split->watches.at[i];

		if (watch.process != track->process || !watch_answer(track->engine, &watch))
			split->watches.at[kept++] = watch;
	}
	split->watches.n = kept;
	if (split->asks.n)
		split_asks_look(track->engine);
}

void split_progress(struct track *track)
{
	const struct split *split = track->engine->peers.split;

	progress_show(track);
	if (split->watches.n || split->asks.n)
		progress_answer(track);
}

static bool look_is_answered(const struct split *split, const struct split_watch *look)
{
	return link_shown(&split->link, look->process) >= look->t;
}

bool split_looks_there(void *engine)
{
	const struct split *split = ((struct engine *)engine)->peers.split;

	for (size_t i = 0; i < split->looks.n; i++)
		if (look_is_answered(split, &split->looks.at[i]))
			return true;
	return false;
}

/* Answered ones are in front while notes are taken, which may report a receive before. */
bool split_looks_take(struct engine *engine, void (*take)(void *user), void *user)
{
	struct split *split = engine->peers.split;
	size_t n = 0;

	for (size_t i = 0; i < split->looks.n; i++)
		if (look_is_answered(split, &split->looks.at[i])) {
			struct split_watch answered = split->looks.at[i];

			split->looks.at[i] = split->looks.at[n];
			split->looks.at[n++] = answered;
		}
	if (!n)
		return false;
	take(user);
	for (size_t i = 0; i < n; i++)
		passed_set(engine, split->looks.at[i].location, split->looks.at[i].number);
	for (size_t i = n; i < split->looks.n; i++)
		split->looks.at[i - n] = split->looks.at[i];
	split->looks.n -= n;
	return true;
}

void split_looks_ask(struct engine *engine)
{
	struct split *split = engine->peers.split;

	for (size_t i = 0; i < split->looks.n; i++)
		watch_send(engine, &split->looks.at[i]);
	split->looks.n = 0;
}

/* --- collectives --- */

static void arrived_send(struct engine *engine, uint32_t worker,
	const struct collective *collective, uint32_t n, uint32_t member,
	const struct arrival *latest, bool alone)
{
	struct wire_arrived wire = { collective->key, collective->comm, collective->op,
		collective->root, member, n, alone, *latest };

	split_send(engine, worker, NOTE_ARRIVED, &wire, sizeof(wire));
}

static void alone_send(struct engine *engine, const struct collective *collective, enum gate gate,
	uint32_t member, const struct arrival *posted)
{
	const struct peer_comm *comm = &engine->peers.comms[collective->comm];

	for (size_t i = 0; i < comm->others.n; i++)
		if (gate != GATE_LOWER || comm->others.at[i].highest >= member)
			arrived_send(engine, comm->others.at[i].worker, collective, 1, member,
				posted, true);
}

/* Reports those members together that were not reported yet. */
static void together_send(struct engine *engine, struct collective *collective)
{
	const struct peer_comm *comm = &engine->peers.comms[collective->comm];
	enum gate gate = collective->gate;
	uint32_t n = collective->here - collective->reported;
	uint32_t root = collective->root < collective->size
		? engine->tables.model.comms.at[collective->comm].members[collective->root]
		: MODEL_NONE;

	collective->reported = collective->here;
	split_unreported_drop(engine, collective);
	for (size_t i = 0; i < comm->others.n; i++)
		if (gate == GATE_ALL ||
			(root != MODEL_NONE &&
				engine->peers.process_owners[root] == comm->others.at[i].worker))
			arrived_send(engine, comm->others.at[i].worker, collective, n,
				collective->last_rank, &collective->latest, false);
}

static void unreported_add(struct engine *engine, struct collective *collective)
{
	struct collective **at = ARRAY_ADD(&engine->peers.split->unreported);

	if (at) {
		*at = collective;
		collective->unreported = (uint32_t)engine->peers.split->unreported.n;
	} else {
		engine->tables.failed = true;
	}
}

void split_unreported_drop(struct engine *engine, struct collective *collective)
{
	struct split *split = engine->peers.split;
	struct collective *last;

	if (!collective->unreported)
		return;
	last = split->unreported.at[--split->unreported.n];
	split->unreported.at[collective->unreported - 1] = last;
	last->unreported = collective->unreported;
	collective->unreported = 0;
}

void split_unreported_send(struct engine *engine)
{
	while (engine->peers.split->unreported.n)
		together_send(engine,
			engine->peers.split->unreported.at[engine->peers.split->unreported.n - 1]);
}

/*
 * All members of a reader together gate those of others; only a root, lower ranks and those of an
 * inter-communicator do so alone.
 */
void split_arrived(struct engine *engine, struct collective *collective, uint32_t member,
	const struct arrival *posted)
{
	const struct peer_comm *comm = &engine->peers.comms[collective->comm];
	enum gate gate = collective->gate;

	if (!comm->others.n || gate == GATE_NONE)
		return;
	if (collective->groups || gate == GATE_LOWER || gate == GATE_NEIGHBOURS ||
		(gate == GATE_ROOT && member == collective->root))
		alone_send(engine, collective, gate, member, posted);
	else if (gate != GATE_ROOT && collective->here == comm->nlocal)
		together_send(engine, collective);
	else if (gate != GATE_ROOT && !collective->unreported)
		unreported_add(engine, collective);
}

void split_take_arrived(struct engine *engine, const struct note *note)
{
	const struct wire_arrived *wire = (const struct wire_arrived *)note->data;
	struct collective *collective = collective_reported(engine, wire->key, wire->comm, wire->op,
		wire->root);

	if (collective)
		collective_arrived(engine, collective, wire->n, wire->member, &wire->latest,
			wire->alone);
}

void split_left(struct engine *engine, struct collective *collective)
{
	struct wire_left wire = { collective->key, collective->comm, collective->root,
		collective->row };
	struct pack *pack = &engine->peers.pack;

	pack_add(pack, &wire, sizeof(wire));
	held_pack(collective, pack);
	split_send(engine, engine->peers.comms[collective->comm].home, NOTE_LEFT, pack->at,
		pack->n);
	pack->n = 0;
}

void split_take_left(struct engine *engine, const struct note *note)
{
	struct wire_left wire;
	struct collective *collective;

	memcpy(&wire, note->data, sizeof(wire));
	collective = collective_reported(engine, wire.key, wire.comm, wire.row.op, wire.root);
	if (!collective)
		return;
	held_take(collective, note->data + sizeof(wire), note->head.size - sizeof(wire));
	collective_row_add(engine, collective, &wire.row);
}

static void collectives_flush(struct engine *engine)
{
	struct replay *replay = &engine->replay;

	for (size_t i = 0; i < replay->collectives.n; i++) {
		struct collective *collective = replay->collectives.at[i];

		if (collective && collective->here && collective->alone == MODEL_NONE &&
			engine->peers.comms[collective->comm].home != engine->peers.self)
			split_left(engine, collective);
	}
}

void split_flush(struct engine *engine)
{
	struct windows *windows = &engine->windows;

	collectives_flush(engine);
	for (size_t i = 0; i < windows->steps.n; i++)
		if (windows->steps.at[i])
			step_end(engine, i);
}
