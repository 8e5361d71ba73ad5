/*
 * replay_nccl_row.c - what NCCL operations cost: a row for each instance, sums by communicator,
 * operation and rank. See replay_nccl.h.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "engine/engine.h"
#include "tables/collective_row.h"

void nccl_sum_add(struct engine *engine, const struct nccl_instance *instance,
	const struct nccl_arrival *member, int64_t wait, int64_t transfer)
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
	const struct nccl_arrival *last = &instance->members.at[instance->last];
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

/* Every reader holds the whole instance; the reader of its first process writes the row. */
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
