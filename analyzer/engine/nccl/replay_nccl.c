/*
 * replay_nccl.c - instances of NCCL operations: the k-th of a communicator on each member, or the
 * k-th message between two; which members have come, which gates which, which have left. See
 * replay_nccl.h.
 */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"

/* A definition with the communicator's number reports its members, unless it is one of MPI's. */
static uint32_t comm_defined(const struct engine *engine, uint64_t id)
{
	const struct archive *archive = &engine->tables.archive;
	uint32_t comm = idmap_find(&archive->comms.map, id);
	uint32_t group = comm == IDMAP_NONE
		? IDMAP_NONE
		: idmap_find(&archive->members.map, archive->comms.at[comm].group);

	return group == IDMAP_NONE || archive->members.at[group].paradigm == OTF2_PARADIGM_MPI
		? MODEL_NONE
		: comm;
}

struct nccl_comm *nccl_comm_get(struct engine *engine, uint64_t id, uint32_t *number)
{
	struct nccl_replay *nccl = &engine->device.nccl;
	struct nccl_comm *comm;

	*number = idmap_find(&nccl->comm_numbers, idmap_key(id));
	if (*number != IDMAP_NONE)
		return &nccl->comms.at[*number];
	*number = nccl->comms.n;
	comm = ARRAY_ADD(&nccl->comms);
	if (!comm || idmap_set(&nccl->comm_numbers, idmap_key(id), *number) < 0)
		return NULL;
	*comm = (struct nccl_comm){ .id = id, .defined = comm_defined(engine, id), .name = "" };
	if (comm->defined != MODEL_NONE) {
		comm->name = engine->tables.model.comms.at[comm->defined].name;
		comm->size = engine->tables.model.comms.at[comm->defined].nmembers;
	}
	return comm;
}

/*
 * Rank in the communicator: by its definition, in which a process with several
 * devices has a rank for each; else that in the job.
 */
static int64_t comm_rank(const struct track *track, const struct nccl_comm *comm)
{
	const struct model *model = &track->engine->tables.model;
	const struct comm *defined = comm->defined == MODEL_NONE ? NULL
								 : &model->comms.at[comm->defined];
	uint32_t device = model->locations.at[track->location].device;

	for (uint32_t i = 0; defined && i < defined->nmembers; i++)
		if (defined->members[i] == track->process &&
			(!defined->devices || defined->devices[i] == MODEL_NONE ||
				defined->devices[i] == device))
			return i;
	return model->processes.at[track->process].rank;
}

static struct nccl_instance *instance_of(struct engine *engine, uint64_t key, uint32_t comm,
	const struct nccl_call *call, int64_t rank, uint32_t *number)
{
	struct nccl_replay *nccl = &engine->device.nccl;
	struct nccl_instance *instance;

	*number = idmap_find(&nccl->instance_numbers, key);
	if (*number != IDMAP_NONE)
		return &nccl->instances.at[*number];
	if (nccl->free_instances.n) {
		*number = nccl->free_instances.at[--nccl->free_instances.n];
	} else {
		*number = nccl->instances.n;
		if (!ARRAY_ADD(&nccl->instances))
			return NULL;
	}
	instance = &nccl->instances.at[*number];
	instance->members.n = instance->waiting.n = 0;
	instance->key = key;
	instance->seq = call->seq;
	instance->number = nccl_call_number(call, rank);
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
	return idmap_set(&nccl->instance_numbers, key, *number) < 0 ? NULL : instance;
}

void nccl_wake(struct engine *engine, struct nccl_instance *instance, uint32_t but)
{
	for (size_t i = 0; i < instance->waiting.n; i++)
		if (instance->waiting.at[i] != but)
			replay_wake(engine, instance->waiting.at[i]);
	instance->waiting.n = 0;
}

/*
 * Whether the waiting members can continue with the member that has just come; where all gate all,
 * only the last one lets them.
 */
static bool member_helps(const struct engine *engine, const struct nccl_instance *instance)
{
	uint32_t size = nccl_size(&engine->device.nccl, instance);

	return (size && instance->members.n >= size) || instance->closed ||
		nccl_ops[instance->op].gate != GATE_ALL;
}

static bool member_add(struct engine *engine, struct nccl_instance *instance,
	const struct nccl_call *call, const struct nccl_arrival *reported)
{
	struct nccl_arrival *member = ARRAY_ADD(&instance->members);

	if (!member)
		return false;
	*member = *reported;
	member->op = call->op;
	if (instance->members.n == 1 || reported->start.t < instance->first)
		instance->first = reported->start.t;
	if (instance->members.n == 1 ||
		reported->start.t > instance->members.at[instance->last].start.t ||
		(reported->start.t == instance->members.at[instance->last].start.t &&
			reported->process < instance->members.at[instance->last].process))
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
	if (member_helps(engine, instance))
		nccl_wake(engine, instance, MODEL_NONE);
	return true;
}

bool nccl_arrive(struct track *track, const struct nccl_call *call)
{
	struct engine *engine = track->engine;
	struct stream *stream = &engine->device.streams[track->location];
	struct nccl_arrival member = { .process = track->process,
		.start = stream->begin,
		.device = engine->tables.model.locations.at[track->location].device };
	struct nccl_instance *instance;
	struct nccl_comm *comm;
	struct nccl_use *use;
	uint32_t number, at;

	comm = nccl_comm_get(engine, call->comm, &number);
	if (!comm)
		return false;
	member.rank = comm_rank(track, comm);
	instance = instance_of(engine, nccl_call_key(call, member.rank), number, call, member.rank,
		&at);
	use = instance ? ARRAY_ADD(&stream->uses) : NULL;
	if (!use)
		return false;
	*use = (struct nccl_use){ at, instance->members.n };
	engine->device.nlate += instance->closed;
	if (engine->peers.n)
		engine->peers.calls->nccl_arrived(engine, instance->key, call, &member);
	return member_add(engine, instance, call, &member);
}

void nccl_reported(struct engine *engine, uint64_t key, const struct nccl_call *call,
	const struct nccl_arrival *member)
{
	uint32_t number, at;
	struct nccl_comm *comm = nccl_comm_get(engine, call->comm, &number);
	struct nccl_instance *instance = comm
		? instance_of(engine, key, number, call, member->rank, &at)
		: NULL;

	if (!instance || !member_add(engine, instance, call, member))
		engine->tables.failed = true;
}

static bool gates(const struct nccl_instance *instance, uint32_t other, uint32_t member)
{
	switch (nccl_ops[instance->op].gate) {
	case GATE_ROOT: return nccl_is_root(instance, other);
	case GATE_AT_ROOT: return nccl_is_root(instance, member);
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
	const struct device_replay *device = &track->engine->device;
	const struct nccl_replay *nccl = &device->nccl;
	const struct stream *stream = device->any ? &device->streams[track->location] : NULL;
	size_t most = 0;

	for (size_t i = 0; stream && i < stream->uses.n; i++)
		if (nccl->instances.at[stream->uses.at[i].instance].members.n > most)
			most = nccl->instances.at[stream->uses.at[i].instance].members.n;
	return most;
}

bool nccl_lacks_members(const struct track *track)
{
	const struct nccl_replay *nccl = &track->engine->device.nccl;
	const struct stream *stream = &track->engine->device.streams[track->location];

	for (size_t i = 0; i < stream->uses.n; i++) {
		const struct nccl_instance *instance = &nccl->instances
								.at[stream->uses.at[i].instance];
		const struct nccl_comm *comm = &nccl->comms.at[instance->comm];

		if (!instance->pair && comm->defined != MODEL_NONE &&
			nccl_ops[instance->op].gate == GATE_ALL && instance->members.n < comm->size)
			return true;
	}
	return false;
}

struct moment nccl_gate(struct track *track)
{
	const struct engine *engine = track->engine;
	const struct stream *stream = &engine->device.streams[track->location];
	struct moment gate = stream->begin, other;

	for (size_t i = 0; i < stream->uses.n; i++) {
		other = instance_gate(&engine->device.nccl.instances
					       .at[stream->uses.at[i].instance],
			stream->uses.at[i].member);
		moment_later(&gate, &other);
	}
	return gate;
}

static void instance_free(struct engine *engine, uint32_t number)
{
	struct nccl_replay *nccl = &engine->device.nccl;
	struct nccl_instance *instance = &nccl->instances.at[number];
	uint32_t *at = ARRAY_ADD(&nccl->free_instances);

	idmap_set(&nccl->instance_numbers, instance->key, IDMAP_NONE);
	instance->live = false;
	if (at)
		*at = number;
}

/* Somebody has left at t. */
static void instance_left(struct engine *engine, uint32_t number, int64_t t)
{
	struct nccl_instance *instance = &engine->device.nccl.instances.at[number];
	uint32_t size = nccl_size(&engine->device.nccl, instance);

	if (!instance->left++ || t > instance->end)
		instance->end = t;
	if (instance->left < instance->members.n ||
		!(instance->closed || (size && instance->left >= size)))
		return;
	nccl_row_write(engine, instance);
	instance_free(engine, number);
}

void nccl_left(struct engine *engine, uint64_t key, int64_t t)
{
	uint32_t number = idmap_find(&engine->device.nccl.instance_numbers, key);

	if (number != IDMAP_NONE)
		instance_left(engine, number, t);
}

static void member_leave(struct track *track, const struct nccl_use *use, int64_t t)
{
	struct engine *engine = track->engine;
	struct nccl_instance *instance = &engine->device.nccl.instances.at[use->instance];
	struct nccl_arrival *member = &instance->members.at[use->member];
	int64_t gate = instance_gate(instance, use->member).t, wait;

	wait = (gate < t ? gate : t) - member->start.t;
	nccl_sum_add(engine, instance, member, wait, t - member->start.t - wait);
	if (engine->peers.n)
		engine->peers.calls->nccl_left(engine, instance->key, t);
	/* another one has to check, if any is left */
	if (instance->watcher == track->location) {
		instance->watched = INT64_MAX;
		nccl_wake(engine, instance, track->location);
	}
	instance_left(engine, use->instance, t);
}

void nccl_leave(struct track *track, int64_t t)
{
	struct stream *stream = &track->engine->device.streams[track->location];

	for (size_t i = 0; i < stream->uses.n; i++)
		member_leave(track, &stream->uses.at[i], t);
	stream->uses.n = 0;
}

void nccl_rest(struct engine *engine)
{
	struct nccl_replay *nccl = &engine->device.nccl;

	for (size_t i = 0; i < nccl->instances.n; i++)
		if (nccl->instances.at[i].live && nccl->instances.at[i].left) {
			nccl_row_write(engine, &nccl->instances.at[i]);
			instance_free(engine, i);
		}
}

void nccl_close(struct engine *engine)
{
	struct nccl_replay *nccl = &engine->device.nccl;

	for (size_t i = 0; i < nccl->instances.n; i++) {
		free(nccl->instances.at[i].members.at);
		free(nccl->instances.at[i].waiting.at);
	}
	free(nccl->instances.at);
	free(nccl->free_instances.at);
	free(nccl->comms.at);
	free(nccl->sums.at);
	idmap_free(&nccl->comm_numbers);
	idmap_free(&nccl->instance_numbers);
	idmap_free(&nccl->sum_numbers);
}
