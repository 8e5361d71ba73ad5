/* split_plan.c - see split_plan.h. */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"
#include "base/log.h"
#include "model/family.h"
#include "parallel/split_plan.h"

/*
 * By process: another one of its family (../model/family.h); events, of those that represent all.
 */
struct families {
	uint32_t *of;
	uint64_t *events;
};

uint64_t split_plan_events(const struct engine *engine)
{
	uint64_t n = 0;

	for (size_t i = 0; i < engine->tables.model.locations.n; i++)
		n += engine->tables.model.locations.at[i].in->nevents;
	return n;
}

static uint32_t families_count(struct engine *engine, struct families *families)
{
	const struct model *model = &engine->tables.model;
	uint32_t n = 0;

	for (size_t i = 0; i < model->locations.n; i++)
		if (model->locations.at[i].process != MODEL_NONE)
			families->events[family_find(families->of,
				model->locations.at[i].process)] += model->locations.at[i]
									    .in->nevents;
	for (uint32_t i = 0; i < model->processes.n; i++)
		n += families->events[i] > 0;
	return n;
}

/* Each family goes to the reader in whose part of all events its middle lies. */
static void owners_set(struct engine *engine, struct families *families, uint32_t n)
{
	const struct model *model = &engine->tables.model;
	struct peers *peers = &engine->peers;
	uint64_t before = 0, total = 0;

	for (uint32_t i = 0; i < model->processes.n; i++)
		total += families->events[i];
	for (uint32_t i = 0; i < model->processes.n; i++) {
		uint64_t middle = before + families->events[i] / 2;

		if (families->of[i] == i)
			peers->process_owners[i] = 1 +
				(uint32_t)((double)middle / (total + 1.0) * n);
		before += families->events[i];
	}
	for (uint32_t i = 0; i < model->processes.n; i++)
		peers->process_owners[i] = peers->process_owners[family_find(families->of, i)];
	for (size_t i = 0; i < model->locations.n; i++) {
		uint32_t process = model->locations.at[i].process,
			 device = model->locations.at[i].device;
		/* streams of nobody's device stay together */
		size_t apart = device == MODEL_NONE ? i : device;

		peers->owners[i] = process == MODEL_NONE ? 1 + (uint32_t)(apart % n)
							 : peers->process_owners[process];
	}
}

int split_plan(struct engine *engine, int wished)
{
	const struct model *model = &engine->tables.model;
	struct peers *peers = &engine->peers;
	struct families families = { .of = calloc(model->processes.n + 1, sizeof(uint32_t)),
		.events = calloc(model->processes.n + 1, sizeof(uint64_t)) };
	int n = -1;

	peers->owners = calloc(model->locations.n + 1, sizeof(*peers->owners));
	peers->process_owners = calloc(model->processes.n + 1, sizeof(*peers->process_owners));
	if (families.of && families.events && peers->owners && peers->process_owners) {
		families_join(&engine->tables.model, families.of);
		n = (int)families_count(engine, &families);
		n = n < wished ? n : wished;
		if (n > 1)
			owners_set(engine, &families, (uint32_t)n);
	} else {
		log_error("out of memory for %zu locations", model->locations.n);
	}
	free(families.of);
	free(families.events);
	return n;
}

static int comm_plan(struct engine *engine, size_t number)
{
	const struct comm *comm = &engine->tables.model.comms.at[number];
	const struct peers *peers = &engine->peers;
	struct peer_comm *at = &peers->comms[number];

	for (uint32_t i = 0; comm->members && i < comm->nall; i++) {
		uint32_t owner = comm->members[i] == MODEL_NONE
			? 0
			: peers->process_owners[comm->members[i]];
		struct peer_part *part = NULL;

		if (i == 0)
			at->home = owner ? owner : 1;
		at->nlocal += owner == peers->self;
		if (!owner || owner == peers->self)
			continue;
		/* neighbours come together */
		for (size_t k = at->others.n; k > 0 && !part; k--)
			if (at->others.at[k - 1].worker == owner)
				part = &at->others.at[k - 1];
		if (!part && !(part = ARRAY_ADD(&at->others)))
			return -1;
		*part = (struct peer_part){ owner, i };
	}
	return 0;
}

int split_plan_comms(struct engine *engine)
{
	struct peers *peers = &engine->peers;

	peers->comms = calloc(engine->tables.model.comms.n + 1, sizeof(*peers->comms));
	for (size_t i = 0; peers->comms && i < engine->tables.model.comms.n; i++)
		if (comm_plan(engine, i) < 0)
			return -1;
	if (!peers->comms)
		log_error("out of memory for %zu communicators", engine->tables.model.comms.n);
	return peers->comms ? 0 : -1;
}

void split_plan_free(struct engine *engine)
{
	struct peers *peers = &engine->peers;

	for (size_t i = 0; peers->comms && i < engine->tables.model.comms.n; i++)
		free(peers->comms[i].others.at);
	free(peers->comms);
	free(peers->owners);
	free(peers->process_owners);
}
