/*
 * replay_process.c - relations on the device side: threads, streams and devices of each process,
 * processes of a family. Made before reading begins; released after it, or earlier, when no event
 * of a process is left to read; see replay_device.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "base/log.h"
#include "model/family.h"

/* Whether the device did anything for the process, MODEL_NONE: for anybody. */
static bool is_busy_for(const struct model *model, const struct device *device, uint32_t process)
{
	for (size_t i = 0; i < device->streams.n; i++) {
		const struct location *stream = &model->locations.at[device->streams.at[i]];

		if (stream->in->nevents && (process == MODEL_NONE || stream->process == process))
			return true;
	}
	return false;
}

/* The process sees the device. */
static int device_add(struct engine *engine, uint32_t number, uint32_t user)
{
	const struct device *device = &engine->tables.model.devices.at[number];
	struct device_process *process = &engine->device.processes[user];
	uint32_t *at;

	if (process->devices.n && process->devices.at[process->devices.n - 1] == number)
		return 0;
	at = ARRAY_ADD(&process->devices);
	if (!at)
		return -1;
	*at = number;
	if (!is_busy_for(&engine->tables.model, device, user) &&
		is_busy_for(&engine->tables.model, device, MODEL_NONE))
		return 0;
	at = ARRAY_ADD(&process->launched_on);
	if (!at)
		return -1;
	*at = number;
	return 0;
}

/* Devices of each process, once each. */
static int devices_set(struct engine *engine)
{
	const struct model *model = &engine->tables.model;

	for (size_t d = 0; d < model->devices.n; d++)
		for (size_t i = 0; i < model->devices.at[d].uses.n; i++) {
			uint32_t user = model->devices.at[d].uses.at[i].process;

			if (user != MODEL_NONE && device_add(engine, d, user) < 0)
				return -1;
		}
	return 0;
}

static enum stream_order order_of(const struct location *location)
{
	const char *kind = property_find(&location->in->properties, PROPERTY_STREAM_KIND);

	return !kind					  ? STREAM_FREE
		: strcmp(kind, STREAM_KIND_DEFAULT) == 0  ? STREAM_LEGACY
		: strcmp(kind, STREAM_KIND_BLOCKING) == 0 ? STREAM_BLOCKING
							  : STREAM_FREE;
}

static size_t threads_count(const struct model *model)
{
	size_t n = 0;

	for (size_t i = 0; i < model->locations.n; i++)
		n += model->locations.at[i].in->type == OTF2_LOCATION_TYPE_CPU_THREAD;
	return n;
}

/*
 * A thread's history is needed as far as the devices of its process have come: these do not go past
 * a wait that has not ended. Only relatives, whose devices may be ahead, need older times.
 */
static void keep_set(struct engine *engine)
{
	enum { ALONE = 64 };
	struct device_process *processes = engine->device.processes;
	size_t keep = history_keep(threads_count(&engine->tables.model));

	for (size_t i = 0; i < engine->tables.model.processes.n; i++)
		processes[i].keep = processes[processes[i].family].relative == MODEL_NONE ? ALONE
											  : keep;
}

bool streams_are_one(const struct engine *engine, uint32_t a, uint32_t b)
{
	const struct location *x = &engine->tables.model.locations.at[a];
	const struct location *y = &engine->tables.model.locations.at[b];

	return x->ordinal == y->ordinal && x->stream == y->stream;
}

/* The last stream of the process may be another lane of one that exists. */
static void lanes_note(struct engine *engine, const struct device_process *process, uint32_t last)
{
	for (size_t i = 0; i + 1 < process->streams.n; i++)
		if (streams_are_one(engine, process->streams.at[i], last))
			engine->device.streams[process->streams.at[i]]
				.has_lanes = engine->device.streams[last].has_lanes = true;
}

/* Threads and streams of each process. */
static int members_set(struct engine *engine)
{
	const struct model *model = &engine->tables.model;
	struct device_process *processes = engine->device.processes;

	for (size_t i = 0; i < model->processes.n; i++) {
		processes[i].family = process_ancestor(model, i);
		processes[i].relative = MODEL_NONE;
	}
	for (size_t i = 0; i < model->processes.n; i++) {
		struct device_process *head = &processes[processes[i].family];

		if (head == &processes[i])
			continue;
		processes[i].relative = head->relative;
		head->relative = i;
	}
	keep_set(engine);
	for (size_t i = 0; i < model->locations.n; i++) {
		const struct location *location = &model->locations.at[i];
		struct device_process *process;
		uint32_t *at;

		if (location->process == MODEL_NONE ||
			location->in->type == OTF2_LOCATION_TYPE_METRIC)
			continue;
		process = &processes[location->process];
		at = location->device != MODEL_NONE ? ARRAY_ADD(&process->streams)
						    : ARRAY_ADD(&process->threads);
		if (!at)
			return -1;
		*at = i;
		if (location->device == MODEL_NONE)
			continue;
		engine->device.streams[i].order = order_of(location);
		lanes_note(engine, process, i);
		process->has_legacy |= engine->device.streams[i].order == STREAM_LEGACY;
	}
	return 0;
}

/*
 * Threads that may wake each other are read together; a thread that no other can wake continues
 * alone.
 */
static bool handovers_are_recorded(const struct engine *engine)
{
	const struct model *model = &engine->tables.model;
	size_t families = 0;

	for (size_t i = 0; i < model->processes.n; i++)
		families += model->processes.at[i].parent == MODEL_NONE;
	return !engine->tables.summary &&
		model->attributes[ATTRIBUTE_WAKE] != OTF2_UNDEFINED_ATTRIBUTE &&
		threads_count(model) > families;
}

int device_replay_open(struct engine *engine)
{
	struct device_replay *device = &engine->device;
	const struct model *model = &engine->tables.model;

	device->any = model->devices.n > 0;
	device->handovers = device->any || handovers_are_recorded(engine);
	if (!device->handovers)
		return 0;
	device->processes = calloc(model->processes.n + 1, sizeof(*device->processes));
	if (!device->any) {
		if (device->processes && members_set(engine) == 0)
			return 0;
		log_error("out of memory for %zu processes", model->processes.n);
		return -1;
	}
	device->streams = calloc(model->locations.n + 1, sizeof(*device->streams));
	device->histories = calloc(model->locations.n + 1, sizeof(*device->histories));
	device->sweeps = calloc(model->devices.n + 1, sizeof(*device->sweeps));
	if (!device->processes || !device->streams || !device->histories || !device->sweeps ||
		members_set(engine) < 0 || devices_set(engine) < 0 || sweeps_open(engine) < 0) {
		log_error("out of memory for %zu devices", model->devices.n);
		return -1;
	}
	return 0;
}

static void process_free(struct device_process *process)
{
	for (size_t i = 0; i < process->recorded.n; i++)
		mark_release(process->recorded.at[i]);
	for (size_t i = 0; i < process->group_calls.n; i++)
		free(process->group_calls.at[i].calls.at);
	free(process->recent);
	idmap_free(&process->launch_numbers);
	idmap_free(&process->events);
	idmap_free(&process->groups);
	free(process->launches.at);
	free(process->free_launches.at);
	free(process->oldest.at);
	free(process->recorded.at);
	free(process->group_calls.at);
	free(process->threads.at);
	free(process->streams.at);
	free(process->devices.at);
	free(process->launched_on.at);
}

/* Leaves out its members. */
static void process_drop(struct device_process *process)
{
	struct device_process kept = { .family = process->family,
		.relative = process->relative,
		.has_legacy = process->has_legacy };

	memcpy(&kept.threads, &process->threads, sizeof(kept.threads));
	memcpy(&kept.streams, &process->streams, sizeof(kept.streams));
	memcpy(&kept.devices, &process->devices, sizeof(kept.devices));
	memcpy(&kept.launched_on, &process->launched_on, sizeof(kept.launched_on));
	process->threads.at = process->streams.at = NULL;
	process->devices.at = process->launched_on.at = NULL;
	process_free(process);
	*process = kept;
}

static void stream_free(struct stream *stream)
{
	for (size_t i = 0; i < stream->marks.n; i++)
		mark_release(stream->marks.at[i]);
	for (size_t i = 0; i < stream->waits.n; i++)
		mark_release(stream->waits.at[i].mark);
	free(stream->marks.at);
	free(stream->waits.at);
	free(stream->uses.at);
	free(stream->more.at);
}

void device_replay_close(struct engine *engine)
{
	struct device_replay *device = &engine->device;
	const struct model *model = &engine->tables.model;

	for (size_t i = 0; device->streams && i < model->locations.n; i++) {
		stream_free(&device->streams[i]);
		history_free(&device->histories[i]);
	}
	for (size_t i = 0; device->processes && i < model->processes.n; i++)
		process_free(&device->processes[i]);
	for (size_t i = 0; i < device->syncs.n; i++)
		free(device->syncs.at[i].wakes.at);
	nccl_close(engine);
	sweeps_close(engine);
	idmap_free(&device->objects);
	free(device->syncs.at);
	free(device->processes);
	free(device->streams);
	free(device->histories);
	free(device->sweeps);
}

void device_replay_drop(struct engine *engine, uint32_t location)
{
	const struct location *at = &engine->tables.model.locations.at[location];
	struct history *history = &engine->device.histories[location];
	uint64_t nforgotten = history->nforgotten;

	if (at->process != MODEL_NONE)
		process_drop(&engine->device.processes[at->process]);
	history_free(history);
	history->nforgotten = nforgotten;
}
