/*
 * replay_mpi.c - the meaning of MPI's events: messages and their two sides, requests between their
 * post and their completion, members of collectives; see replay.h.
 */
#include "config.h"

#include <string.h>

#include "engine/engine.h"
#include "model/neighbours.h"

/* Bytes that leave the node, as one side of a message or a member of a collective reports them. */
static void network_add(struct track *track, uint32_t node, const struct arrival *posted, int64_t t,
	uint64_t sent, uint64_t received)
{
	struct rates *rates;

	if (node == MODEL_NONE)
		return;
	rates = &track->engine->tables.rates[node];
	if ((sent && rate_add(rates, RATE_NETWORK_SENT, posted->t, t, sent) < 0) ||
		(received && rate_add(rates, RATE_NETWORK_RECEIVED, posted->t, t, received) < 0))
		track_fail(track);
}

/* The channel of a message event; false when its partner is not in the trace. */
static bool channel_of(const struct track *track, const struct event *event, enum side side,
	struct channel *channel)
{
	struct model *model = &track->engine->tables.model;
	uint32_t number = model_comm(model, event->ref), partner, self = track->process;

	if (number == MODEL_NONE || self == MODEL_NONE)
		return false;
	partner = model_peer(model, number, self, event->peer);
	if (partner == MODEL_NONE)
		return false;
	*channel = (struct channel){ .comm = number,
		.tag = event->tag,
		.from = side == SIDE_SEND ? self : partner,
		.to = side == SIDE_SEND ? partner : self };
	return true;
}

static struct message *publish(struct track *track, const struct event *event, enum side side,
	const struct arrival *posted)
{
	const struct model *model = &track->engine->tables.model;
	struct channel channel;
	uint32_t from, to;

	if (!channel_of(track, event, side, &channel))
		return NULL;
	from = model->processes.at[channel.from].node;
	to = model->processes.at[channel.to].node;
	if (from != to)
		network_add(track, side == SIDE_SEND ? from : to, posted, event->t,
			side == SIDE_SEND ? event->bytes : 0, side == SIDE_SEND ? 0 : event->bytes);
	return message_side(track, &channel, side, posted);
}

static struct request *request_add(struct track *track, uint64_t id, const struct arrival *posted)
{
	struct replay *replay = &track->engine->replay;
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
	struct replay *replay = &track->engine->replay;
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

static void receive_posted(struct track *track, int64_t t, uint64_t request)
{
	struct replay_process *process = &track->engine->replay.processes[track->process];
	struct posted_receive *at;

	if (process->first_receive == process->receives.n)
		process->first_receive = process->receives.n = 0;
	at = ARRAY_ADD(&process->receives);
	if (!at)
		track_fail(track);
	else
		*at = (struct posted_receive){ .t = t,
			.request = request,
			.thread = track->location };
}

/* Its index among the open ones, from the first; SIZE_MAX: it is none of them. */
static size_t receive_place(const struct replay_process *process, uint64_t request)
{
	for (size_t i = process->first_receive; i < process->receives.n; i++)
		if (process->receives.at[i].request == request)
			return i - process->first_receive;
	return SIZE_MAX;
}

static void receive_done(struct replay_process *process, size_t place)
{
	struct posted_receive *at = process->receives.at + process->first_receive + place;
	struct posted_receive *end = process->receives.at + process->receives.n;

	if (place == SIZE_MAX)
		return;
	process->looked -= place < process->looked;
	if (place == 0) {
		process->first_receive++;
		return;
	}
	process->receives.n--;
	memmove(at, at + 1, (size_t)(end - at - 1) * sizeof(*at));
}

/*
 * A receive is completed of which `before` are posted and open: they get their messages first. What
 * other threads have posted is in no order with it.
 */
static void receives_before(struct track *track, size_t before)
{
	struct replay *replay = &track->engine->replay;
	struct replay_process *process = &replay->processes[track->process];

	for (; process->looked < before; process->looked++) {
		struct posted_receive *at = &process->receives
						     .at[process->first_receive + process->looked];
		const struct event *completion = at->thread == track->location
			? ahead_find(track, at->request)
			: NULL;
		uint32_t number = idmap_find(&process->requests, idmap_key(at->request));

		if (!completion || number == IDMAP_NONE)
			continue;
		replay->requests.at[number].message = publish(track, completion, SIDE_RECV,
			&replay->requests.at[number].posted);
		at->known = true;
	}
}

void receives_look(struct engine *engine, uint32_t number, int64_t t)
{
	const struct replay_process *process = &engine->replay.processes[number];
	size_t n = process->receives.n - process->first_receive;
	const struct posted_receive *open = n ? &process->receives.at[process->first_receive]
					      : NULL;

	while (n > process->looked && open[n - 1].t > t)
		n--;
	while (process->looked < n)
		receives_before(&engine->tracks[open[process->looked].thread], process->looked + 1);
}

static size_t receives_open(const struct track *track)
{
	const struct replay_process *process = &track->engine->replay.processes[track->process];

	return process->receives.n - process->first_receive;
}

static void send_event(struct track *track, const struct event *event, const struct arrival *now)
{
	enum send_mode mode = track->replay.call ? track->replay.call->mode : SEND_EAGER;
	struct message *message = publish(track, event, SIDE_SEND, now);
	struct request *request;

	if (!message)
		return;
	if (mode == SEND_STANDARD)
		mode = eager_mode(track->engine, track->process, message->receiver, event->bytes);
	if (event->kind == EVENT_SEND) {
		message_need(track,
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
		message_need(track,
			&(struct need){ .kind = NEED_RECEIVER,
				.mode = request.mode,
				.posted = request.posted,
				.message = request.message });
}

static void receive_event(struct track *track, const struct event *event, const struct arrival *now)
{
	struct replay_process *process = &track->engine->replay.processes[track->process];
	struct request request = { .posted = *now };
	struct arrival posted;
	struct message *message;
	size_t place;

	if (event->kind == EVENT_IRECV && request_take(track, event->request, &request)) {
		place = receive_place(process, event->request);
		if (place != SIZE_MAX)
			receives_before(track, place);
		receive_done(process, place);
	} else if (event->kind == EVENT_RECV) {
		receives_before(track, receives_open(track));
	}
	if (event->kind == EVENT_IRECV)
		ahead_forget(track, event->request);
	posted = request.posted;
	message = request.message ? request.message : publish(track, event, SIDE_RECV, &posted);
	if (message)
		message_need(track,
			&(struct need){ .kind = NEED_SENDER,
				.posted = posted,
				.message = message });
}

void replay_number(struct track *track, const struct event *event)
{
	uint64_t number;

	if (event_number(event, track->engine->tables.model.attributes[ATTRIBUTE_SEQ], &number) &&
		number < UINT32_MAX - 1)
		track->replay.place = number + 1;
}

/* A call may begin several. */
static uint64_t place_take(struct track *track)
{
	return track->replay.call && track->replay.place ? track->replay.place++ : 0;
}

/*
 * The completion of a persistent collective states its number on its communicator in the upper half
 * of a number, and its start in the lower half: MPI orders their making, not their starts. Other
 * completions have no such number: `place` holds.
 */
static uint64_t place_completed(struct track *track, const struct event *event, uint64_t place)
{
	uint64_t number;

	return event_number(event, track->engine->tables.model.attributes[ATTRIBUTE_SEQ],
		       &number) &&
			number >> 32
		? number
		: place;
}

/* A communicator of one rank, which never waits. */
static bool is_alone(const struct model *model, uint32_t comm)
{
	const struct comm *at = comm == MODEL_NONE ? NULL : &model->comms.at[comm];

	return at && at->nall < 2;
}

static bool in_neighbours(const struct track *track)
{
	return track->replay.call && track->replay.call->neighbours;
}

/* Begun by a call of neighbours, or completed, as its record states. */
static bool is_of_neighbours(const struct track *track, const struct event *event,
	const struct request *request)
{
	uint64_t is;

	return request->neighbours ||
		(event_number(event, track->engine->tables.model.attributes[ATTRIBUTE_NEIGHBOURS],
			 &is) &&
			is);
}

/* The end of the call waits for the members that gate this one, if they are known. */
static void collective_need(struct track *track, const struct event *event, struct need *need)
{
	const struct collective *collective = need->collective;
	const struct comm *comm = &track->engine->tables.model.comms.at[collective->comm];

	if (collective->gate == GATE_NEIGHBOURS) {
		need->ungated = !comm->neighbours || !comm->neighbours[need->member].places;
		if (!need->ungated)
			need->part = neighbours_part(comm, collective->op, need->member,
				event->bytes);
	}
	track->replay.unknown |= need->ungated && comm->nall > 1;
	message_need(track, need);
}

static void collective_event(struct track *track, const struct event *event,
	const struct arrival *now)
{
	const struct model *model = &track->engine->tables.model;
	bool blocking = event->kind == EVENT_COLLECTIVE_END;
	uint32_t comm = model_comm(model, event->ref);
	struct request request = { .neighbours = in_neighbours(track) };
	struct need need = { .kind = NEED_COLLECTIVE, .posted = *now };
	struct event own = *event;
	uint64_t place = 0;

	if (blocking)
		place = place_take(track);
	else if (request_take(track, event->request, &request))
		need.posted = request.posted, place = request.place;
	place = place_completed(track, event, place);
	if (is_of_neighbours(track, event, &request))
		own.tag |= OP_NEIGHBOURS;
	need.collective = collective_arrive(track, &own, blocking, place, &need.posted,
		&need.member);
	track->replay.unknown |= !need.collective && !is_alone(model, comm);
	if (!need.collective)
		return;
	if (model->comms.at[comm].spans_nodes)
		network_add(track, model->processes.at[track->process].node, &need.posted, event->t,
			event->bytes, event->received);
	collective_need(track, event, &need);
}

/* A request for an operation of a file: MPI's own may have the same number. */
static uint64_t file_request(const struct event *event)
{
	return event->request | 1ull << 62;
}

static void file_arrive(struct track *track, uint32_t comm, bool transfer,
	const struct arrival *posted)
{
	struct collective *collective;
	uint32_t member;

	collective = collective_arrive_file(track, comm, transfer, posted, &member);
	if (collective)
		message_need(track,
			&(struct need){ .kind = NEED_COLLECTIVE,
				.member = member,
				.posted = *posted,
				.collective = collective });
}

/* A transfer begins; one that does not block arrives when it is completed, as of now. */
static void file_begin(struct track *track, const struct event *event, uint32_t comm)
{
	const struct region *call = track->replay.call;
	bool by_all = event->received & OTF2_IO_OPERATION_FLAG_COLLECTIVE || call->file_by_all;
	bool flush = event->tag == OTF2_IO_OPERATION_MODE_FLUSH;

	if (!by_all && !flush)
		return;
	if (!(event->received & OTF2_IO_OPERATION_FLAG_NON_BLOCKING))
		file_arrive(track, comm, !flush, &track->replay.entered);
	else if (request_add(track, file_request(event), &track->replay.entered))
		track->engine->replay.processes[track->process].nfiles++;
}

static void file_complete(struct track *track, const struct event *event)
{
	struct replay_process *process = &track->engine->replay.processes[track->process];
	uint32_t comm = model_handle_comm(&track->engine->tables.model, event->ref);
	struct request request;

	if (!request_take(track, file_request(event), &request))
		return;
	process->nfiles--;
	track->replay.completes_file = true;
	if (comm != MODEL_NONE)
		file_arrive(track, comm, true, &request.posted);
}

void replay_file(struct track *track, const struct event *event)
{
	const struct region *call = track->replay.call;
	uint32_t comm;

	if (!call || track->process == MODEL_NONE)
		return;
	if (event->kind == EVENT_IO_COMPLETE) {
		if (track->engine->replay.processes[track->process].nfiles)
			file_complete(track, event);
		return;
	}
	comm = call->file_call ? model_handle_comm(&track->engine->tables.model, event->ref)
			       : MODEL_NONE;
	if (comm == MODEL_NONE)
		return;
	if (event->kind == EVENT_IO_BEGIN)
		file_begin(track, event, comm);
	else if (event->kind == EVENT_IO_CREATE || event->kind == EVENT_IO_DESTROY)
		file_arrive(track, comm, false, &track->replay.entered);
}

static void request_cancel(struct track *track, const struct event *event)
{
	struct replay_process *process = &track->engine->replay.processes[track->process];
	struct request request;

	if (!request_take(track, event->request, &request))
		return;
	receive_done(process, receive_place(process, event->request));
	if (request.message)
		message_release(track->engine, request.message);
}

void replay_probe(struct track *track, const struct event *event)
{
	const OTF2_AttributeRef *attributes = track->engine->tables.model.attributes;
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
	receives_before(track, receives_open(track));
	message = probed_find(track, &channel, false);
	if (message) {
		message->references++;
	} else {
		message = message_probe(track->engine, &channel);
		at = message ? ARRAY_ADD(&track->engine->replay.processes[track->process].probed)
			     : NULL;
		if (!at)
			return track_fail(track);
		*at = (struct probed){ channel, message };
	}
	track->replay.communicates = track->replay.finds = true;
	message_need(track,
		&(struct need){ .kind = NEED_SENDER,
			.posted = track->replay.entered,
			.message = message });
}

void replay_operation(struct track *track, const struct event *event, const struct arrival *now)
{
	struct replay_track *replay = &track->replay;
	const struct collective_op *op;
	struct request *request;

	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_ISEND: send_event(track, event, now); break;
	case EVENT_ISEND_COMPLETE: send_complete(track, event); break;
	case EVENT_RECV:
	case EVENT_IRECV: receive_event(track, event, now); break;
	case EVENT_IRECV_REQUEST:
		receive_posted(track, now->t, event->request);
		request_add(track, event->request, now);
		break;
	case EVENT_COLLECTIVE_REQUEST:
		request = request_add(track, event->request, now);
		if (request) {
			request->place = place_take(track);
			request->neighbours = in_neighbours(track);
		}
		break;
	case EVENT_COLLECTIVE_END:
	case EVENT_COLLECTIVE_COMPLETE:
		op = collective_op(event->tag);
		replay->communicates = op && op->gate != GATE_NONE;
		collective_event(track, event, now);
		break;
	case EVENT_RMA_SYNC: replay_window(track, event, now); break;
	default: request_cancel(track, event);
	}
}
