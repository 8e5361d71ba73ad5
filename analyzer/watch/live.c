/* live.c - the folders of a run's processes and their state pages; see live.h. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/log.h"
#include "base/rundir.h"
#include "spool/spool_lives.h"
#include "spool/spool_pack.h"
#include "watch/live.h"
#include "tacho/host.h"

/* The heart beats ten times a second; a file system of the network may hand it on seconds later. */
static const int64_t silent_ns = 10000000000;

int live_open(struct live *live, const char *run)
{
	*live = (struct live){ .run = strdup(run),
		.spool = path_join(run, RUNDIR_SPOOL),
		.buffer = malloc(LIVE_BUFFER) };
	live_regions_init();
	if (live->run && live->spool && live->buffer)
		return 0;
	log_error("out of memory");
	return -1;
}

static void process_free(struct live_process *process)
{
	for (size_t i = 0; i < process->threads.n; i++)
		free(process->threads.at[i].file.path);
	for (size_t i = 0; i < process->metrics.n; i++) {
		free(process->metrics.at[i].name);
		free(process->metrics.at[i].description);
	}
	live_nccl_free(&process->nccl);
	free(process->threads.at);
	free(process->metrics.at);
	free(process->handles.at);
	free(process->defs.path);
	free(process->hostname);
	free(process->place.dir);
	free(process->place.folder);
	free(process->place.slots);
	free(process->path);
	free(process);
}

void live_close(struct live *live)
{
	for (size_t i = 0; i < live->processes.n; i++)
		process_free(live->processes.at[i]);
	free(live->processes.at);
	free(live->buffer);
	free(live->spool);
	free(live->run);
}

/* The first thread of a process in a slot: its file comes later. */
static int slot_thread_add(struct live_process *process)
{
	struct live_thread *thread = ARRAY_ADD(&process->threads);

	if (!thread)
		return -1;
	*thread = (struct live_thread){ .file = { path_join(process->path, "thread.0"),
						SPOOL_HEAD_SIZE },
		.is_in_slot = true };
	return thread->file.path ? 0 : -1;
}

/* Takes the place. */
static int process_add(struct live *live, struct spool_place *place)
{
	struct live_process *process = calloc(1, sizeof(*process)), **slot;

	if (!process)
		goto out;
	process->rank = -1;
	process->place = *place;
	*place = (struct spool_place){ 0 };
	process->path = path_join(process->place.dir, process->place.folder);
	process->defs.path = process->path ? path_join(process->path, "process") : NULL;
	process->hostname = strdup("");
	process->seen_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (!process->defs.path || !process->hostname ||
		(process->place.slots && slot_thread_add(process) < 0) ||
		!(slot = ARRAY_ADD(&live->processes)))
		goto out;
	*slot = process;
	return 0;
out:
	if (process)
		process_free(process);
	log_error("out of memory");
	return -1;
}

static bool process_is_known(const struct live *live, const char *folder)
{
	for (size_t i = live->processes.n; i-- > 0;)
		if (strcmp(live->processes.at[i]->place.folder, folder) == 0)
			return true;
	return false;
}

/*
 * True if the folder belongs to a process whose slot was missing when its parent's folder was read.
 */
static bool is_of_slot(const struct spool_place *place)
{
	const char *dot = strrchr(place->folder, '.');

	return !place->slots && dot && strtoul(dot + 1, NULL, 10) >= SLOT_FIRST_K;
}

static int folder_look(struct live *live, const char *spool, bool *found)
{
	struct spool_places places = { 0 };
	int ret = 0;

	*found = spool_places_add(&places, spool) == 0;
	for (size_t i = 0; ret == 0 && i < places.n; i++)
		if (!is_of_slot(&places.at[i]) && !process_is_known(live, places.at[i].folder))
			ret = process_add(live, &places.at[i]);
	spool_places_free(&places);
	return ret;
}

/* Spools on this node's own disk, of which a note in RUN states where they are. */
static int local_look(struct live *live, const char *note)
{
	struct run_local local;
	bool found;

	run_local_read(live->run, note, &local);
	return local.is_here && *local.folder ? folder_look(live, local.folder, &found) : 0;
}

static int processes_find(struct live *live)
{
	bool found;
	int ret = folder_look(live, live->spool, &found);
	DIR *dir = opendir(live->run);
	struct dirent *entry;

	live->gone = !found && live->found;
	live->found |= found;
	while (dir && ret == 0 && (entry = readdir(dir)))
		if (strncmp(entry->d_name, RUNDIR_LOCAL, strlen(RUNDIR_LOCAL)) == 0)
			ret = local_look(live, entry->d_name);
	if (dir)
		closedir(dir);
	return ret;
}

static bool thread_is_known(const struct live_process *process, uint32_t number)
{
	for (size_t i = process->threads.n; i-- > 0;)
		if (process->threads.at[i].number == number)
			return true;
	return false;
}

static int thread_find(void *arg, const char *name)
{
	struct live_process *process = arg;
	struct live_thread *thread;
	char *end;
	unsigned long number;

	if (strncmp(name, "thread.", 7) != 0)
		return 0;
	number = strtoul(name + 7, &end, 10);
	if (*end || end == name + 7 || number > UINT32_MAX ||
		thread_is_known(process, (uint32_t)number))
		return 0;
	thread = ARRAY_ADD(&process->threads);
	if (thread)
		*thread = (struct live_thread){ .number = (uint32_t)number,
			.file = { path_join(process->path, name), SPOOL_HEAD_SIZE } };
	return thread && thread->file.path ? 0 : -1;
}

static int threads_find(struct live_process *process)
{
	return spool_names_visit(process->path, thread_find, process);
}

/* Copies the page of the state, of the slot or else of the folder. False: there is none. */
static bool state_copy(const struct live_process *process, struct spool_state *state)
{
	const char *slots = process->place.slots;
	char *path = slots ? strdup(slots) : path_join(process->path, "state");
	uint64_t at = slots ? live_slot_at(process) + offsetof(struct slot, state) : 0;
	struct spool_file file = { .fd = -1 };
	bool is_state = path && spool_file_open(path, &file) == 0 &&
		spool_file_read(&file, state, sizeof(*state), at) == sizeof(*state) &&
		memcmp(state->magic, SPOOL_MAGIC, 8) == 0 && state->version == SPOOL_VERSION;

	spool_file_close(&file);
	free(path);
	return is_state;
}

/* The heartbeat ends the interval; a process that has ended has another end. */
static void state_read(struct live_process *process)
{
	struct spool_state state;
	uint64_t now = 0;

	if (state_copy(process, &state)) {
		now = state.heartbeat;
		process->lost = 0;
		for (int i = 0; i < LOSS_COUNT; i++)
			process->lost += state.lost[i];
		if (!process->ended && state.replaced > process->def.start.ticks) {
			process->ended = true;
			process->end = (struct spool_def_end){ .how = END_EXEC,
				.ticks = state.replaced };
		}
	}
	if (process->ended && process->end.ticks > now)
		now = process->end.ticks;
	process->since = process->now ? process->now : process->def.start.ticks;
	process->now = now > process->since ? now : process->since;
	if (process->now > process->since)
		process->seen_ns = clock_now_ns(CLOCK_MONOTONIC);
}

/* The parts of the interval in which the capture window was closed. */
static void closed_add(struct live_process *process)
{
	uint64_t from = process->closed_at > process->since ? process->closed_at : process->since;

	process->state[HOST_ABSENT] += process->closed_ticks;
	if (process->is_closed && process->now > from)
		process->state[HOST_ABSENT] += process->now - from;
	process->closed_ticks = 0;
}

/* What is left of the interval is useful work. */
static void useful_set(struct live_process *process)
{
	uint64_t length = process->now - process->since, rest = length;

	for (int state = 0; state < HOST_STATE_COUNT; state++) {
		if (process->state[state] > rest)
			process->state[state] = rest;
		rest -= process->state[state];
	}
	process->state[HOST_USEFUL] = rest;
}

static int process_look(struct live_process *process, uint64_t *buffer)
{
	bool was_over = process->ended;

	if (live_defs_read(process) < 0)
		return -1;
	if (!process->is_defined)
		return 0;
	memset(process->state, 0, sizeof(process->state));
	process->read_bytes = process->written_bytes = 0;
	state_read(process);
	/* a process that had ended by the last poll has been read completely */
	if (was_over && process->since == process->now)
		return 0;
	if (threads_find(process) < 0)
		return -1;
	closed_add(process);
	live_nccl_begin(&process->nccl);
	for (size_t i = 0; i < process->threads.n; i++)
		live_thread_read(process, &process->threads.at[i], false, buffer);
	for (size_t i = 0; i < process->threads.n; i++) { /* what devices did was launched before */
		live_thread_read(process, &process->threads.at[i], true, buffer);
		process->lost += process->threads.at[i].lost;
	}
	useful_set(process);
	return 0;
}

int live_look(struct live *live)
{
	if (processes_find(live) < 0)
		return -1;
	for (size_t i = 0; i < live->processes.n; i++)
		if (process_look(live->processes.at[i], live->buffer) < 0) {
			log_error("out of memory");
			return -1;
		}
	return 0;
}

/* True if it has shown no sign of life since the last poll and is gone: killed, on this node. */
static bool is_gone(const struct live_process *process)
{
	char hostname[HOST_ROOM];

	host_name(hostname);
	return process->is_defined && process->since == process->now &&
		strcmp(hostname, process->hostname) == 0 && !spool_process_lives(&process->def);
}

bool live_is_silent(const struct live_process *process)
{
	return !process->ended &&
		(clock_now_ns(CLOCK_MONOTONIC) - process->seen_ns > silent_ns || is_gone(process));
}
