/* live_defs.c - definitions that were added to a process's file; see live.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "spool/spool_pack.h"
#include "watch/live.h"

enum { ID_MOST = 1 << 24 }; /* more than any process defines */

/* Element `id` of an array that is indexed by id; NULL without memory. */
#define ELEMENT(array, id)                                                                         \
	__extension__({                                                                            \
		while ((array)->n <= (id) && ARRAY_ADD(array))                                     \
			memset(&(array)->at[(array)->n - 1], 0, sizeof(*(array)->at));             \
		(array)->n > (id) ? &(array)->at[id] : NULL;                                       \
	})

struct live_def {
	const struct spool_def *head;
	const void *body;
	size_t nbody;
	const char *text;
};

static bool begins(const char *text, size_t n, const char *prefix)
{
	return n >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

static int property_define(struct live_process *process, const struct live_def *def)
{
	static const char key[] = "process.hostname";
	const char *end = memchr(def->text, '\0', def->head->text);
	char *value;

	if (!end || (size_t)(end - def->text) != strlen(key) || strcmp(def->text, key) != 0)
		return 0;
	value = strndup(end + 1, def->head->text - strlen(key) - 1);
	if (!value)
		return -1;
	free(process->hostname);
	process->hostname = value;
	return 0;
}

static void process_define(struct live_process *process, const struct live_def *def)
{
	if (process->is_defined || def->nbody < sizeof(process->def))
		return;
	memcpy(&process->def, def->body, sizeof(process->def));
	process->is_defined = process->def.version == SPOOL_VERSION &&
		process->def.nregions == REGION_COUNT;
	process->rank = process->def.rank;
	process->last_clock = process->def.start;
	if (process->def.clock == SPOOL_CLOCK_MONOTONIC)
		process->ns_per_tick = 1;
}

static void clock_define(struct live_process *process, const struct live_def *def)
{
	struct spool_def_clock clock, *start = &process->def.start;

	if (def->nbody < sizeof(clock))
		return;
	memcpy(&clock, def->body, sizeof(clock));
	if (clock.ticks <= start->ticks || clock.monotonic_ns <= start->monotonic_ns)
		return;
	process->last_clock = clock;
	process->ns_per_tick = (double)(clock.monotonic_ns - start->monotonic_ns) /
		(double)(clock.ticks - start->ticks);
}

static void capture_define(struct live_process *process, const struct live_def *def)
{
	struct spool_def_capture capture;

	if (def->nbody < sizeof(capture))
		return;
	memcpy(&capture, def->body, sizeof(capture));
	if (capture.is_open && process->is_closed) {
		uint64_t from = process->closed_at > process->now ? process->closed_at
								  : process->now;

		process->closed_ticks += capture.ticks > from ? capture.ticks - from : 0;
	}
	process->is_closed = !capture.is_open;
	process->closed_at = capture.ticks;
}

static bool metric_matters(const char *name, size_t n)
{
	return begins(name, n, "net.") || begins(name, n, "ib.") || begins(name, n, "disk.") ||
		begins(name, n, "fs.") || begins(name, n, "gpu.");
}

static int metric_define(struct live_process *process, const struct live_def *def)
{
	struct live_metric *metric;
	const char *end = def->text + def->head->text, *unit, *description;

	if (!metric_matters(def->text, def->head->text))
		return 0;
	metric = ELEMENT(&process->metrics, def->head->id);
	if (!metric)
		return -1;
	unit = memchr(def->text, '\0', def->head->text);
	description = unit ? memchr(unit + 1, '\0', (size_t)(end - unit - 1)) : NULL;
	free(metric->name);
	free(metric->description);
	*metric = (struct live_metric){ .name = strndup(def->text, def->head->text),
		.description = description
			? strndup(description + 1, (size_t)(end - description - 1))
			: strdup("") };
	return metric->name && metric->description ? 0 : -1;
}

static int kind_set(struct live_process *process, const struct live_def *def, uint32_t kind)
{
	uint8_t *at = ELEMENT(&process->handles, def->head->id);

	if (!at)
		return -1;
	*at = (uint8_t)kind;
	return 0;
}

static int handle_define(struct live_process *process, const struct live_def *def)
{
	struct spool_def_handle body;

	if (def->nbody < sizeof(body))
		return 0;
	memcpy(&body, def->body, sizeof(body));
	return kind_set(process, def, body.kind);
}

static int handle_define_like(struct live_process *process, const struct live_def *def)
{
	struct spool_def_handle_like body;

	if (def->nbody < sizeof(body))
		return 0;
	memcpy(&body, def->body, sizeof(body));
	return kind_set(process, def,
		body.like < process->handles.n ? process->handles.at[body.like] : 0);
}

/* Programs without a launcher's variables know their rank from MPI. */
static void comm_define(struct live_process *process, const struct live_def *def)
{
	struct spool_def_comm body;

	if (def->nbody < sizeof(body) || process->rank >= 0)
		return;
	memcpy(&body, def->body, sizeof(body));
	if (body.kind == COMM_WORLD)
		process->rank = body.rank;
}

static void end_define(struct live_process *process, const struct live_def *def)
{
	if (def->nbody < sizeof(process->end))
		return;
	memcpy(&process->end, def->body, sizeof(process->end));
	process->ended = true;
}

static int nccl_define(struct live_process *process, const struct live_def *def)
{
	struct spool_def_nccl_comm body;

	if (def->nbody < sizeof(body))
		return 0;
	memcpy(&body, def->body, sizeof(body));
	return live_nccl_define(&process->nccl, def->head->id, &body, def->text, def->head->text);
}

static int define(struct live_process *process, const struct live_def *def)
{
	switch (def->head->type) {
	case DEF_PROCESS: process_define(process, def); return 0;
	case DEF_PROPERTY: return property_define(process, def);
	case DEF_HANDLE: return handle_define(process, def);
	case DEF_HANDLE_LIKE: return handle_define_like(process, def);
	case DEF_COMM: comm_define(process, def); return 0;
	case DEF_CLOCK: clock_define(process, def); return 0;
	case DEF_END: end_define(process, def); return 0;
	case DEF_METRIC: return metric_define(process, def);
	case DEF_CAPTURE: capture_define(process, def); return 0;
	case DEF_NCCL_COMM: return nccl_define(process, def);
	default: return 0;
	}
}

static bool is_last(const char *bytes, size_t at, size_t n)
{
	uint32_t size = 0;

	if (n - at >= sizeof(size))
		memcpy(&size, bytes + at, sizeof(size));
	return !size;
}

/* The definitions in `n` bytes that are whole; how many bytes these are, -1 without memory. */
static ssize_t defs_take(struct live_process *process, const char *bytes, size_t n)
{
	size_t at = 0;

	while (n - at >= sizeof(struct spool_def)) {
		struct spool_def head;
		struct live_def def = { .head = &head };

		memcpy(&head, bytes + at, sizeof(head));
		if (head.size < sizeof(head) || head.size % 8 || head.size > n - at)
			break;
		if (head.type == DEF_PAD && is_last(bytes, at + head.size, n))
			break; /* it may be written yet */
		if (head.text <= head.size - sizeof(head) && head.id < ID_MOST) {
			def.body = bytes + at + sizeof(head);
			/* the text ends the definition but for less than 8 bytes of padding */
			def.nbody = (head.size - sizeof(head) - head.text) / 8 * 8;
			def.text = bytes + at + sizeof(head) + def.nbody;
			if (define(process, &def) < 0)
				return -1;
		}
		at += head.size;
	}
	return (ssize_t)at;
}

/* Takes the definitions at `at` of a file, up to `most` bytes; how many were, -1 without memory. */
static ssize_t defs_read(struct live_process *process, const struct spool_file *file, uint64_t at,
	size_t most)
{
	char *bytes = malloc(most ? most : 1);
	ssize_t n = bytes ? spool_file_read(file, bytes, most, at) : -1, used = bytes ? 0 : -1;

	if (n > 0)
		used = defs_take(process, bytes, (size_t)n);
	free(bytes);
	return used;
}

/* Those of all children in the file are at its begin. 0, or -1 without memory. */
static int shared_read(struct live_process *process, const struct spool_file *file)
{
	struct slots head;

	process->has_shared = true;
	if (spool_file_read(file, &head, sizeof(head), 0) != sizeof(head) ||
		head.properties > SLOTS_HEAD_SIZE - SLOTS_PROPERTIES)
		return 0;
	return defs_read(process, file, SLOTS_PROPERTIES, head.properties) < 0 ? -1 : 0;
}

/* A process's definitions in its slot come before those in its folder. */
static int slot_defs_read(struct live_process *process)
{
	struct spool_file file;
	ssize_t used;

	if (spool_file_open(process->place.slots, &file) < 0)
		return 0;
	used = defs_read(process, &file,
		live_slot_at(process) + offsetof(struct slot, definitions) + process->slot_defs,
		SLOT_DEFINITIONS - process->slot_defs);
	if (used > 0)
		process->slot_defs += (uint32_t)used;
	if (used >= 0 && !process->has_shared && process->is_defined)
		used = shared_read(process, &file);
	spool_file_close(&file);
	return used < 0 ? -1 : 0;
}

int live_defs_read(struct live_process *process)
{
	struct spool_file file;
	ssize_t used = 0;

	if (process->place.slots && slot_defs_read(process) < 0)
		return -1;
	if (spool_file_open(process->defs.path, &file) < 0)
		return 0;
	if (file.size > process->defs.at)
		used = defs_read(process, &file, process->defs.at, file.size - process->defs.at);
	spool_file_close(&file);
	if (used > 0)
		process->defs.at += (uint64_t)used;
	return used < 0 ? -1 : 0;
}
