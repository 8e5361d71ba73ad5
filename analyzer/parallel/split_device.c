/*
 * split_device.c - devices and NCCL among several readers: each reports to all
 * others of its members' arrivals and ends, so that every one holds the whole
 * instance; the sums over devices of a window meet at the writer. See split.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "tables/kernel.h"
#include "base/log.h"
#include "parallel/split.h"

/* --- windows --- */

/* A window of which readers still owe the time of their devices. */
struct split_window {
	char *name;
	uint32_t expected, got;
	bool closed;
	int64_t measured, replayed[SCENARIO_COUNT];
	struct device_sums *sums;
};

static struct split_window *window_find(struct engine *engine, const char *name)
{
	struct split *split = engine->peers.split;
	struct split_window *window, **at;

	for (size_t i = 0; i < split->windows.n; i++)
		if (strcmp(split->windows.at[i]->name, name) == 0)
			return split->windows.at[i];
	at = ARRAY_ADD(&split->windows);
	window = at ? calloc(1, sizeof(*window)) : NULL;
	if (!window) {
		engine->tables.failed = true;
		return NULL;
	}
	*at = window;
	window->name = strdup(name);
	window->sums = calloc(engine->tables.model.devices.n, sizeof(*window->sums));
	if (window->name && window->sums)
		return window;
	split->windows.n--;
	engine->tables.failed = true;
	return NULL;
}

static void window_free(struct split_window *window)
{
	free(window->name);
	free(window->sums);
	free(window);
}

static void window_look(struct engine *engine, struct split_window *window)
{
	struct split *split = engine->peers.split;

	if (!window->closed || window->got < window->expected)
		return;
	engine->sink->devices(engine, window->name, window->measured, window->replayed,
		window->sums);
	for (size_t i = 0; i < split->windows.n; i++)
		if (split->windows.at[i] == window)
			split->windows.at[i] = split->windows.at[--split->windows.n];
	window_free(window);
}

void split_window_expect(struct engine *engine, const char *name)
{
	struct split_window *window = window_find(engine, name);

	if (window)
		window->expected++;
}

void split_window_close(struct engine *engine, const char *name, int64_t measured,
	const int64_t replayed[])
{
	struct split_window *window = engine->device.any ? window_find(engine, name) : NULL;

	if (!window)
		return;
	window->closed = true;
	window->measured = measured;
	memcpy(window->replayed, replayed, sizeof(window->replayed));
	window_look(engine, window);
}

void split_windows_free(struct engine *engine)
{
	for (size_t i = 0; i < engine->peers.split->windows.n; i++)
		window_free(engine->peers.split->windows.at[i]);
	free(engine->peers.split->windows.at);
}

/* The device is one of this reader's: all its streams are read by one. */
static bool has_device(const struct engine *engine, uint32_t device)
{
	const struct device *at = &engine->tables.model.devices.at[device];

	return at->streams.n && peers_reads_here(&engine->peers, at->streams.at[0]);
}

struct wire_sums {
	uint32_t device, pad;
	struct device_sums sums;
};

void split_window(struct engine *engine, const char *name, const struct device_sums *sums)
{
	struct pack *pack = &engine->peers.pack;
	struct split_counts counts = split_counts(engine);
	uint64_t n = 0, place;

	pack_add(pack, &counts, sizeof(counts));
	place = pack->n;
	pack_add(pack, &n, sizeof(n));
	for (uint32_t d = 0; d < engine->tables.model.devices.n; d++) {
		struct wire_sums wire = { d, 0, sums[d] };

		if (!has_device(engine, d))
			continue;
		pack_add(pack, &wire, sizeof(wire));
		n++;
	}
	memcpy(pack->at + place, &n, sizeof(n));
	pack_add(pack, name, strlen(name) + 1);
	pack_send(engine, NOTE_DEVICE_WINDOW);
}

void split_take_window(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	const struct wire_sums *sums;
	struct split_window *window;
	struct split_counts counts;
	uint64_t n;

	unpack(&at, &counts, sizeof(counts));
	split_counts_set(engine, note->head.from, &counts);
	unpack(&at, &n, sizeof(n));
	sums = (const struct wire_sums *)at;
	window = window_find(engine, (const char *)(sums + n));
	if (!window)
		return;
	for (uint64_t i = 0; i < n; i++)
		window->sums[sums[i].device] = sums[i].sums;
	window->got++;
	window_look(engine, window);
}

/* --- sums of a reader --- */

/* Plain numbers of a device that rows are made of. */
struct wire_device {
	uint32_t device, pad;
	struct device_sums run;
	struct copies copies;
	struct timeline timeline;
	uint64_t nbins, nblocks;
};

static void device_pack(struct engine *engine, uint32_t number)
{
	const struct device_sweep *sweep = &engine->device.sweeps[number];
	const struct kernels *kernels = &engine->tables.kernels[number];
	const struct timeline *timeline = &engine->timelines.devices[number];
	struct pack *pack = &engine->peers.pack;
	struct wire_device wire = { .device = number,
		.run = sweep->run,
		.copies = engine->tables.copies[number],
		.timeline = *timeline,
		.nbins = timeline->ns ? (uint64_t)engine->timelines.nbins * timeline->nstates : 0,
		.nblocks = sweep->sample.blocks.n };

	pack_add(pack, &wire, sizeof(wire));
	pack_add(pack, timeline->ns, wire.nbins * sizeof(*timeline->ns));
	pack_add(pack, sweep->sample.blocks.at, wire.nblocks * sizeof(struct sample_block));
	pack_send(engine, NOTE_DEVICE);
	for (size_t place = 0; place < kernel_places(&engine->tables); place++) {
		const struct call *call = kernels->calls[place];

		if (!call)
			continue;
		pack_add(pack, &number, sizeof(number));
		pack_add(pack, &(uint32_t){ (uint32_t)place }, sizeof(uint32_t));
		pack_add(pack, &kernels->bytes[place], sizeof(kernels->bytes[place]));
		call_add_to_pack(pack, call);
		pack_send(engine, NOTE_KERNEL);
	}
}

void split_take_device(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	struct wire_device wire;
	struct timeline *timeline;

	unpack(&at, &wire, sizeof(wire));
	engine->device.sweeps[wire.device].run = wire.run;
	engine->tables.copies[wire.device] = wire.copies;
	timeline = &engine->timelines.devices[wire.device];
	*timeline = wire.timeline;
	timeline->ns = wire.nbins ? malloc(wire.nbins * sizeof(*timeline->ns)) : NULL;
	engine->tables.failed |= wire.nbins && !timeline->ns;
	if (timeline->ns)
		memcpy(timeline->ns, at, wire.nbins * sizeof(*timeline->ns));
	at += wire.nbins * sizeof(*timeline->ns);
	for (uint64_t i = 0; i < wire.nblocks && !engine->tables.failed; i++) {
		struct sample_block *block = ARRAY_ADD(
			&engine->device.sweeps[wire.device].sample.blocks);

		engine->tables.failed |= !block;
		if (block)
			unpack(&at, block, sizeof(*block));
	}
}

void split_take_kernel(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	uint32_t device, place;
	struct kernels *kernels;

	unpack(&at, &device, sizeof(device));
	unpack(&at, &place, sizeof(place));
	kernels = &engine->tables.kernels[device];
	unpack(&at, &kernels->bytes[place], sizeof(kernels->bytes[place]));
	kernels->calls[place] = call_unpack(at);
	engine->tables.failed |= !kernels->calls[place];
}

struct wire_stream {
	uint32_t location, pad;
	struct moment end;
};

static void streams_pack(struct engine *engine)
{
	for (uint32_t i = 0; i < engine->tables.model.locations.n; i++) {
		struct wire_stream wire = { i, 0, engine->device.streams[i].end };

		if (!peers_reads_here(&engine->peers, i) || !engine->device.streams[i].any)
			continue;
		pack_add(&engine->peers.pack, &wire, sizeof(wire));
		pack_send(engine, NOTE_STREAM);
	}
}

void split_take_stream(struct engine *engine, const struct note *note)
{
	const struct wire_stream *wire = (const struct wire_stream *)note->data;

	engine->device.streams[wire->location].any = true;
	engine->device.streams[wire->location].end = wire->end;
}

void split_pack_devices(struct engine *engine)
{
	if (!engine->device.any)
		return;
	nccl_rest(engine);
	for (uint32_t d = 0; d < engine->tables.model.devices.n; d++)
		if (has_device(engine, d))
			device_pack(engine, d);
	streams_pack(engine);
	nccl_pack(engine);
}

/* --- NCCL --- */

static void readers_send(struct engine *engine, enum note_type type, const void *data, size_t n)
{
	for (uint32_t i = 1; i <= engine->peers.n; i++)
		if (i != engine->peers.self)
			split_send(engine, i, type, data, n);
}

/* Texts are elsewhere in a process of another rank; they follow if there are any. */
struct wire_nccl {
	uint64_t key;
	struct nccl_call call;
	struct nccl_arrival member;
};
struct wire_variant {
	char algorithm[NCCL_NAME], protocol[NCCL_NAME];
};
struct wire_nccl_left {
	uint64_t key;
	int64_t t;
};
struct wire_nccl_ask {
	uint64_t key;
	int64_t t;
	uint32_t worker, pad;
};

static void variant_pack(struct pack *pack, const struct nccl_call *call)
{
	struct wire_variant wire = { 0 };

	if (!call->algorithm && !call->protocol)
		return;
	snprintf(wire.algorithm, sizeof(wire.algorithm), "%s",
		call->algorithm ? call->algorithm : "");
	snprintf(wire.protocol, sizeof(wire.protocol), "%s", call->protocol ? call->protocol : "");
	pack_add(pack, &wire, sizeof(wire));
}

void split_nccl_arrived(struct engine *engine, uint64_t key, const struct nccl_call *call,
	const struct nccl_arrival *member)
{
	struct pack *pack = &engine->peers.pack;

	pack_add(pack, &(struct wire_nccl){ key, *call, *member }, sizeof(struct wire_nccl));
	variant_pack(pack, call);
	readers_send(engine, NOTE_NCCL_ARRIVED, pack->at, pack->n);
	pack->n = 0;
}

void split_take_nccl(struct engine *engine, const struct note *note)
{
	const struct wire_nccl *wire = (const struct wire_nccl *)note->data;
	const struct wire_variant *variant = note->head.size > sizeof(*wire)
		? (const struct wire_variant *)(wire + 1)
		: NULL;
	struct nccl_call call = wire->call;

	call.algorithm = variant && *variant->algorithm ? replay_text(engine, variant->algorithm)
							: NULL;
	call.protocol = variant && *variant->protocol ? replay_text(engine, variant->protocol)
						      : NULL;
	nccl_reported(engine, wire->key, &call, &wire->member);
}

void split_nccl_left(struct engine *engine, uint64_t key, int64_t t)
{
	readers_send(engine, NOTE_NCCL_LEFT, &(struct wire_nccl_left){ key, t },
		sizeof(struct wire_nccl_left));
}

void split_take_nccl_left(struct engine *engine, const struct note *note)
{
	const struct wire_nccl_left *wire = (const struct wire_nccl_left *)note->data;

	nccl_left(engine, wire->key, wire->t);
}

void split_nccl_ask(struct engine *engine, uint64_t key, int64_t t)
{
	struct split_ask *ask = ARRAY_ADD(&engine->peers.split->unasked);

	if (ask)
		*ask = (struct split_ask){ key, t, engine->peers.self };
	else
		engine->tables.failed = true;
}

void split_nccl_ask_now(struct engine *engine)
{
	struct split *split = engine->peers.split;

	for (size_t i = 0; i < split->unasked.n; i++) {
		const struct split_ask *ask = &split->unasked.at[i];
		struct wire_nccl_ask wire = { ask->key, ask->t, ask->worker, 0 };

		if (nccl_is_awaited(engine, ask->key))
			readers_send(engine, NOTE_NCCL_ASK, &wire, sizeof(wire));
	}
	split->unasked.n = 0;
}

static bool ask_answer(struct engine *engine, const struct split_ask *ask)
{
	if (!nccl_passed(engine, ask->key, ask->t))
		return false;
	split_send(engine, ask->worker, NOTE_NCCL_PASSED, &ask->key, sizeof(ask->key));
	return true;
}

void split_take_nccl_ask(struct engine *engine, const struct note *note)
{
	const struct wire_nccl_ask *wire = (const struct wire_nccl_ask *)note->data;
	struct split_ask ask = { wire->key, wire->t, wire->worker }, *at;

	if (ask_answer(engine, &ask))
		return;
	at = ARRAY_ADD(&engine->peers.split->asks);
	if (at)
		*at = ask;
	else
		engine->tables.failed = true;
}

void split_asks_look(struct engine *engine)
{
	struct split *split = engine->peers.split;
	size_t kept = 0;

	for (size_t i = 0; i < split->asks.n; i++) {
		struct split_ask ask = split->asks.at[i];

		if (!ask_answer(engine, &ask))
			split->asks.at[kept++] = ask;
	}
	split->asks.n = kept;
}

void split_take_nccl_passed(struct engine *engine, const struct note *note)
{
	uint64_t key;

	memcpy(&key, note->data, sizeof(key));
	nccl_confirmed(engine, key);
}
