/*
 * replay_neighbours.c - collectives of neighbours. A member waits for the members that send data to
 * it, and for receivers of more data than a send between these nodes buffers (eager).
 */
#include "config.h"

#include "engine/engine.h"
#include "model/neighbours.h"

/* Calls `take` for each member that gates the one of `need`. */
static void gates_each(const struct engine *engine, const struct need *need,
	void (*take)(const struct collective *, uint32_t, void *), void *arg)
{
	const struct collective *collective = need->collective;
	const struct comm *comm = &engine->tables.model.comms.at[collective->comm];
	const struct neighbours *of = &comm->neighbours[need->member];

	for (uint32_t i = 0; i < of->nall; i++)
		if (i < of->nsources ||
			(need->part && comm->members[of->places[i]] != MODEL_NONE &&
				eager_mode(engine, comm->members[need->member],
					comm->members[of->places[i]], need->part) == SEND_LONG))
			take(collective, of->places[i], arg);
}

static void look(const struct collective *collective, uint32_t member, void *all)
{
	*(bool *)all &= collective->there[member];
}

static void latest(const struct collective *collective, uint32_t member, void *gate)
{
	if (collective->there[member])
		arrival_max(gate, &collective->starts[member]);
}

bool neighbours_ready(const struct engine *engine, const struct need *need)
{
	bool all = true;

	gates_each(engine, need, look, &all);
	return all;
}

void neighbours_gate(const struct engine *engine, const struct need *need, struct arrival *gate)
{
	gates_each(engine, need, latest, gate);
}

void neighbours_wake(struct engine *engine, struct collective *collective, uint32_t member)
{
	const struct comm *comm = &engine->tables.model.comms.at[collective->comm];
	const struct neighbours *of = comm->neighbours ? &comm->neighbours[member] : NULL;
	const uint32_t *places = of ? of->places : NULL;
	uint32_t n = places ? of->nall : collective->size;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t *parked = &collective->parked[places ? places[i] : i], track = *parked;

		*parked = MODEL_NONE;
		if (track != MODEL_NONE)
			replay_wake(engine, track);
	}
}

uint64_t neighbours_part(const struct comm *comm, uint32_t op, uint32_t member, uint64_t sent)
{
	const struct neighbours *of = &comm->neighbours[member];

	switch (op & ~OP_NEIGHBOURS) {
	case OTF2_COLLECTIVE_OP_ALLGATHER:
	case OTF2_COLLECTIVE_OP_ALLGATHERV: return sent;
	case OTF2_COLLECTIVE_OP_ALLTOALL:
		return of->nall > of->nsources ? sent / (of->nall - of->nsources) : 0;
	default: return 0;
	}
}
