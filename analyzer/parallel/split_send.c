/* split_send.c - notes to readers and to the writer, and what several of them carry; see split.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "parallel/split.h"

void split_send(struct engine *engine, uint32_t worker, uint32_t type, const void *data, size_t n)
{
	engine->peers.split->sent++;
	link_send(&engine->peers.split->link, worker, type, data, n);
}

void split_send_all(struct engine *engine, uint32_t type, const void *data, size_t n)
{
	struct split *split = engine->peers.split;

	link_send(&split->link, 0, type, data, n);
	for (uint32_t i = 1; i <= engine->peers.n; i++)
		if (i != engine->peers.self)
			split_send(engine, i, type, data, n);
}

void pack_send(struct engine *engine, uint32_t type)
{
	(type == NOTE_DONE ? link_send : link_post)(&engine->peers.split->link, 0, type,
		engine->peers.pack.at, engine->peers.pack.n);
	engine->peers.pack.n = 0;
}

void call_add_to_pack(struct pack *pack, const struct call *call)
{
	pack_add(pack, call, sizeof(*call) + call->noctaves * sizeof(*call->buckets));
}

struct call *call_unpack(const char *at)
{
	struct call head, *call;
	size_t size;

	memcpy(&head, at, sizeof(head));
	size = sizeof(head) + head.noctaves * sizeof(*call->buckets);
	call = malloc(size);
	if (call)
		memcpy(call, at, size);
	return call;
}

struct split_counts split_counts(const struct engine *engine)
{
	const struct replay *replay = &engine->replay;
	const struct device_replay *device = &engine->device;
	struct split_counts counts = { replay->ncalls, replay->noperations, replay->nungated,
		replay->nskewed, replay->nmismatched, replay->nconfused, replay->ndropped,
		{ replay->nunmatched[SIDE_SEND], replay->nunmatched[SIDE_RECV] },
		replay->nincomplete, replay->nsockets, device->nactivities, device->nunlaunched,
		device->nunnamed, device->nlate, 0, replay->worst_skew, replay->all_skew,
		replay->unruled };

	for (size_t i = 0; device->histories && i < engine->tables.model.locations.n; i++)
		counts.nforgotten += device->histories[i].nforgotten;
	return counts;
}

/* The writer's are those of all readers. */
void split_counts_set(struct engine *engine, uint32_t reader, const struct split_counts *counts)
{
	struct replay *replay = &engine->replay;
	struct device_replay *device = &engine->device;
	struct split_counts *last = &engine->peers.split->counts[reader];

#define ADD(part, name) (part)->name += counts->name - last->name
	ADD(replay, ncalls);
	ADD(replay, noperations);
	ADD(replay, nungated);
	ADD(replay, nskewed);
	ADD(replay, nmismatched);
	ADD(replay, nconfused);
	ADD(replay, ndropped);
	ADD(replay, nincomplete);
	ADD(replay, nsockets);
	ADD(replay, all_skew);
	ADD(replay, unruled);
	ADD(replay, nunmatched[SIDE_SEND]);
	ADD(replay, nunmatched[SIDE_RECV]);
	ADD(device, nactivities);
	ADD(device, nunlaunched);
	ADD(device, nunnamed);
	ADD(device, nlate);
	ADD(device, nforgotten);
#undef ADD
	if (counts->worst_skew > replay->worst_skew)
		replay->worst_skew = counts->worst_skew;
	*last = *counts;
}
