/* spool_process.c - the definitions, state and threads of a process, in a folder or a slot; see spool_in.h. */
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/rundir.h"
#include "spool/spool_in.h"
#include "spool/spool_pack.h"

/* Ticks may be later than the last sign of life by this much: about 90 minutes at 3 GHz. */
#define LATEST_SLACK (1ull << 44)
#define FIRST_THREAD "thread.0"

/* Whether the process lived on after its first spool: as far as anybody knows where no heart beats. */
static bool process_went_on(const struct spool_process *process)
{
	return process->nthreads || process->ended || !process->heartbeat ||
		process->heartbeat > process->def.start.ticks;
}

static int compare_threads(const void *a, const void *b)
{
	const struct spool_thread *x = *(struct spool_thread *const *)a,
				  *y = *(struct spool_thread *const *)b;

	if (x->head.number != y->head.number)
		return x->head.number < y->head.number ? -1 : 1;
	return (x->head.tid > y->head.tid) - (x->head.tid < y->head.tid);
}

/* Room for another one. False without memory. */
static bool threads_grow(struct spool_process *process)
{
	struct spool_thread **grown = realloc(process->threads,
		(process->nthreads + 1) * sizeof(*grown));

	if (grown)
		process->threads = grown;
	return grown != NULL;
}

static int spool_thread_read(struct spool_process *process, const char *folder, const char *name,
	bool may_be_unborn)
{
	char *file = threads_grow(process) ? path_join(folder, name) : NULL;
	struct spool_thread *thread = file ? spool_thread_open(process, file, may_be_unborn) : NULL;

	if (thread)
		process->threads[process->nthreads++] = thread;
	free(file);
	return file ? 0 : -1;
}

/* The first thread, as long as it is in the slot of its process. */
static int slot_thread_read(struct spool_process *process, const struct spool_place *place)
{
	struct spool_slot_map at = spool_slot_open(place);
	struct spool_thread *thread = NULL;
	int ret = -1;

	if (!at.slot || memcmp(at.slot->head.magic, SPOOL_MAGIC, 8) != 0) {
		spool_slot_close(&at);
		return 0; /* it has recorded nothing */
	}
	if (!threads_grow(process) || !(thread = calloc(1, sizeof(*thread))) ||
		!(thread->pieces = calloc(1, sizeof(*thread->pieces))))
		goto out;
	ret = 0;
	thread->process = process;
	if (!spool_head_take(thread, &at.slot->head)) {
		process->lost[LOSS_MISSING]++;
		goto out;
	}
	thread->head.slot_size = thread->head.first_size = 0;
	thread->map = at.map;
	thread->map_size = at.size;
	thread->pieces[thread->npieces++] = (struct spool_piece){ at.slot->records,
		at.slot->records + SLOT_RECORDS / 8, 0, false };
	process->threads[process->nthreads++] = thread;
	spool_thread_rest(thread);
	return 0;
out:
	spool_slot_close(&at);
	if (thread)
		spool_pieces_free(thread);
	free(thread);
	return ret;
}

/* Whether the first thread has left its slot: its file has a head. */
static bool has_left_slot(const char *folder)
{
	char *path = path_join(folder, FIRST_THREAD);
	size_t size = 0;
	char *map = path ? spool_map(path, &size) : NULL;
	bool has_head = map && size >= SPOOL_HEAD_SIZE && memcmp(map, SPOOL_MAGIC, 8) == 0;

	if (map)
		munmap(map, size);
	free(path);
	return has_head;
}

/*
 * Drops a thread whose sums the totals of ended threads contain, though its files could not be
 * removed.
 */
static void summed_drop(struct spool_process *process)
{
	const struct totals_sums *sums = NULL;

	for (unsigned i = 0; i < process->nthreads && !sums; i++)
		if (process->threads[i]->sums && process->threads[i]->sums->threads)
			sums = process->threads[i]->sums;
	for (unsigned i = 0; sums && i < process->nthreads; i++)
		if (process->threads[i]->head.number == sums->last_k &&
			process->threads[i]->sums != sums) {
			spool_thread_free(process->threads[i]);
			memmove(&process->threads[i], &process->threads[i + 1],
				(--process->nthreads - i) * sizeof(struct spool_thread *));
			return;
		}
}

/* Whether it must have made one: where the capture window was closed it may have none at all. */
static bool process_had_spools(const struct spool_process *process)
{
	return process->nthreads ||
		(process->defined && process_went_on(process) && !process->captures.n &&
			!process->def.is_child);
}

struct process_reading {
	struct spool_process *process;
	const char *path;
	bool has_first;
};

static int name_visit(void *arg, const char *name)
{
	struct process_reading *reading = arg;

	if (strcmp(name, FIRST_THREAD) == 0)
		reading->has_first = true;
	else if (strncmp(name, "thread.", 7) == 0)
		return spool_thread_read(reading->process, reading->path, name, true);
	return 0;
}

/*
 * The first spool, which is nearly always the main thread's, comes last: whether it may be empty or
 * absent depends on the others.
 */
static int spool_threads_read(struct spool_process *process, const struct spool_place *place,
	const char *path)
{
	struct process_reading reading = { process, path, false };
	int ret = spool_names_visit(path, name_visit, &reading);
	bool is_in_slot = place->slots && !(reading.has_first && has_left_slot(path));

	if (ret == 0 && is_in_slot)
		ret = slot_thread_read(process, place);
	else if (ret == 0 && (reading.has_first || process_had_spools(process)))
		ret = spool_thread_read(process, path, FIRST_THREAD, !process_went_on(process));
	if (process->nthreads > 1)
		qsort(process->threads, process->nthreads, sizeof(*process->threads),
			compare_threads);
	summed_drop(process);
	return ret;
}

static void state_take(struct spool_process *process, const struct spool_state *state)
{
	if (memcmp(state->magic, SPOOL_MAGIC, 8) != 0 || state->version != SPOOL_VERSION)
		return;
	process->heartbeat = state->heartbeat;
	process->launches = state->launches_unseen ? 0 : state->launches;
	process->killed_by = state->killed_by <= (uint32_t)SIGRTMAX ? state->killed_by : 0;
	/* an exec that did not fail */
	if (!process->ended && state->replaced > process->def.start.ticks) {
		process->ended = true;
		process->end = (struct spool_def_end){ .how = END_EXEC, .ticks = state->replaced };
	}
	if (process->ended && process->end.how == END_RETURN && state->exited)
		process->end.status = (int32_t)(state->exited - 1) & 0xff;
	for (int i = 0; i < LOSS_COUNT; i++)
		if (state->lost[i] <= LOST_MOST)
			process->lost[i] += state->lost[i];
		else
			process->lost[LOSS_TORN]++;
}

static void state_read(struct spool_process *process, const char *path)
{
	size_t size;
	struct spool_state state, *map = spool_map(path, &size);

	if (!map)
		return;
	if (size >= sizeof(state)) {
		memcpy(&state, map, sizeof(state));
		state_take(process, &state);
	}
	munmap(map, size);
}

/* The latest tick that can be true, so that one flipped bit does not stretch the trace by years. */
static uint64_t latest_tick(const struct spool_process *process)
{
	uint64_t latest = process->def.start.ticks;

	if (!process->defined)
		return UINT64_MAX >> 1;
	if (process->heartbeat > latest)
		latest = process->heartbeat;
	if (process->ended && process->end.ticks > latest)
		latest = process->end.ticks;
	for (uint32_t i = 0; i < process->clocks.n; i++)
		if (process->clocks.at[i].ticks > latest)
			latest = process->clocks.at[i].ticks;
	return latest > UINT64_MAX - LATEST_SLACK ? UINT64_MAX >> 1 : latest + LATEST_SLACK;
}

/* Definitions, and the state where it is asked for, of the slot or else of the folder. */
static int process_read(struct spool_process *process, const struct spool_place *place,
	const char *path, bool with_state)
{
	struct spool_slot_map slot = spool_slot_open(place);
	char *defs = path_join(path, "process"), *state = path_join(path, "state");
	int ret = -1;

	if (!defs || !state)
		goto out;
	if (!slot.slot) {
		ret = spool_defs_read(process, defs);
		if (ret == 0 && with_state)
			state_read(process, state);
		goto out;
	}
	process->map = spool_slot_defs(place, slot.slot, defs, &process->map_size);
	ret = process->map ? spool_defs_take(process, defs) : -1;
	if (ret == 0 && with_state)
		state_take(process, &slot.slot->state);
out:
	spool_slot_close(&slot);
	free(defs);
	free(state);
	return ret;
}

static struct spool_process *process_begin(const struct spool_place *place, const char *path,
	bool with_state)
{
	struct spool_process *process = path ? calloc(1, sizeof(*process)) : NULL;

	if (!process)
		return NULL;
	process->parent = process->hostname = process->boot_id = "";
	process->folder = strdup(place->folder);
	if (process->folder && process_read(process, place, path, with_state) == 0)
		return process;
	spool_process_close(process);
	return NULL;
}

struct spool_process *spool_process_defined(const struct spool_place *place)
{
	char *path = path_join(place->dir, place->folder);
	struct spool_process *process = process_begin(place, path, false);

	free(path);
	return process;
}

struct spool_process *spool_process_open(const struct spool_place *place)
{
	char *path = path_join(place->dir, place->folder),
	     *python = path ? path_join(path, "python") : NULL,
	     *buckets = path ? path_join(path, "buckets") : NULL;
	struct spool_process *process = python && buckets ? process_begin(place, path, true) : NULL;
	int ret = -1;

	if (process) {
		process->latest = latest_tick(process);
		spool_python_read(process, python);
		spool_buckets_read(process, buckets);
		ret = spool_threads_read(process, place, path);
	}
	free(path);
	free(python);
	free(buckets);
	if (ret < 0) {
		spool_process_close(process);
		process = NULL;
	}
	return process;
}

void spool_process_close(struct spool_process *process)
{
	if (!process)
		return;
	for (unsigned i = 0; i < process->nthreads; i++)
		spool_thread_free(process->threads[i]);
	spool_defs_drop(process);
	if (process->python)
		munmap(process->python, process->python_size);
	free(process->buckets);
	free(process->python_codes.at);
	free(process->python_stacks.at);
	free(process->threads);
	free(process->properties.at);
	free(process->names.at);
	free(process->comms.at);
	free(process->handles.at);
	free(process->windows.at);
	free(process->metrics.at);
	free(process->child_ends.at);
	free(process->clocks.at);
	free(process->captures.at);
	free(process->samples.at);
	free(process->values.at);
	free(process->devices.at);
	free(process->streams.at);
	free(process->kernels.at);
	free(process->nccl_comms.at);
	free(process->texts);
	free(process->folder);
	free(process);
}
