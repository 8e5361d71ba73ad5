/*
 * replay_nccl.c - instances of NCCL operations: the k-th of a communicator on
 * each member, or the k-th message between two; see replay_device.h. Nothing
 * in the trace says how many members a communicator has unless it is defined:
 * an instance is whole when every stream has come past its end, and from then
 * on the communicator's size is known.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "log.h"

static const struct { const char *name; enum gate gate; double bus; bool scaled, pair; } nccl_ops[] = {
	{ "allreduce", GATE_ALL, 2, true, false }, { "allgather", GATE_ALL, 1, true, false },
	{ "reducescatter", GATE_ALL, 1, true, false }, { "alltoall", GATE_ALL, 1, true, false },
	{ "broadcast", GATE_ROOT, 1, false, false }, { "scatter", GATE_ROOT, 1, true, false },
	{ "reduce", GATE_AT_ROOT, 1, false, false }, { "gather", GATE_AT_ROOT, 1, true, false },
	{ "send", GATE_ALL, 1, false, true }, { "recv", GATE_ALL, 1, false, true },
	{ "barrier", GATE_ALL, 1, false, false },
};

enum { NCCL_OPS = sizeof(nccl_ops) / sizeof(nccl_ops[0]) };

double nccl_bus_factor(const char *op, uint32_t n)
{
	for (int i = 0; i < NCCL_OPS; i++)
		if (strcmp(nccl_ops[i].name, op) == 0)
			return nccl_ops[i].bus * (nccl_ops[i].scaled ? (n - 1.0) / n : 1);
	return NAN;
}

bool nccl_call_read(struct track *track, const struct event *event, struct nccl_call *call)
{
	const OTF2_AttributeRef *attributes = track->analysis->model.attributes;
	const char *op = event_text(&track->analysis->archive, event, attributes[ATTRIBUTE_OP]);
	uint64_t number;

	if (!op || !event_number(event, attributes[ATTRIBUTE_COMM], &call->comm) ||
		!event_number(event, attributes[ATTRIBUTE_SEQ], &call->seq))
		return false;
	for (call->op = 0; call->op < NCCL_OPS && strcmp(nccl_ops[call->op].name, op) != 0; call->op++)
		;
	call->root = event_number(event, attributes[ATTRIBUTE_ROOT], &number) ? (int64_t)number : -1;
	call->peer = event_number(event, attributes[ATTRIBUTE_PEER], &number) ? (int64_t)number : -1;
	call->device = event_number(event, attributes[ATTRIBUTE_DEVICE], &number) ? (uint32_t)number : MODEL_NONE;
	call->algorithm = event_text(&track->analysis->archive, event, attributes[ATTRIBUTE_ALGORITHM]);
	call->protocol = event_text(&track->analysis->archive, event, attributes[ATTRIBUTE_PROTOCOL]);
	call->bytes = 0;
	event_number(event, attributes[ATTRIBUTE_BYTES], &call->bytes);
	return call->op < NCCL_OPS && (!nccl_ops[call->op].pair || call->peer >= 0);
}

/* A definition with the communicator's number tells its members, unless it is one of MPI's. */
static uint32_t comm_defined(const struct analysis *analysis, uint64_t id)
{
	const struct archive *archive = &analysis->archive;
	uint32_t comm = idmap_find(&archive->comms.map, id);
	uint32_t group = comm == IDMAP_NONE ? IDMAP_NONE : idmap_find(&archive->members.map, archive->comms.at[comm].group);

	return group == IDMAP_NONE || archive->members.at[group].paradigm == OTF2_PARADIGM_MPI ? MODEL_NONE : comm;
}

static struct nccl_comm *comm_of(struct analysis *analysis, uint64_t id, uint32_t *number)
{
	struct device_replay *device = &analysis->device;
	struct nccl_comm *comm;

	*number = idmap_find(&device->comm_numbers, id | 1ull << 63);
	if (*number != IDMAP_NONE)
		return &device->comms.at[*number];
	*number = device->comms.n;
	comm = ARRAY_ADD(&device->comms);
	if (!comm || idmap_set(&device->comm_numbers, id | 1ull << 63, *number) < 0)
		return NULL;
	*comm = (struct nccl_comm){ .id = id, .defined = comm_defined(analysis, id), .name = "" };
	if (comm->defined != MODEL_NONE) {
		comm->name = analysis->model.comms.at[comm->defined].name;
		comm->size = analysis->model.comms.at[comm->defined].nmembers;
	}
	return comm;
}

/*
 * Rank in the communicator: by its definition, in which a process with several
 * devices has a rank for each; else that in the job.
 */
static int64_t comm_rank(const struct track *track, const struct nccl_comm *comm)
{
	const struct model *model = &track->analysis->model;
	const struct comm *defined = comm->defined == MODEL_NONE ? NULL : &model->comms.at[comm->defined];
	uint32_t device = model->locations.at[track->location].device;

	for (uint32_t i = 0; defined && i < defined->nmembers; i++)
		if (defined->members[i] == track->process && (!defined->devices ||
				defined->devices[i] == MODEL_NONE || defined->devices[i] == device))
			return i;
	return model->processes.at[track->process].rank;
}

static void pair_of(const struct nccl_call *call, int64_t rank, int64_t *from, int64_t *to)
{
	*from = strcmp(nccl_ops[call->op].name, "send") == 0 ? rank : call->peer;
	*to = *from == rank && call->peer != rank ? call->peer : rank;
}

static uint64_t key_of(const struct nccl_call *call, int64_t rank)
{
	uint64_t key = hash_mix(call->comm, call->seq);
	int64_t from, to;

	pair_of(call, rank, &from, &to);
	if (nccl_ops[call->op].pair)
		key = hash_mix(key, hash_mix((uint64_t)from + 1, (uint64_t)to + 1));
	return key | 1ull << 63;
}

/* A pair's messages are counted by themselves: the two stand in the upper bits, behind all other operations. */
static int64_t row_number(const struct nccl_call *call, int64_t rank)
{
	int64_t from, to;

	if (!nccl_ops[call->op].pair)
		return (int64_t)call->seq;
	pair_of(call, rank, &from, &to);
	return ((from << 15 | to) + 1) << 32 | (int64_t)(call->seq & UINT32_MAX);
}

static struct nccl_instance *instance_of(struct analysis *analysis, uint64_t key, uint32_t comm,
		const struct nccl_call *call, int64_t rank, uint32_t *number)
{
	struct device_replay *device = &analysis->device;
	struct nccl_instance *instance;

	*number = idmap_find(&device->instance_numbers, key);
	if (*number != IDMAP_NONE)
		return &device->instances.at[*number];
	if (device->free_instances.n) {
		*number = device->free_instances.at[--device->free_instances.n];
	} else {
		*number = device->instances.n;
		if (!ARRAY_ADD(&device->instances))
			return NULL;
	}
	instance = &device->instances.at[*number];
	instance->members.n = instance->waiting.n = 0;
	instance->key = key;
	instance->seq = call->seq;
	instance->number = row_number(call, rank);
	instance->asked = false;
	instance->nconfirmed = 0;
	instance->comm = comm;
	instance->op = call->op;
	instance->root = call->root;
	instance->pair = nccl_ops[call->op].pair;
	instance->left = instance->last = 0;
	instance->closed = false;
	instance->bytes = 0;
	instance->algorithm = instance->protocol = NULL;
	instance->passed = (struct stream_place){ 0, 0 };
	instance->passed_until = INT64_MIN;
	instance->watcher = MODEL_NONE;
	instance->watched = INT64_MAX;
	instance->live = true;
	return idmap_set(&device->instance_numbers, key, *number) < 0 ? NULL : instance;
}

static void waiting_wake(struct analysis *analysis, struct nccl_instance *instance, uint32_t but)
{
	for (size_t i = 0; i < instance->waiting.n; i++)
		if (instance->waiting.at[i] != but)
			replay_wake(analysis, instance->waiting.at[i]);
	instance->waiting.n = 0;
}

/* Whether those that wait can go on with the member that has just come; where all gate all only with the last one. */
static bool member_helps(const struct analysis *analysis, const struct nccl_instance *instance)
{
	uint32_t size = instance->pair ? 2 : analysis->device.comms.at[instance->comm].size;

	return (size && instance->members.n >= size) || instance->closed || nccl_ops[instance->op].gate != GATE_ALL;
}

static bool member_add(struct analysis *analysis, struct nccl_instance *instance, const struct nccl_call *call,
		const struct nccl_member *told)
{
	struct nccl_member *member = ARRAY_ADD(&instance->members);

	if (!member)
		return false;
	*member = *told;
	member->op = call->op;
	if (instance->members.n == 1 || told->start.t < instance->first)
		instance->first = told->start.t;
	if (instance->members.n == 1 || told->start.t > instance->members.at[instance->last].start.t ||
		(told->start.t == instance->members.at[instance->last].start.t &&
			told->process < instance->members.at[instance->last].process))
		instance->last = instance->members.n - 1;
	if (instance->members.n == 1)
		instance->latest = member->start;
	else
		moment_later(&instance->latest, &member->start);
	instance->bytes = call->bytes > instance->bytes ? call->bytes : instance->bytes;
	if (instance->root < 0)
		instance->root = call->root;
	if (!instance->algorithm)
		instance->algorithm = call->algorithm;
	if (!instance->protocol)
		instance->protocol = call->protocol;
	if (member_helps(analysis, instance))
		waiting_wake(analysis, instance, MODEL_NONE);
	return true;
}

bool nccl_arrive(struct track *track, const struct nccl_call *call)
{
	struct analysis *analysis = track->analysis;
	struct stream *stream = &analysis->device.streams[track->location];
	struct nccl_member member = { .process = track->process, .start = stream->begin,
		.device = analysis->model.locations.at[track->location].device };
	struct nccl_instance *instance;
	struct nccl_comm *comm;
	struct nccl_use *use;
	uint32_t number, at;

	comm = comm_of(analysis, call->comm, &number);
	if (!comm)
		return false;
	member.rank = comm_rank(track, comm);
	instance = instance_of(analysis, key_of(call, member.rank), number, call, member.rank, &at);
	use = instance ? ARRAY_ADD(&stream->uses) : NULL;
	if (!use)
		return false;
	*use = (struct nccl_use){ at, instance->members.n };
	analysis->device.nlate += instance->closed;
	if (analysis->shard.n)
		shard_nccl_arrived(analysis, instance->key, call, &member);
	return member_add(analysis, instance, call, &member);
}

void nccl_told(struct analysis *analysis, uint64_t key, const struct nccl_call *call, const struct nccl_member *member)
{
	uint32_t number, at;
	struct nccl_comm *comm = comm_of(analysis, call->comm, &number);
	struct nccl_instance *instance = comm ? instance_of(analysis, key, number, call, member->rank, &at) : NULL;

	if (!instance || !member_add(analysis, instance, call, member))
		analysis->failed = true;
}

static bool takes_part(const struct stream *stream, uint32_t instance)
{
	for (size_t i = 0; i < stream->uses.n; i++)
		if (stream->uses.at[i].instance == instance)
			return true;
	return false;
}

/* The activity that the stream has at hand may turn out to be a member. */
static bool may_join(const struct analysis *analysis, const struct stream *stream, uint32_t number)
{
	const struct nccl_instance *instance = &analysis->device.instances.at[number];

	return stream->class == ACTIVITY_NCCL && (stream->grouped || !stream->communicates ||
		(stream->call.seq == instance->seq &&
			stream->call.comm == analysis->device.comms.at[instance->comm].id));
}

/* The stream can bring no further member of an instance that ended at t. */
static bool stream_passed(const struct analysis *analysis, uint32_t location, uint32_t instance, int64_t t)
{
	const struct stream *stream = &analysis->device.streams[location];
	const struct track *track = &analysis->tracks[location];

	if (stream->state == STREAM_IDLE)
		return (track->cursor.ended && !track->replay.parked) || (track->any && track->last > t);
	return stream->start > t || (stream->state == STREAM_COMMUNICATING &&
			(stream->stop > t || (stream->stop == t && takes_part(stream, instance)))) ||
		/* one without length proves nothing: the next may begin at t, too */
		(stream->start == t && stream->state != STREAM_OPEN && stream->stop > t && !may_join(analysis, stream, instance));
}

/* The stream that stands there, or the next one; MODEL_NONE behind the last. */
static uint32_t stream_at(const struct model *model, struct stream_place *at)
{
	for (; at->device < model->devices.n; at->device++, at->stream = 0)
		if (at->stream < model->devices.at[at->device].streams.n)
			return model->devices.at[at->device].streams.at[at->stream];
	return MODEL_NONE;
}

/* Goes on to a stream that may still bring a member. */
static uint32_t behind_from(const struct analysis *analysis, struct stream_place *at, uint32_t instance, int64_t t)
{
	uint32_t location;

	while ((location = stream_at(&analysis->model, at)) != MODEL_NONE &&
		(!shard_reads(&analysis->shard, location) || stream_passed(analysis, location, instance, t)))
		at->stream++;
	return location;
}

/*
 * A stream that may still bring a member; NULL: none. Each member that comes
 * asks: where the last one found one is kept, as a stream that has come past
 * never goes back.
 */
static struct track *stream_behind(struct analysis *analysis, uint32_t number, int64_t t)
{
	struct nccl_instance *instance = &analysis->device.instances.at[number];
	struct stream_place at;
	uint32_t location;

	if (t > instance->passed_until) {
		instance->passed = (struct stream_place){ 0, 0 };
		instance->passed_until = t;
	}
	location = behind_from(analysis, &instance->passed, number, instance->passed_until);
	at = instance->passed;
	if (t < instance->passed_until)
		location = behind_from(analysis, &at, number, t);
	return location == MODEL_NONE ? NULL : &analysis->tracks[location];
}

static bool is_root(const struct nccl_instance *instance, uint32_t member)
{
	return instance->members.at[member].rank == instance->root;
}

static bool root_there(const struct nccl_instance *instance)
{
	for (size_t i = 0; i < instance->members.n; i++)
		if (is_root(instance, i))
			return true;
	return false;
}

/* The member need not wait for others: they are there, or nobody waits for them. */
static bool member_ready(const struct analysis *analysis, const struct nccl_instance *instance, uint32_t member)
{
	uint32_t size = instance->pair ? 2 : analysis->device.comms.at[instance->comm].size;

	if (instance->closed || (size && instance->members.n >= size))
		return true;
	switch (nccl_ops[instance->op].gate) {
	case GATE_ROOT: return is_root(instance, member) || root_there(instance);
	case GATE_AT_ROOT: return !is_root(instance, member);
	default: return false;
	}
}

/* Everything has come past: what is there is all. */
static void instance_close(struct analysis *analysis, struct nccl_instance *instance)
{
	struct nccl_comm *comm = &analysis->device.comms.at[instance->comm];

	instance->closed = true;
	if (!instance->pair && comm->defined == MODEL_NONE && instance->members.n > comm->size)
		comm->size = instance->members.n;
}

bool nccl_passed(struct analysis *analysis, uint64_t key, int64_t t)
{
	uint32_t number = idmap_find(&analysis->device.instance_numbers, key);

	return number == IDMAP_NONE || !stream_behind(analysis, number, t);
}

void nccl_confirmed(struct analysis *analysis, uint64_t key)
{
	uint32_t number = idmap_find(&analysis->device.instance_numbers, key);
	struct nccl_instance *instance = number == IDMAP_NONE ? NULL : &analysis->device.instances.at[number];

	if (!instance)
		return;
	instance->nconfirmed++;
	waiting_wake(analysis, instance, MODEL_NONE);
}

/* Whether other readers have come past an instance that ended at t; they are asked once. */
static bool others_passed(struct analysis *analysis, struct nccl_instance *instance, int64_t t)
{
	if (!analysis->shard.n || instance->nconfirmed == analysis->shard.n - 1)
		return true;
	if (!instance->asked)
		shard_nccl_ask(analysis, instance->key, t);
	instance->asked = true;
	return false;
}

/*
 * The track parks. Of those that do one looks whether members can still come: that whose part ends
 * first, as it is the first to know that none can. Many looking at one would be woken in vain each
 * time that it goes on.
 */
static bool instance_wait(struct track *track, struct nccl_instance *instance, int64_t stop, struct track *slow)
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
	struct analysis *analysis = track->analysis;
	struct stream *stream = &analysis->device.streams[track->location];

	for (size_t i = 0; i < stream->uses.n; i++) {
		struct nccl_instance *instance = &analysis->device.instances.at[stream->uses.at[i].instance];
		struct track *slow;

		if (member_ready(analysis, instance, stream->uses.at[i].member))
			continue;
		slow = stream_behind(analysis, stream->uses.at[i].instance, stream->stop);
		if (others_passed(analysis, instance, stream->stop) && !slow) {
			instance_close(analysis, instance);
			waiting_wake(analysis, instance, track->location);
			continue;
		}
		analysis->failed |= !instance_wait(track, instance, stream->stop, slow);
		return false;
	}
	return true;
}

static bool gates(const struct nccl_instance *instance, uint32_t other, uint32_t member)
{
	switch (nccl_ops[instance->op].gate) {
	case GATE_ROOT: return is_root(instance, other);
	case GATE_AT_ROOT: return is_root(instance, member);
	default: return true;
	}
}

static struct moment instance_gate(const struct nccl_instance *instance, uint32_t member)
{
	struct moment gate = instance->members.at[member].start;

	if (nccl_ops[instance->op].gate == GATE_ALL)
		moment_later(&gate, &instance->latest);
	for (size_t i = 0; nccl_ops[instance->op].gate != GATE_ALL && i < instance->members.n; i++)
		if (gates(instance, i, member))
			moment_later(&gate, &instance->members.at[i].start);
	return gate;
}

size_t nccl_present(const struct track *track)
{
	const struct device_replay *device = &track->analysis->device;
	const struct stream *stream = device->any ? &device->streams[track->location] : NULL;
	size_t most = 0;

	for (size_t i = 0; stream && i < stream->uses.n; i++)
		if (device->instances.at[stream->uses.at[i].instance].members.n > most)
			most = device->instances.at[stream->uses.at[i].instance].members.n;
	return most;
}

struct moment nccl_gate(struct track *track)
{
	const struct analysis *analysis = track->analysis;
	const struct stream *stream = &analysis->device.streams[track->location];
	struct moment gate = stream->begin, other;

	for (size_t i = 0; i < stream->uses.n; i++) {
		other = instance_gate(&analysis->device.instances.at[stream->uses.at[i].instance], stream->uses.at[i].member);
		moment_later(&gate, &other);
	}
	return gate;
}

static void sum_add(struct analysis *analysis, const struct nccl_instance *instance, const struct nccl_member *member,
		int64_t wait, int64_t transfer)
{
	struct device_replay *device = &analysis->device;
	int64_t rank = analysis->model.processes.at[member->process].rank;
	uint64_t key = 1ull << 63 | hash_mix((uint64_t)instance->comm << 8 | member->op, (uint64_t)rank);
	uint32_t number = idmap_find(&device->sum_numbers, key);
	struct nccl_sum *sum;

	if (number == IDMAP_NONE) {
		number = device->sums.n;
		sum = ARRAY_ADD(&device->sums);
		if (!sum || idmap_set(&device->sum_numbers, key, number) < 0) {
			analysis->failed = true;
			return;
		}
		*sum = (struct nccl_sum){ .comm = instance->comm, .op = member->op, .rank = rank };
	}
	sum = &device->sums.at[number];
	sum->n++;
	sum->wait += wait;
	sum->transfer += transfer;
}

/* algbw = S/transfer, busbw = algbw × factor of the operation (0 for one member). */
static void row_write(struct analysis *analysis, const struct nccl_instance *instance)
{
	struct nccl_comm *comm = &analysis->device.comms.at[instance->comm];
	const struct nccl_member *last = &instance->members.at[instance->last];
	char text[64];
	const char *op = instance->pair ? "send" : nccl_ops[instance->op].name;
	double transfer = instance->end - last->start.t, bytes = instance->bytes;
	double algorithm = transfer > 0 && bytes > 0 ? bytes / transfer * 1e9 : NAN;
	double raw = instance->end > instance->first && bytes > 0 ? bytes * 1e9 / (instance->end - instance->first) : NAN;

	if (instance->algorithm)
		snprintf(text, sizeof(text), "%s%s%s", instance->algorithm, instance->protocol ? "/" : "",
			instance->protocol ? instance->protocol : "");
	/* a number that comes twice is that of a broken trace */
	db_put(&analysis->db, "insert or ignore into collective values (1,'nccl',?,?,?,?,?,?,?,?,?,?,?,?)", "iisiiiiiddds",
		(int64_t)comm->id, instance->number, op, (int64_t)instance->bytes, instance->first, last->start.t,
		instance->end, analysis->model.processes.at[last->process].rank, algorithm,
		algorithm * nccl_bus_factor(op, instance->members.n), raw, instance->algorithm ? text : NULL);
}

static void instance_free(struct analysis *analysis, uint32_t number)
{
	struct device_replay *device = &analysis->device;
	struct nccl_instance *instance = &device->instances.at[number];
	uint32_t *at = ARRAY_ADD(&device->free_instances);

	idmap_set(&device->instance_numbers, instance->key, IDMAP_NONE);
	instance->live = false;
	if (at)
		*at = number;
}

/* Every reader holds the whole instance: that of its first process writes the row. */
static bool row_is_here(const struct analysis *analysis, const struct nccl_instance *instance)
{
	uint32_t first = UINT32_MAX;

	for (size_t i = 0; i < instance->members.n; i++)
		if (instance->members.at[i].process < first)
			first = instance->members.at[i].process;
	return first != UINT32_MAX && !shard_is_remote(&analysis->shard, first);
}

/* Somebody has left at t. */
static void instance_left(struct analysis *analysis, uint32_t number, int64_t t)
{
	struct nccl_instance *instance = &analysis->device.instances.at[number];
	uint32_t size = instance->pair ? 2 : analysis->device.comms.at[instance->comm].size;

	if (!instance->left++ || t > instance->end)
		instance->end = t;
	if (instance->left < instance->members.n || !(instance->closed || (size && instance->left >= size)))
		return;
	if (row_is_here(analysis, instance))
		row_write(analysis, instance);
	instance_free(analysis, number);
}

void nccl_left(struct analysis *analysis, uint64_t key, int64_t t)
{
	uint32_t number = idmap_find(&analysis->device.instance_numbers, key);

	if (number != IDMAP_NONE)
		instance_left(analysis, number, t);
}

static void member_leave(struct track *track, const struct nccl_use *use, int64_t t)
{
	struct analysis *analysis = track->analysis;
	struct nccl_instance *instance = &analysis->device.instances.at[use->instance];
	struct nccl_member *member = &instance->members.at[use->member];
	int64_t gate = instance_gate(instance, use->member).t, wait;

	wait = (gate < t ? gate : t) - member->start.t;
	sum_add(analysis, instance, member, wait, t - member->start.t - wait);
	if (analysis->shard.n)
		shard_nccl_left(analysis, instance->key, t);
	if (instance->watcher == track->location) {	/* another one has to look, if any is left */
		instance->watched = INT64_MAX;
		waiting_wake(analysis, instance, track->location);
	}
	instance_left(analysis, use->instance, t);
}

void nccl_leave(struct track *track, int64_t t)
{
	struct stream *stream = &track->analysis->device.streams[track->location];

	for (size_t i = 0; i < stream->uses.n; i++)
		member_leave(track, &stream->uses.at[i], t);
	stream->uses.n = 0;
}

void nccl_rest(struct analysis *analysis)
{
	struct device_replay *device = &analysis->device;

	for (size_t i = 0; i < device->instances.n; i++)
		if (device->instances.at[i].live && device->instances.at[i].left) {
			if (row_is_here(analysis, &device->instances.at[i]))
				row_write(analysis, &device->instances.at[i]);
			instance_free(analysis, i);
		}
}

struct wire_sum { uint64_t comm; struct nccl_sum sum; };
struct wire_comm { uint64_t id; uint32_t size, pad; };

void nccl_pack(struct analysis *analysis)
{
	struct device_replay *device = &analysis->device;
	struct pack *pack = &analysis->shard.pack;

	for (size_t i = 0; i < device->comms.n; i++) {
		struct wire_comm wire = { device->comms.at[i].id, device->comms.at[i].size, 0 };

		pack_add(pack, &wire, sizeof(wire));
		pack_send(analysis, NOTE_NCCL_COMM);
	}
	for (size_t i = 0; i < device->sums.n; i++) {
		struct wire_sum wire = { device->comms.at[device->sums.at[i].comm].id, device->sums.at[i] };

		pack_add(pack, &wire, sizeof(wire));
		pack_send(analysis, NOTE_NCCL_SUM);
	}
}

void nccl_take_comm(struct analysis *analysis, const struct note *note)
{
	const struct wire_comm *wire = (const struct wire_comm *)note->data;
	uint32_t number;
	struct nccl_comm *comm = comm_of(analysis, wire->id, &number);

	analysis->failed |= !comm;
	if (comm && wire->size > comm->size)
		comm->size = wire->size;
}

void nccl_take_sum(struct analysis *analysis, const struct note *note)
{
	const struct wire_sum *wire = (const struct wire_sum *)note->data;
	struct nccl_sum *sum = ARRAY_ADD(&analysis->device.sums);

	analysis->failed |= !sum || !comm_of(analysis, wire->comm, &(uint32_t){ 0 });
	if (analysis->failed)
		return;
	*sum = wire->sum;
	comm_of(analysis, wire->comm, &sum->comm);
}

void nccl_finish(struct analysis *analysis)
{
	struct device_replay *device = &analysis->device;

	nccl_rest(analysis);
	for (size_t i = 0; i < device->comms.n; i++)
		db_put(&analysis->db, "insert into communicator values (1,?,'nccl',?,?)", "isi",
			(int64_t)device->comms.at[i].id, device->comms.at[i].name, (int64_t)device->comms.at[i].size);
	for (size_t i = 0; i < device->sums.n; i++)
		db_put(&analysis->db, "insert into collective_rank values (1,'nccl',?,?,?,?,?,?)", "iisiii",
			(int64_t)device->comms.at[device->sums.at[i].comm].id, device->sums.at[i].rank,
			nccl_ops[device->sums.at[i].op].name, (int64_t)device->sums.at[i].n,
			device->sums.at[i].wait, device->sums.at[i].transfer);
}

void nccl_close(struct analysis *analysis)
{
	struct device_replay *device = &analysis->device;

	for (size_t i = 0; i < device->instances.n; i++) {
		free(device->instances.at[i].members.at);
		free(device->instances.at[i].waiting.at);
	}
	free(device->instances.at);
	free(device->free_instances.at);
	free(device->comms.at);
	free(device->sums.at);
	idmap_free(&device->comm_numbers);
	idmap_free(&device->instance_numbers);
	idmap_free(&device->sum_numbers);
}
