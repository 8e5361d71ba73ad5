/* replay_mpi.c - the recurrence at the level of MPI calls; see replay.h. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "log.h"
#include "metric.h"

int replay_open(struct analysis *analysis)
{
	struct replay *replay = &analysis->replay;

	replay->free_channel = replay->free_request = IDMAP_NONE;
	replay->processes = calloc(analysis->model.processes.n + 1, sizeof(*replay->processes));
	replay->collectives_of =
		calloc(analysis->model.comms.n + 1, sizeof(*replay->collectives_of));
	replay->numbers_of = calloc(analysis->model.comms.n + 1, sizeof(*replay->numbers_of));
	if (replay->processes && replay->collectives_of && replay->numbers_of)
		return 0;
	log_error("out of memory for %zu processes", analysis->model.processes.n);
	return -1;
}

void replay_close(struct analysis *analysis)
{
	struct replay *replay = &analysis->replay;

	for (size_t i = 0; replay->processes && i < analysis->model.processes.n; i++) {
		idmap_free(&replay->processes[i].requests);
		idmap_free(&replay->processes[i].sequences);
		free(replay->processes[i].receives.at);
		free(replay->processes[i].probed.at);
	}
	for (size_t i = 0; i < replay->blocks.n; i++)
		free(replay->blocks.at[i]);
	for (size_t i = 0; i < replay->collectives.n; i++)
		collective_drop(replay->collectives.at[i]);
	free(replay->processes);
	free(replay->channels.at);
	free(replay->requests.at);
	free(replay->collectives.at);
	free(replay->blocks.at);
	free(replay->sums.at);
	free(replay->collectives_of);
	free(replay->numbers_of);
	free(replay->wakes.at);
	idmap_free(&replay->channel_numbers);
	idmap_free(&replay->instance_numbers);
	idmap_free(&replay->sum_numbers);
}

void replay_wake(struct analysis *analysis, uint32_t number)
{
	struct replay_track *track = &analysis->tracks[number].replay;
	uint32_t *wake;

	if (!track->parked || track->queued)
		return;
	wake = ARRAY_ADD(&analysis->replay.wakes);
	if (!wake) {
		analysis->failed = true;
		return;
	}
	*wake = number;
	track->queued = true;
}

void replay_progress(struct track *track)
{
	struct replay_track *replay = &track->replay;
	size_t n = replay->watchers.n, left = 0;

	for (size_t i = 0; i < n; i++)
		if (replay->watchers.at[i].t <= track->last || track->cursor.ended)
			replay_wake(track->analysis, replay->watchers.at[i].track);
		else
			replay->watchers.at[left++] = replay->watchers.at[i];
	replay->watchers.n = left;
	if (track->analysis->shard.watches.n || track->analysis->shard.asks.n)
		shard_progress(track);
}

void replay_force(struct track *track)
{
	track->replay.forced = true;
	track->replay.queued = true;
}

/* What a scenario does without when it does without a host state. */
static const unsigned char state_freedoms[HOST_STATE_COUNT] = {
	[HOST_USEFUL] = FREE_HOST, [HOST_CUDA] = FREE_HOST, [HOST_WAIT] = FREE_HOST,
	[HOST_OMP_IDLE] = FREE_HOST, [HOST_IO] = FREE_IO,
};

void replay_spend(struct track *track, enum host_state state, int64_t ns)
{
	if (!track->analysis->device.any || track->analysis->options->summary)
		return;		/* nobody looks at any but the first two; at any */
	for (int s = 0; s < SCENARIO_COUNT; s++)
		if (scenario_freedoms[s] & state_freedoms[state])
			track->replay.shift[s] -= ns;
}

struct moment replay_moment(const struct track *track, int64_t t)
{
	struct moment moment = { .t = t, .by = track->process };
	unsigned char freedom = state_freedoms[track->state];

	if (track->analysis->options->summary)
		return moment;
	for (int s = 0; s < SCENARIO_COUNT; s++)
		moment.clock[s] = t + track->replay.shift[s] -
			(scenario_freedoms[s] & freedom ? t - track->since : 0);
	return moment;
}

/* What is left of a duration behind its gate; less than nothing is skew, and only the identity keeps it. */
static int64_t residual(struct track *track, int64_t gate, int64_t t)
{
	struct replay *totals = &track->analysis->replay;

	if (t < gate) {
		totals->nskewed++;
		totals->worst_skew = gate - t > totals->worst_skew ? gate - t : totals->worst_skew;
	}
	return t - gate;
}

void replay_settle(struct track *track, const struct moment *gate, int64_t t)
{
	const struct moment *entered = &track->replay.entered.moment;
	int64_t rest = residual(track, gate->t, t);

	for (int s = 0; s < SCENARIO_COUNT; s++) {
		int64_t kept = s == SCENARIO_IDENTITY || rest > 0 ? rest : 0;

		if (!(scenario_freedoms[s] & COUPLED))
			track->replay.shift[s] = entered->clock[s] - entered->t;
		else
			track->replay.shift[s] = gate->clock[s] - t +
				(scenario_freedoms[s] & FREE_HOST ? 0 : kept);
	}
	track->analysis->replay.nmismatched += track->replay.shift[SCENARIO_IDENTITY] != 0;
}

void replay_enter(struct track *track, int64_t t, const struct region *call)
{
	track->replay.call = call;
	track->replay.entered.moment = replay_moment(track, t);
	path_to(track, t, &track->replay.entered.path);
	track->replay.communicates = false;
	track->replay.needs.n = 0;
}

/* The need's references are given up. */
static void need_drop(struct track *track, const struct need *need)
{
	if (need->message)
		message_release(track->analysis, need->message);
}

/* What the call's end waits for; outside of a call the operation only informs others. */
static void need_add(struct track *track, const struct need *need)
{
	struct need *at;

	if (!track->replay.call || (need->kind == NEED_RECEIVER && need->mode == SEND_EAGER)) {
		need_drop(track, need);
		return;
	}
	at = ARRAY_ADD(&track->replay.needs);
	if (!at)
		track_fail(track);
	else
		*at = *need;
}

/* Bytes that leave the node, as one side of a message or a member of a collective tells them. */
static void network_add(struct track *track, uint32_t node, const struct arrival *posted, int64_t t,
	uint64_t sent, uint64_t received)
{
	struct rates *rates;

	if (node == MODEL_NONE)
		return;
	rates = &track->analysis->rates[node];
	if ((sent && rate_add(rates, RATE_NETWORK_SENT, posted->t, t, sent) < 0) ||
	    (received && rate_add(rates, RATE_NETWORK_RECEIVED, posted->t, t, received) < 0))
		track_fail(track);
}

/* The channel of a message event; false when its partner is not in the trace. */
static bool channel_of(const struct track *track, const struct event *event, enum side side,
	struct channel *channel)
{
	const struct model *model = &track->analysis->model;
	uint32_t number = model_comm(model, event->ref), partner, self = track->process;
	const struct comm *comm;

	if (number == MODEL_NONE || self == MODEL_NONE)
		return false;
	comm = &model->comms.at[number];
	partner = !comm->members            ? self :
		event->peer < comm->nremote ? comm->remote[event->peer] :
	                                      MODEL_NONE;
	if (partner == MODEL_NONE)
		return false;
	*channel = (struct channel){ .comm = number, .tag = event->tag, .from = side == SIDE_SEND ? self : partner,
		.to = side == SIDE_SEND ? partner : self };
	return true;
}

/* What a probe has found in the channel, NULL: nothing. `take`: it is received now. */
static struct message *probed_find(struct track *track, const struct channel *channel, bool take)
{
	struct replay_process *process = &track->analysis->replay.processes[track->process];

	for (size_t i = 0; i < process->probed.n; i++) {
		struct probed *at = &process->probed.at[i];
		struct message *message = at->message;

		if (at->channel.comm != channel->comm || at->channel.from != channel->from || at->channel.tag != channel->tag)
			continue;
		if (take)
			*at = process->probed.at[--process->probed.n];
		return message;
	}
	return NULL;
}

/* A receive of what was probed gets that; else what is next in the channel. */
static struct message *channel_publish(struct track *track, const struct channel *channel, enum side side,
	const struct arrival *posted)
{
	struct message *probed = side == SIDE_RECV ? probed_find(track, channel, true) : NULL;

	if (!probed)
		return message_publish(track->analysis, channel, side, posted);
	message_receive(track->analysis, probed, posted);
	return probed;
}

static struct message *publish(struct track *track, const struct event *event, enum side side,
		const struct arrival *posted)
{
	const struct model *model = &track->analysis->model;
	struct channel channel;
	struct message *message;
	uint32_t from, to;

	if (!channel_of(track, event, side, &channel))
		return NULL;
	from = model->processes.at[channel.from].node;
	to = model->processes.at[channel.to].node;
	if (from != to)
		network_add(track, side == SIDE_SEND ? from : to, posted, event->t,
			side == SIDE_SEND ? event->bytes : 0, side == SIDE_SEND ? 0 : event->bytes);
	message = channel_publish(track, &channel, side, posted);
	if (!message)
		track_fail(track);
	if (shard_is_remote(&track->analysis->shard, side == SIDE_SEND ? channel.to : channel.from))
		shard_publish(track->analysis, &channel, side, posted);
	return message;
}

static struct request *request_add(struct track *track, uint64_t id, const struct arrival *posted)
{
	struct replay *replay = &track->analysis->replay;
	struct idmap *requests = &replay->processes[track->process].requests;
	uint32_t number = replay->free_request;
	struct request *request;

	if (number != IDMAP_NONE) {
		request = &replay->requests.at[number];
		replay->free_request = request->next_free;
	} else {
		number = replay->requests.n;
		request = ARRAY_ADD(&replay->requests);
	}
	if (!request || idmap_set(requests, idmap_key(id), number) < 0) {
		track_fail(track);
		return NULL;
	}
	*request = (struct request){ .posted = *posted };
	return request;
}

/* Takes a request out of the table; false when it was never posted. */
static bool request_take(struct track *track, uint64_t id, struct request *taken)
{
	struct replay *replay = &track->analysis->replay;
	struct idmap *requests = &replay->processes[track->process].requests;
	uint32_t number = idmap_find(requests, idmap_key(id));

	if (number == IDMAP_NONE)
		return false;
	*taken = replay->requests.at[number];
	replay->requests.at[number].next_free = replay->free_request;
	replay->free_request = number;
	idmap_set(requests, idmap_key(id), IDMAP_NONE);
	return true;
}

static void receive_posted(struct track *track, int64_t t)
{
	int64_t *at = ARRAY_ADD(&track->analysis->replay.processes[track->process].receives);

	if (!at)
		track_fail(track);
	else
		*at = t;
}

static void receive_done(struct track *track, int64_t t)
{
	struct replay_process *process = &track->analysis->replay.processes[track->process];

	for (size_t i = process->receives.n; i > 0; i--)
		if (process->receives.at[i - 1] == t) {
			process->receives.at[i - 1] = process->receives.at[--process->receives.n];
			return;
		}
}

static void send_event(struct track *track, const struct event *event, const struct arrival *now)
{
	enum send_mode mode = track->replay.call ? track->replay.call->mode : SEND_EAGER;
	struct message *message = publish(track, event, SIDE_SEND, now);
	struct request *request;

	if (!message)
		return;
	if (event->kind == EVENT_SEND) {
		need_add(track,
			&(struct need){ .kind = NEED_RECEIVER,
				.mode = mode,
				.posted = *now,
				.message = message });
		return;
	}
	request = request_add(track, event->request, now);
	if (request) {
		request->message = message;
		request->mode = mode;
	}
}

static void send_complete(struct track *track, const struct event *event)
{
	struct request request;

	if (request_take(track, event->request, &request) && request.message)
		need_add(track,
			&(struct need){ .kind = NEED_RECEIVER,
				.mode = request.mode,
				.posted = request.posted,
				.message = request.message });
}

static void receive_event(struct track *track, const struct event *event, const struct arrival *now)
{
	struct request request;
	struct arrival posted = *now;
	struct message *message;

	if (event->kind == EVENT_IRECV && request_take(track, event->request, &request)) {
		posted = request.posted;
		receive_done(track, posted.t);
	}
	message = publish(track, event, SIDE_RECV, &posted);
	if (message)
		need_add(track,
			&(struct need){
				.kind = NEED_SENDER, .posted = posted, .message = message });
}

static void collective_event(
	struct track *track, const struct event *event, const struct arrival *now)
{
	const struct model *model = &track->analysis->model;
	bool blocking = event->kind == EVENT_COLLECTIVE_END;
	uint32_t comm = model_comm(model, event->ref), member;
	struct arrival posted = *now;
	struct request request;
	struct collective *collective;

	if (!blocking && request_take(track, event->request, &request))
		posted = request.posted;
	collective = collective_arrive(track, event, blocking, &posted, &member);
	if (!collective)
		return;
	if (model->comms.at[comm].spans_nodes)
		network_add(track, model->processes.at[track->process].node, &posted, event->t,
			event->bytes, event->received);
	need_add(track, &(struct need){ .kind = NEED_COLLECTIVE, .member = member, .posted = posted,
		.collective = collective });
}

static void request_cancel(struct track *track, const struct event *event)
{
	struct request request;

	if (!request_take(track, event->request, &request))
		return;
	receive_done(track, request.posted.t);
	if (request.message)
		message_release(track->analysis, request.message);
}

void replay_probe(struct track *track, const struct event *event)
{
	const OTF2_AttributeRef *attributes = track->analysis->model.attributes;
	struct event found = { 0 };
	struct channel channel;
	struct message *message;
	struct probed *at;
	uint64_t peer, tag;

	if (!event_number(event, attributes[ATTRIBUTE_COMM], &found.ref) ||
		!event_number(event, attributes[ATTRIBUTE_PEER], &peer) ||
		!event_number(event, attributes[ATTRIBUTE_TAG], &tag) || peer > UINT32_MAX)
		return;
	found.peer = (uint32_t)peer;
	found.tag = (uint32_t)tag;
	if (!channel_of(track, &found, SIDE_RECV, &channel))
		return;
	message = probed_find(track, &channel, false);
	if (message) {
		message->references++;
	} else {
		message = message_probe(track->analysis, &channel);
		at = message ? ARRAY_ADD(&track->analysis->replay.processes[track->process].probed) : NULL;
		if (!at)
			return track_fail(track);
		*at = (struct probed){ channel, message };
	}
	track->replay.communicates = true;
	need_add(track, &(struct need){ .kind = NEED_SENDER, .posted = track->replay.entered, .message = message });
}

void replay_event(struct track *track, const struct event *event)
{
	struct replay_track *replay = &track->replay;
	const struct arrival *now = &replay->entered;
	struct arrival outside;
	const struct collective_op *op;

	if (track->process == MODEL_NONE || event->kind == EVENT_REQUEST_TEST)
		return;
	if (!replay->call) {
		outside.moment = replay_moment(track, event->t);
		path_to(track, event->t, &outside.path);
		now = &outside;
	}
	replay->communicates = true;
	track->analysis->replay.noperations++;
	switch (event->kind) {
	case EVENT_SEND: case EVENT_ISEND:
		send_event(track, event, now);
		break;
	case EVENT_ISEND_COMPLETE:
		send_complete(track, event);
		break;
	case EVENT_RECV: case EVENT_IRECV:
		receive_event(track, event, now);
		break;
	case EVENT_IRECV_REQUEST:
		receive_posted(track, now->t);
		request_add(track, event->request, now);
		break;
	case EVENT_COLLECTIVE_REQUEST:
		request_add(track, event->request, now);
		break;
	case EVENT_COLLECTIVE_END: case EVENT_COLLECTIVE_COMPLETE:
		op = collective_op(event->tag);
		replay->communicates = op && op->gate != GATE_NONE;
		collective_event(track, event, now);
		break;
	default:
		request_cancel(track, event);
	}
}

/* Inside of a call that it entered by t it may still tell of a receive; when it is parked it has told all. */
bool process_passed(const struct analysis *analysis, uint32_t number, int64_t posted, int64_t t)
{
	const struct replay_process *process = &analysis->replay.processes[number];
	uint32_t main = analysis->model.processes.at[number].main;
	const struct track *receiver = main == MODEL_NONE ? NULL : &analysis->tracks[main];

	if (!receiver || (receiver->cursor.ended && !receiver->replay.parked))
		return true;
	if (!receiver->any || receiver->last < t)
		return false;
	if (!receiver->replay.parked && (receiver->last == t ||
			(receiver->replay.call && receiver->replay.entered.t <= t)))
		return false;
	for (size_t i = 0; i < process->receives.n; i++)
		if (process->receives.at[i] > posted && process->receives.at[i] <= t)
			return false;
	return true;
}

static bool receiver_passed(const struct track *track, const struct need *need, int64_t t)
{
	uint32_t receiver = need->message->receiver;

	return shard_is_remote(&track->analysis->shard, receiver) ?
		need->passed : process_passed(track->analysis, receiver, need->posted.t, t);
}

static bool need_ready(const struct track *track, const struct need *need, int64_t t)
{
	switch (need->kind) {
	case NEED_SENDER:
		return need->message->known[SIDE_SEND];
	case NEED_RECEIVER:
		return need->message->known[SIDE_RECV] ||
			(need->mode == SEND_STANDARD && receiver_passed(track, need, t));
	default:
		return collective_ready(need->collective, need->member);
	}
}

/* Who wakes the track when the need may be met. */
static bool need_wait(struct track *track, struct need *need, int64_t t)
{
	struct analysis *analysis = track->analysis;
	struct watcher *watcher;
	uint32_t *at, main;

	if (need->kind == NEED_COLLECTIVE) {
		at = ARRAY_ADD(&need->collective->waiting);
		if (at)
			*at = track->location;
		return at;
	}
	need->message->waiting[need->kind == NEED_SENDER ? SIDE_RECV : SIDE_SEND] = track->location;
	main = analysis->model.processes.at[need->message->receiver].main;
	if (need->kind == NEED_SENDER || main == MODEL_NONE)
		return true;
	if (shard_is_remote(&analysis->shard, need->message->receiver)) {
		if (need->mode == SEND_STANDARD)
			shard_ask(track, need, t);
		return true;
	}
	watcher = ARRAY_ADD(&analysis->tracks[main].replay.watchers);
	if (watcher)
		*watcher = (struct watcher){ track->location, INT64_MIN };
	return watcher;
}

/* False: the track has parked. */
static bool needs_met(struct track *track, int64_t t)
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

/* The gate of one need; false when there is none, *dropped when there should be one. */
static bool need_gate(const struct track *track, const struct need *need, int64_t t,
	struct arrival *gate, bool *dropped)
{
	const struct message *message = need->message;

	if (need->kind == NEED_COLLECTIVE) {
		*gate = collective_gate(need->collective, need->member, &need->posted);
		*dropped |= !collective_ready(need->collective, need->member);
		return true;
	}
	if (need->kind == NEED_SENDER) {
		*gate = message->posted[SIDE_SEND];
		*dropped |= !message->known[SIDE_SEND];
		return message->known[SIDE_SEND];
	}
	*gate = message->posted[SIDE_RECV];
	*dropped |= need->mode == SEND_RENDEZVOUS && !message->known[SIDE_RECV];
	return message->known[SIDE_RECV] &&
		(need->mode == SEND_RENDEZVOUS || !track->replay.forced) &&
		(need->mode == SEND_RENDEZVOUS || (gate->t > need->posted.t && gate->t <= t));
}

/* Gives references up, tells collectives, and forgets what has not come. */
static void needs_end(struct track *track, int64_t t)
{
	struct replay_track *replay = &track->replay;

	for (size_t i = 0; i < replay->needs.n; i++) {
		struct need *need = &replay->needs.at[i];

		if (need->kind == NEED_COLLECTIVE) {
			collective_leave(track, need->collective, need->member, &need->posted, t);
			continue;
		}
		need->message->waiting[need->kind == NEED_SENDER ? SIDE_RECV : SIDE_SEND] =
			MODEL_NONE;
		need_drop(track, need);
	}
	replay->needs.n = 0;
}

/*
 * The clocks behind the call: gate + τ where the scenario keeps it, else the
 * gate. `keep`: the call did not communicate, its time is the host's.
 */
static void clocks_set(struct track *track, const struct arrival *gate, int64_t t, bool keep)
{
	int64_t tau = residual(track, gate->t, t);
	unsigned char freedom = keep ? FREE_HOST : FREE_NETWORK;

	for (int s = 0; s < SCENARIO_COUNT; s++) {
		int64_t kept = s == SCENARIO_IDENTITY || tau > 0 ? tau : 0;

		track->replay.shift[s] = gate->clock[s] - t + (scenario_freedoms[s] & freedom ? 0 : kept);
	}
	track->analysis->replay.nmismatched += track->replay.shift[SCENARIO_IDENTITY] != 0;
}

/* The part of the call that went by before its gate opened was spent for the rank that came last. */
static void wait_add(struct track *track, const struct arrival *gate, int64_t t)
{
	int64_t wait = (gate->t < t ? gate->t : t) - track->replay.entered.t;

	if (wait <= 0)
		return;
	track->replay.waited += wait;
	window_waited(track, gate->by, wait);
}

bool replay_leave(struct track *track, int64_t t)
{
	struct replay_track *replay = &track->replay;
	struct arrival gate = replay->entered, other;
	bool dropped = false;

	if (!replay->call)
		return true;
	if (!needs_met(track, t))
		return false;
	for (size_t i = 0; i < replay->needs.n; i++) {
		if (!need_gate(track, &replay->needs.at[i], t, &other, &dropped))
			continue;
		if (other.t > gate.t)
			gate.t = other.t, gate.by = other.by, gate.path = other.path;
		for (int s = 0; s < SCENARIO_COUNT; s++)
			gate.clock[s] =
				other.clock[s] > gate.clock[s] ? other.clock[s] : gate.clock[s];
	}
	if (dropped) {		/* nobody knows what it waited for: it keeps its duration */
		track->analysis->replay.ndropped++;
		gate = replay->entered;
	}
	wait_add(track, &gate, t);
	path_take(track, &gate.path, gate.t, t, HOST_MPI);
	clocks_set(track, &gate, t, dropped || !replay->communicates);
	needs_end(track, t);
	track->analysis->replay.ncalls += replay->call->communicates;
	track->analysis->replay.nungated += replay->call->ungated && !replay->communicates;
	replay->call = NULL;
	replay->parked = replay->forced = false;
	return true;
}

/* Messages that are known of at two readers count where their side is. */
static bool is_counted(const struct analysis *analysis, const struct channel *channel)
{
	return !shard_is_remote(&analysis->shard, channel->side == SIDE_SEND ? channel->from : channel->to);
}

void replay_count(struct analysis *analysis)
{
	struct replay *replay = &analysis->replay;

	for (size_t i = 0; i < replay->channels.n; i++)
		for (const struct message *m = replay->channels.at[i].head; m; m = m->next)
			replay->nunmatched[replay->channels.at[i].side] += m->known[replay->channels.at[i].side] &&
				is_counted(analysis, &replay->channels.at[i]);
	for (size_t p = 0; p < analysis->model.processes.n; p++)	/* found, and never received */
		for (size_t i = 0; i < replay->processes[p].probed.n; i++) {
			const struct probed *at = &replay->processes[p].probed.at[i];

			replay->nunmatched[SIDE_SEND] += at->message->known[SIDE_SEND] &&
				!shard_is_remote(&analysis->shard, at->channel.from);
		}
	collectives_count(analysis);
}

void replay_finish(struct analysis *analysis)
{
	struct replay *replay = &analysis->replay;
	const char *window = property_find(&analysis->archive.properties, PROPERTY_ARCHIVE_WINDOW);

	if (analysis->options->summary)
		return;
	if (!analysis->shard.n)
		replay_count(analysis);
	collectives_finish(analysis);
	check_write(analysis, "run", "identity_replay", replay->nmismatched == 0,
		"%" PRIu64 " calls did not end when they did", replay->nmismatched);
	check_write(analysis, "run", "causality", replay->nskewed == 0,
		"%" PRIu64 " calls end before what they waited "
		"for began, by up to %" PRId64 " ns: clocks are skewed",
		replay->nskewed, replay->worst_skew);
	if (window && strncmp(window, "without", 7) != 0)
		return;		/* what lies outside a capture window has no partner inside */
	check_write(analysis, "run", "messages_match",
		replay->nunmatched[SIDE_SEND] + replay->nunmatched[SIDE_RECV] == 0,
		"%" PRIu64 " sends without their receive, %" PRIu64 " receives without their send",
		replay->nunmatched[SIDE_SEND], replay->nunmatched[SIDE_RECV]);
	check_write(analysis, "run", "collectives_complete",
		replay->nincomplete + replay->nconfused == 0,
		"%" PRIu64 " collectives lack members, %" PRIu64
		" calls name another operation than the others did",
		replay->nincomplete, replay->nconfused);
}
