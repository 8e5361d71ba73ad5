/*
 * replay_nccl_finish.c - communicators and sums of NCCL, from all readers, after all events; see
 * replay_nccl.h.
 */
#include "config.h"

#include "engine/engine.h"
#include "tables/collective_row.h"

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
