/*
 * replay_nccl_row.c - what NCCL operations cost: a row for each instance, sums by communicator,
 * operation and rank; and those of several readers put together. See replay_nccl.h.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "engine/engine.h"
#include "tables/collective_row.h"

void nccl_sum_add(struct engine *engine, const struct nccl_instance *instance,
	const struct nccl_member *member, int64_t wait, int64_t transfer)
{
	struct nccl_replay *nccl = &engine->device.nccl;
	int64_t rank = engine->tables.model.processes.at[member->process].rank;
	uint64_t key = idmap_key(
		hash_mix((uint64_t)instance->comm << 8 | member->op, (uint64_t)rank));
	uint32_t number = idmap_find(&nccl->sum_numbers, key);
	struct nccl_sum *sum;

	if (number == IDMAP_NONE) {
		number = nccl->sums.n;
		sum = ARRAY_ADD(&nccl->sums);
		if (!sum || idmap_set(&nccl->sum_numbers, key, number) < 0) {
			engine->tables.failed = true;
			return;
		}
		*sum = (struct nccl_sum){ .comm = instance->comm, .op = member->op, .rank = rank };
	}
	sum = &nccl->sums.at[number];
	sum->n++;
	sum->wait += wait;
	sum->transfer += transfer;
}

/* "algorithm/protocol" of the instance, or the algorithm alone; NULL: not recorded. */
static const char *variant_of(struct engine *engine, const struct nccl_instance *instance)
{
	struct nccl_variant *variant = &engine->device.nccl.variant;
	const char *algorithm = instance->algorithm, *protocol = instance->protocol;
	char text[2 * NCCL_NAME];

	if (!algorithm || !*algorithm)
		return NULL;
	if (algorithm != variant->algorithm || protocol != variant->protocol) {
		snprintf(text, sizeof(text), "%.*s%s%.*s", NCCL_NAME - 1, algorithm,
			protocol ? "/" : "", NCCL_NAME - 1, protocol ? protocol : "");
		*variant = (struct nccl_variant){ algorithm, protocol, replay_text(engine, text) };
	}
	return variant->text;
}

/*
 * algbw = S/transfer, busbw = algbw × factor of the operation (0 for one member). Undefined where a member
 * is not in the trace: it may have come last.
 */
static void row_add(struct engine *engine, const struct nccl_instance *instance)
{
	struct nccl_comm *comm = &engine->device.nccl.comms.at[instance->comm];
	const struct nccl_member *last = &instance->members.at[instance->last];
	uint32_t op = instance->pair ? NCCL_SEND : instance->op;
	bool whole = instance->pair || comm->defined == MODEL_NONE ||
		instance->members.n >= comm->size;
	double transfer = whole ? instance->end - last->start.t : 0, bytes = instance->bytes;
	double algorithm = transfer > 0 && bytes > 0 ? bytes / transfer * 1e9 : NAN;
	double raw = instance->end > instance->first && bytes > 0
		? bytes * 1e9 / (instance->end - instance->first)
		: NAN;

	collective_line_add(engine,
		&(struct collective_line){ .nccl = true,
			.op = op,
			.comm = (int64_t)comm->id,
			.number = instance->number,
			.bytes = (int64_t)instance->bytes,
			.first = instance->first,
			.latest = last->start.t,
			.end = instance->end,
			.rank = engine->tables.model.processes.at[last->process].rank,
			.algorithm = algorithm,
			.raw = raw,
			.variant = variant_of(engine, instance),
			.bus = algorithm * nccl_bus_factor(&nccl_ops[op], instance->members.n) });
}

/* Every reader holds the whole instance: that of its first process writes the row. */
static bool row_is_here(const struct engine *engine, const struct nccl_instance *instance)
{
	uint32_t first = UINT32_MAX;

	for (size_t i = 0; i < instance->members.n; i++)
		if (instance->members.at[i].process < first)
			first = instance->members.at[i].process;
	return first != UINT32_MAX && !peers_is_remote(&engine->peers, first);
}

void nccl_row_write(struct engine *engine, const struct nccl_instance *instance)
{
	if (row_is_here(engine, instance))
		row_add(engine, instance);
}

struct wire_sum {
	uint64_t comm;
	struct nccl_sum sum;
};
struct wire_comm {
	uint64_t id;
	uint32_t size, pad;
};

void nccl_pack(struct engine *engine)
{
	struct nccl_replay *nccl = &engine->device.nccl;
	struct pack *pack = &engine->peers.pack;

	for (size_t i = 0; i < nccl->comms.n; i++) {
		struct wire_comm wire = { nccl->comms.at[i].id, nccl->comms.at[i].size, 0 };

		pack_add(pack, &wire, sizeof(wire));
		engine->peers.calls->send(engine, NOTE_NCCL_COMM);
	}
	for (size_t i = 0; i < nccl->sums.n; i++) {
		struct wire_sum wire = { nccl->comms.at[nccl->sums.at[i].comm].id,
			nccl->sums.at[i] };

		pack_add(pack, &wire, sizeof(wire));
		engine->peers.calls->send(engine, NOTE_NCCL_SUM);
	}
}

void nccl_take_comm(struct engine *engine, const struct note *note)
{
	const struct wire_comm *wire = (const struct wire_comm *)note->data;
	uint32_t number;
	struct nccl_comm *comm = nccl_comm_get(engine, wire->id, &number);

	engine->tables.failed |= !comm;
	if (comm && wire->size > comm->size)
		comm->size = wire->size;
}

void nccl_take_sum(struct engine *engine, const struct note *note)
{
	const struct wire_sum *wire = (const struct wire_sum *)note->data;
	struct nccl_sum *sum = ARRAY_ADD(&engine->device.nccl.sums);

	engine->tables.failed |= !sum || !nccl_comm_get(engine, wire->comm, &(uint32_t){ 0 });
	if (engine->tables.failed)
		return;
	*sum = wire->sum;
	nccl_comm_get(engine, wire->comm, &sum->comm);
}

void nccl_finish(struct engine *engine)
{
	struct nccl_replay *nccl = &engine->device.nccl;

	nccl_rest(engine);
	collective_lines_flush(engine);
	for (size_t i = 0; i < nccl->comms.n; i++)
		communicator_put(&engine->tables.db, "nccl", (int64_t)nccl->comms.at[i].id,
			nccl->comms.at[i].name, (int64_t)nccl->comms.at[i].size);
	for (size_t i = 0; i < nccl->sums.n; i++) {
		const struct nccl_sum *sum = &nccl->sums.at[i];

		collective_rank_put(&engine->tables.db, "nccl",
			(int64_t)nccl->comms.at[sum->comm].id, sum->rank, nccl_ops[sum->op].name,
			&(struct collective_times){ sum->n, sum->wait, sum->transfer });
	}
}
