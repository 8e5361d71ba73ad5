/*
 * split_replay.c - what leads from one reader's locations to another's: both
 * sides of a message are known at both; of a collective each reader tells the
 * others what gates them, and its home what the row needs. See shard.h.
 */
#include "config.h"

#include <string.h>

#include "analyze/analysis.h"
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

void shard_publish(struct analysis *analysis, const struct channel *channel, enum side side,
	const struct arrival *posted)
{
	struct wire_message wire = { channel->comm, channel->from, channel->to, channel->tag, side,
		*posted };
	uint32_t other = side == SIDE_SEND ? channel->to : channel->from,
		 own = side == SIDE_SEND ? channel->from : channel->to;

	analysis->replay.processes[own].is_border = true;
	shard_tell(analysis, analysis->shard.process_owners[other], NOTE_MESSAGE, &wire,
		sizeof(wire));
}

void shard_take_message(struct analysis *analysis, const struct note *note)
{
	const struct wire_message *wire = (const struct wire_message *)note->data;
	struct message *message = message_publish(analysis,
		&(struct channel){ .comm = wire->comm,
			.from = wire->from,
			.to = wire->to,
			.tag = wire->tag },
		(enum side)wire->side, &wire->posted);

	if (message)
		message_release(analysis, message);
	else
		analysis->failed = true;
}

static void watch_tell(struct analysis *analysis, const struct shard_watch *watch)
{
	shard_tell(analysis, analysis->shard.process_owners[watch->process], NOTE_WATCH, watch,
		sizeof(*watch));
}

void shard_ask(struct track *track, struct need *need, int64_t t)
{
	struct shard *shard = &track->analysis->shard;
	struct shard_watch *look,
		watch = { .worker = shard->self,
			.location = track->location,
			.process = need->message->receiver,
			.posted = need->posted.t,
			.t = t };

	if (need->asked)
		return;
	need->asked = watch.number = ++shard->nasked;
	if (!link_is_near(&shard->link, shard->process_owners[watch.process], watch.process))
		watch_tell(track->analysis, &watch);
	else if ((look = ARRAY_ADD(&shard->looks)))
		*look = watch;
	else
		track->analysis->failed = true;
}

static bool watch_answer(struct analysis *analysis, const struct shard_watch *watch)
{
	struct wire_passed wire = { watch->location, watch->number };

	if (!process_passed(analysis, watch->process, watch->posted, watch->t))
		return false;
	shard_tell(analysis, watch->worker, NOTE_PASSED, &wire, sizeof(wire));
	return true;
}

void shard_take_watch(struct analysis *analysis, const struct note *note)
{
	struct shard_watch watch, *at;

	memcpy(&watch, note->data, sizeof(watch));
	if (watch_answer(analysis, &watch))
		return;
	at = ARRAY_ADD(&analysis->shard.watches);
	if (at)
		*at = watch;
	else
		analysis->failed = true;
}

void shard_progress(struct track *track)
{
	struct shard *shard = &track->analysis->shard;
	size_t kept = 0;

	for (size_t i = 0; i < shard->watches.n; i++) {
		struct shard_watch watch = shard->watches.at[i];

		if (watch.process != track->process || !watch_answer(track->analysis, &watch))
			shard->watches.at[kept++] = watch;
	}
	shard->watches.n = kept;
	if (shard->asks.n)
		shard_asks_look(track->analysis);
}

static void passed_set(struct analysis *analysis, uint32_t location, uint32_t number)
{
	struct replay_track *replay = &analysis->tracks[location].replay;

	for (size_t i = 0; i < replay->needs.n; i++)
		if (replay->needs.at[i].asked == number) {
			replay->needs.at[i].passed = true;
			replay_wake(analysis, location);
		}
}

void shard_take_passed(struct analysis *analysis, const struct note *note)
{
	struct wire_passed wire;

	memcpy(&wire, note->data, sizeof(wire));
	passed_set(analysis, wire.location, wire.number);
}

/* --- the board: how far processes have come past sends, without question and answer --- */

void shard_show(struct track *track)
{
	struct analysis *analysis = track->analysis;

	if (track->process != MODEL_NONE &&
		analysis->model.processes.at[track->process].main == track->location)
		link_show(&analysis->shard.link, track->process,
			process_passed_until(analysis, track->process));
}

static bool look_is_answered(const struct shard *shard, const struct shard_watch *look)
{
	return link_shown(&shard->link, look->process) >= look->t;
}

bool shard_looks_there(void *analysis)
{
	const struct shard *shard = &((struct analysis *)analysis)->shard;

	for (size_t i = 0; i < shard->looks.n; i++)
		if (look_is_answered(shard, &shard->looks.at[i]))
			return true;
	return false;
}

/* Answered ones stand in front while notes are taken, which may tell of a receive before. */
bool shard_looks_take(struct analysis *analysis, void (*take)(void *user), void *user)
{
	struct shard *shard = &analysis->shard;
	size_t n = 0;

	for (size_t i = 0; i < shard->looks.n; i++)
		if (look_is_answered(shard, &shard->looks.at[i])) {
			struct shard_watch answered = shard->looks.at[i];

			shard->looks.at[i] = shard->looks.at[n];
			shard->looks.at[n++] = answered;
		}
	if (!n)
		return false;
	take(user);
	for (size_t i = 0; i < n; i++)
		passed_set(analysis, shard->looks.at[i].location, shard->looks.at[i].number);
	for (size_t i = n; i < shard->looks.n; i++)
		shard->looks.at[i - n] = shard->looks.at[i];
	shard->looks.n -= n;
	return true;
}

void shard_looks_ask(struct analysis *analysis)
{
	struct shard *shard = &analysis->shard;

	for (size_t i = 0; i < shard->looks.n; i++)
		watch_tell(analysis, &shard->looks.at[i]);
	shard->looks.n = 0;
}

/* --- collectives --- */

static void arrived_tell(struct analysis *analysis, uint32_t worker,
	const struct collective *collective, uint32_t n, uint32_t member,
	const struct arrival *latest, bool alone)
{
	struct wire_arrived wire = { collective->key, collective->comm, collective->op,
		collective->root, member, n, alone, *latest };

	shard_tell(analysis, worker, NOTE_ARRIVED, &wire, sizeof(wire));
}

static void alone_tell(struct analysis *analysis, const struct collective *collective,
	enum gate gate, uint32_t member, const struct arrival *posted)
{
	const struct shard_comm *comm = &analysis->shard.comms[collective->comm];

	for (size_t i = 0; i < comm->others.n; i++)
		if (gate == GATE_ROOT || comm->others.at[i].highest >= member)
			arrived_tell(analysis, comm->others.at[i].worker, collective, 1, member,
				posted, true);
}

/* Tells of those members together that nobody was told of. */
static void together_tell(struct analysis *analysis, struct collective *collective)
{
	const struct shard *shard = &analysis->shard;
	const struct shard_comm *comm = &shard->comms[collective->comm];
	enum gate gate = collective_op(collective->op)->gate;
	uint32_t n = collective->here - collective->told;
	uint32_t root = collective->root < collective->size
		? analysis->model.comms.at[collective->comm].members[collective->root]
		: MODEL_NONE;

	collective->told = collective->here;
	shard_untold_drop(analysis, collective);
	for (size_t i = 0; i < comm->others.n; i++)
		if (gate == GATE_ALL ||
			(root != MODEL_NONE &&
				shard->process_owners[root] == comm->others.at[i].worker))
			arrived_tell(analysis, comm->others.at[i].worker, collective, n,
				collective->last_rank, &collective->latest, false);
}

static void untold_add(struct analysis *analysis, struct collective *collective)
{
	struct collective **at = ARRAY_ADD(&analysis->shard.untold);

	if (at) {
		*at = collective;
		collective->untold = (uint32_t)analysis->shard.untold.n;
	} else {
		analysis->failed = true;
	}
}

void shard_untold_drop(struct analysis *analysis, struct collective *collective)
{
	struct shard *shard = &analysis->shard;
	struct collective *last;

	if (!collective->untold)
		return;
	last = shard->untold.at[--shard->untold.n];
	shard->untold.at[collective->untold - 1] = last;
	last->untold = collective->untold;
	collective->untold = 0;
}

void shard_untold_tell(struct analysis *analysis)
{
	while (analysis->shard.untold.n)
		together_tell(analysis, analysis->shard.untold.at[analysis->shard.untold.n - 1]);
}

/* All members of a reader together gate those of others; only a root or lower ranks do so alone. */
void shard_arrived(struct analysis *analysis, struct collective *collective, uint32_t member,
	const struct arrival *posted)
{
	const struct shard_comm *comm = analysis->shard.n ? &analysis->shard.comms[collective->comm]
							  : NULL;
	enum gate gate = collective_op(collective->op)->gate;

	if (!comm || !comm->others.n || gate == GATE_NONE)
		return;
	if (gate == GATE_LOWER || (gate == GATE_ROOT && member == collective->root))
		alone_tell(analysis, collective, gate, member, posted);
	else if (gate != GATE_ROOT && collective->here == comm->nlocal)
		together_tell(analysis, collective);
	else if (gate != GATE_ROOT && !collective->untold)
		untold_add(analysis, collective);
}

void shard_take_arrived(struct analysis *analysis, const struct note *note)
{
	const struct wire_arrived *wire = (const struct wire_arrived *)note->data;
	struct collective *collective = collective_told(analysis, wire->key, wire->comm, wire->op,
		wire->root);

	if (collective)
		collective_arrived(analysis, collective, wire->n, wire->member, &wire->latest,
			wire->alone);
}

void shard_left(struct analysis *analysis, struct collective *collective)
{
	struct wire_left wire = { collective->key, collective->comm, collective->root,
		collective->row };
	struct pack *pack = &analysis->shard.pack;

	pack_add(pack, &wire, sizeof(wire));
	held_pack(collective, pack);
	shard_tell(analysis, analysis->shard.comms[collective->comm].home, NOTE_LEFT, pack->at,
		pack->n);
	pack->n = 0;
}

void shard_take_left(struct analysis *analysis, const struct note *note)
{
	struct wire_left wire;
	struct collective *collective;

	memcpy(&wire, note->data, sizeof(wire));
	collective = collective_told(analysis, wire.key, wire.comm, wire.row.op, wire.root);
	if (!collective)
		return;
	held_take(collective, note->data + sizeof(wire), note->head.size - sizeof(wire));
	collective_row_add(analysis, collective, &wire.row);
}

static void collectives_flush(struct analysis *analysis)
{
	struct replay *replay = &analysis->replay;

	for (size_t i = 0; i < replay->collectives.n; i++) {
		struct collective *collective = replay->collectives.at[i];

		if (collective && collective->here && collective->alone == MODEL_NONE &&
			analysis->shard.comms[collective->comm].home != analysis->shard.self)
			shard_left(analysis, collective);
	}
}

void shard_flush(struct analysis *analysis)
{
	struct windows *windows = &analysis->windows;

	collectives_flush(analysis);
	for (size_t i = 0; i < windows->steps.n; i++)
		if (windows->steps.at[i])
			step_end(analysis, i);
}
