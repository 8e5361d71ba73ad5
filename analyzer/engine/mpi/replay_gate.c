/*
 * replay_gate.c - the end of an MPI call: whether all that gates it has come by, where its track
 * parks until then, and the clocks after it; see replay.h.
 */
#include "config.h"

#include "engine/engine.h"

enum { RECEIVES_MOST = 64 };

/*
 * Inside of a call it may still report a receive; when it is parked it has reported all it knows
 * of.
 */
static bool may_post(const struct track *receiver)
{
	return !receiver->replay.parked || receiver->replay.lates.n;
}

/* A receive posted then may get the message: it is not known which one it gets. */
static bool may_receive(const struct posted_receive *receive, int64_t posted, int64_t t)
{
	return !receive->known && receive->t > posted && receive->t <= t;
}

bool process_passed(struct engine *engine, uint32_t number, int64_t posted, int64_t t)
{
	const struct replay_process *process = &engine->replay.processes[number];
	uint32_t main = engine->tables.model.processes.at[number].main;
	const struct track *receiver = main == MODEL_NONE ? NULL : &engine->tracks[main];

	if (!receiver || (receiver->cursor.ended && !receiver->replay.parked))
		return true;
	if (!receiver->any || receiver->last < t)
		return false;
	if (may_post(receiver) &&
		(receiver->last == t || (receiver->replay.call && receiver->replay.entered.t <= t)))
		return false;
	/* It may itself wait, for this process's receives, before it completes its own. */
	if (receiver->replay.parked)
		receives_look(engine, number, t);
	for (size_t i = process->first_receive; i < process->receives.n; i++)
		if (may_receive(&process->receives.at[i], posted, t))
			return false;
	return true;
}

int64_t process_passed_until(const struct engine *engine, uint32_t number)
{
	const struct replay_process *process = &engine->replay.processes[number];
	const struct track
		*receiver = &engine->tracks[engine->tables.model.processes.at[number].main];
	int64_t until = receiver->last;

	if (receiver->cursor.ended && !receiver->replay.parked)
		return INT64_MAX;
	if (!receiver->any)
		return INT64_MIN;
	if (may_post(receiver)) {
		until--;
		if (receiver->replay.call && receiver->replay.entered.t <= until)
			until = receiver->replay.entered.t - 1;
	}
	if (process->receives.n - process->first_receive > RECEIVES_MOST)
		return INT64_MIN; /* too many to go through them each time */
	for (size_t i = process->first_receive; i < process->receives.n; i++)
		if (may_receive(&process->receives.at[i], INT64_MIN, until))
			until = process->receives.at[i].t - 1;
	return until;
}

static bool receiver_passed(const struct track *track, const struct need *need, int64_t t)
{
	uint32_t receiver = need->message->receiver;

	return peers_is_remote(&track->engine->peers, receiver)
		? need->passed
		: process_passed(track->engine, receiver, need_since(need), t);
}

/* Looking whether the receiver has passed may report its receive, which is for any kind of send. */
static bool receiver_ready(const struct track *track, const struct need *need, int64_t t)
{
	bool passed = need->message->known[SIDE_RECV] || receiver_passed(track, need, t);

	return need->message->known[SIDE_RECV] || (need->mode != SEND_RENDEZVOUS && passed);
}

static bool need_ready(const struct track *track, const struct need *need, int64_t t)
{
	switch (need->kind) {
	case NEED_SENDER: return need->message->known[SIDE_SEND];
	case NEED_RECEIVER: return receiver_ready(track, need, t);
	default: return need->ungated || collective_ready(track->engine, need);
	}
}

/* Who wakes the track when the need may be met. */
static bool need_wait(struct track *track, struct need *need, int64_t t)
{
	struct engine *engine = track->engine;
	struct watcher *watcher;
	uint32_t *at, main;

	if (need->kind == NEED_COLLECTIVE && need->collective->parked) {
		need->collective->parked[need->member] = track->location;
		return true;
	}
	if (need->kind == NEED_COLLECTIVE) {
		at = ARRAY_ADD(&need->collective->waiting);
		if (at)
			*at = track->location;
		return at;
	}
	need->message->waiting[need->kind == NEED_SENDER ? SIDE_RECV : SIDE_SEND] = track->location;
	main = engine->tables.model.processes.at[need->message->receiver].main;
	if (need->kind == NEED_SENDER || main == MODEL_NONE)
		return true;
	if (peers_is_remote(&engine->peers, need->message->receiver)) {
		engine->peers.calls->ask(track, need, t);
		return true;
	}
	watcher = ARRAY_ADD(&engine->tracks[main].replay.watchers);
	if (watcher)
		*watcher = (struct watcher){ track->location, t };
	return watcher;
}

bool needs_met(struct track *track, int64_t t)
{
	struct replay_track *replay = &track->replay;

	for (size_t i = 0; i < replay->needs.n; i++) {
		if (replay->forced || need_ready(track, &replay->needs.at[i], t))
			continue;
		if (!need_wait(track, &replay->needs.at[i], t)) {
			track_fail(track);
			return true;
		}
		replay->parked = true;
		replay->leave = t;
		return false;
	}
	return true;
}

/*
 * All ranks of a file make the operation, but need not wait for each other: a rank that left before
 * another came did not wait for it.
 */
static bool is_of_file(const struct track *track, const struct need *need)
{
	return need->collective->op == OP_FILES || track->replay.call->file_call;
}

/* The gate of one need; false when there is none, *dropped when there should be one. */
static bool need_gate(const struct track *track, const struct need *need, int64_t t,
	struct arrival *gate, bool *dropped)
{
	const struct message *message = need->message;

	if (need->kind == NEED_COLLECTIVE && need->ungated)
		return false;
	if (need->kind == NEED_COLLECTIVE) {
		*gate = collective_gate(track->engine, need);
		*dropped |= !collective_ready(track->engine, need);
		return gate->t <= t || !is_of_file(track, need);
	}
	if (need->kind == NEED_SENDER) {
		*gate = message->posted[SIDE_SEND];
		*dropped |= !message->known[SIDE_SEND];
		return message->known[SIDE_SEND];
	}
	*gate = message->posted[SIDE_RECV];
	*dropped |= need->mode == SEND_RENDEZVOUS && !message->known[SIDE_RECV];
	return message->known[SIDE_RECV] &&
		(need->mode == SEND_RENDEZVOUS || (gate->t > need_since(need) && gate->t <= t));
}

/* Nobody leaves a barrier, or knows what all together make, before all have come. */
static bool is_by_all(const struct collective *collective)
{
	return collective->op == OTF2_COLLECTIVE_OP_BARRIER ||
		(collective->op == OTF2_COLLECTIVE_OP_ALLREDUCE && collective->row.received);
}

/*
 * Who has left a collective before another one came, by one clock, did not wait for it: data go by
 * another way, or there are none.
 */
static bool is_left_early(const struct track *track, const struct need *need,
	const struct arrival *gate, int64_t t)
{
	const struct model *model = &track->engine->tables.model;
	uint32_t node = model->processes.at[track->process].node;

	return need->kind == NEED_COLLECTIVE && gate->t > t && gate->by != MODEL_NONE &&
		!is_by_all(need->collective) && node != MODEL_NONE &&
		model->processes.at[gate->by].node == node;
}

/* What the member waited for others, if anybody knows. */
static int64_t need_waited(const struct track *track, const struct need *need, int64_t t)
{
	struct arrival gate;

	if (need->ungated)
		return 0;
	gate = collective_gate(track->engine, need);
	if (is_left_early(track, need, &gate, t))
		return 0;
	return (gate.t < t ? gate.t : t) - need->posted.t;
}

/*
 * Drops references, informs collectives, and forgets partners that have not come. The call was open
 * from `since` on, INT64_MAX: not known.
 */
static void needs_end(struct track *track, int64_t since, int64_t t)
{
	struct replay_track *replay = &track->replay;

	for (size_t i = 0; i < replay->needs.n; i++) {
		struct need *need = &replay->needs.at[i];

		if (need->kind == NEED_COLLECTIVE) {
			collective_leave(track, need, need_waited(track, need, t),
				replay->needs.n == 1 && !need->ungated ? since : INT64_MAX, t);
			continue;
		}
		need->message
			->waiting[need->kind == NEED_SENDER ? SIDE_RECV : SIDE_SEND] = MODEL_NONE;
		message_release(track->engine, need->message);
	}
	replay->needs.n = 0;
}

/* What the network that is asked for keeps of a transfer. */
static int64_t network_kept(const struct track *track, int64_t tau)
{
	const struct network *network = &track->engine->network;
	double share = track->replay.bytes <= network->eager ? network->latency : network->transfer;

	return tau > 0 ? (int64_t)((double)tau * share) : 0;
}

void clocks_set(struct track *track, const struct arrival *gate, int64_t t, bool keep)
{
	int64_t tau = replay_residual(&track->engine->replay, gate->t, t);
	unsigned char freedom = !keep	       ? FREE_NETWORK
		: track->replay.completes_file ? FREE_IO
					       : FREE_HOST;

	births_clock(track, t);
	for (int s = 0; s < SCENARIO_COUNT; s++) {
		int64_t kept = replay_kept(s, tau);

		track->replay.shift[s] = gate->clock[s] - t +
			(!(scenario_freedoms[s] & freedom)	? kept
					: s == SCENARIO_NETWORK ? network_kept(track, tau)
								: 0);
	}
	track->engine->replay.nmismatched += track->replay.shift[SCENARIO_IDENTITY] != 0;
}

/*
 * The part of the call that went by before its gate opened was spent for the rank that came last: as of
 * `since`, when it, or the polls before it, began to wait.
 */
static void wait_add(struct track *track, const struct arrival *gate, int64_t since, int64_t t,
	enum wait_state state)
{
	int64_t wait = (gate->t < t ? gate->t : t) - since;

	if (wait <= 0)
		return;
	track->replay.waited += wait;
	track->replay.waited_in[state] += wait;
	if (track->replay.call->file_call)
		track->replay.waited_io += wait;
	else
		timeline_waited(&track->engine->timelines, &track->timeline,
			region_kind_states[track->replay.call->kind], since, since + wait);
	window_waited(track, gate->by, wait);
}

static enum wait_state state_of(const struct need *need)
{
	if (need->kind != NEED_COLLECTIVE)
		return need->kind == NEED_SENDER ? WAIT_LATE_SENDER : WAIT_LATE_RECEIVER;
	switch (need->collective->op) {
	case OTF2_COLLECTIVE_OP_BARRIER: return WAIT_AT_BARRIER;
	case OTF2_COLLECTIVE_OP_BCAST:
	case OTF2_COLLECTIVE_OP_SCATTER:
	case OTF2_COLLECTIVE_OP_SCATTERV: return WAIT_LATE_BROADCAST;
	case OTF2_COLLECTIVE_OP_REDUCE:
	case OTF2_COLLECTIVE_OP_GATHER:
	case OTF2_COLLECTIVE_OP_GATHERV: return WAIT_EARLY_REDUCE;
	case OTF2_COLLECTIVE_OP_SCAN:
	case OTF2_COLLECTIVE_OP_EXSCAN: return WAIT_EARLY_SCAN;
	default: return WAIT_AT_NXN;
	}
}

/*
 * The gate of the call that ends at t, which began at *gate, and its kind; since *opened the path
 * leads from there: not in polls before it. True: it is not known what the call waited for.
 */
static bool gate_find(struct track *track, int64_t t, struct arrival *gate, int64_t *opened,
	enum wait_state *state)
{
	struct replay_track *replay = &track->replay;
	struct arrival other;
	bool dropped = false;

	for (size_t i = 0; i < replay->needs.n; i++) {
		if (!need_gate(track, &replay->needs.at[i], t, &other, &dropped))
			continue;
		if (is_left_early(track, &replay->needs.at[i], &other, t)) {
			replay->unknown = true;
			continue;
		}
		if (other.t > gate->t) {
			gate->t = *opened = other.t;
			gate->by = other.by;
			gate->path = other.path;
			*state = state_of(&replay->needs.at[i]);
		}
		for (int s = 0; s < SCENARIO_COUNT; s++)
			gate->clock[s] = other.clock[s] > gate->clock[s] ? other.clock[s]
									 : gate->clock[s];
	}
	track->engine->replay.ndropped += dropped;
	return dropped || replay->unknown;
}

bool replay_leave(struct track *track, int64_t t)
{
	struct replay_track *replay = &track->replay;
	struct arrival gate = replay->entered;
	enum wait_state state = WAIT_AT_NXN;
	int64_t since, opened = gate.t;
	bool dropped, unruled;

	if (!replay->call)
		return true;
	if (!lates_settle(track, t) || !needs_met(track, t))
		return false;
	if (replay->polls.open && replay->finds)
		gate.moment = replay->polls.base;
	since = gate.t;
	dropped = gate_find(track, t, &gate, &opened, &state);
	if (dropped) { /* the cause of the wait is not known: the call keeps its duration */
		gate = replay->entered;
		opened = since = gate.t;
	}
	wait_add(track, &gate, since, t, state);
	if (replay->call->file_call) {
		path_take(track, &gate.path, opened, t, HOST_IO);
		replay_settle(track, &gate.moment, t, FREE_IO);
	} else {
		path_take(track, &gate.path, opened, t, region_kind_states[replay->call->kind]);
		clocks_set(track, &gate, t, dropped || !replay->communicates);
	}
	needs_end(track, dropped ? INT64_MAX : opened, t);
	track->engine->replay.ncalls += replay->call->communicates;
	unruled = replay->unknown || (replay->call->ungated && !replay->communicates);
	track->engine->replay.nungated += unruled;
	if (track->is_rank && (unruled || dropped))
		track->engine->replay.unruled += t - replay->entered.moment.t;
	polls_leave(track, replay->call->polls && !replay->finds, t);
	replay->call = NULL;
	replay->parked = replay->forced = false;
	return true;
}

bool replay_leave_file(struct track *track, int64_t t, bool *settled)
{
	*settled = track->replay.needs.n > 0;
	if (*settled)
		return replay_leave(track, t);
	track->replay.call = NULL;
	return true;
}
