/*
 * spool_defs.c - the definitions of one process (the file `process` of its folder); see spool_in.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "spool/spool_in.h"
#include "spool/spool_ranks.h"

/* Texts are not terminated in the file, so each is copied with a terminator into one block. */
struct text_block {
	char *next;
};

/* One definition being read. */
struct read_def {
	const struct spool_def *head;
	const unsigned char *body;
	size_t nbody;	  /* without the text */
	const char *text; /* terminated copy */
	size_t ntext;
	struct text_block *block; /* for further texts */
};

static const char *text_keep(struct text_block *block, const void *text, size_t n)
{
	char *at = block->next;

	memcpy(at, text, n);
	at[n] = '\0';
	block->next += n + 1;
	return at;
}

#define RESERVE(table, id)                                                                         \
	spool_table_reserve((void **)&(table).at, &(table).n, id, sizeof(*(table).at))

/* Appends to a table that is dense from 0; its length is the number of entries. */
static bool clock_append(struct spool_process *p, const struct spool_def_clock *pair)
{
	struct spool_def_clock *grown = realloc(p->clocks.at, (p->clocks.n + 1) * sizeof(*grown));

	if (!grown)
		return false;
	p->clocks.at = grown;
	grown[p->clocks.n++] = *pair;
	return true;
}

static bool child_end_append(struct spool_process *p, const struct read_def *def)
{
	struct spool_def_child_end *grown = realloc(p->child_ends.at,
		(p->child_ends.n + 1) * sizeof(*grown));

	if (!grown)
		return false;
	p->child_ends.at = grown;
	if (def->nbody >= sizeof(*grown))
		memcpy(&grown[p->child_ends.n++], def->body, sizeof(*grown));
	return true;
}

static bool value_append(struct spool_process *p, const struct read_def *def)
{
	struct spool_value *grown;

	if (def->nbody < sizeof(grown->def))
		return true;
	grown = realloc(p->values.at, (p->values.n + 1) * sizeof(*grown));
	if (!grown)
		return false;
	p->values.at = grown;
	memcpy(&grown[p->values.n].def, def->body, sizeof(grown->def));
	grown[p->values.n++].name = def->text;
	return true;
}

static bool capture_append(struct spool_process *p, const struct read_def *def)
{
	struct spool_def_capture *grown;

	if (def->nbody < sizeof(*grown))
		return true;
	grown = realloc(p->captures.at, (p->captures.n + 1) * sizeof(*grown));
	if (!grown)
		return false;
	p->captures.at = grown;
	memcpy(&grown[p->captures.n++], def->body, sizeof(*grown));
	return true;
}

static bool sample_append(struct spool_process *p, const struct read_def *def)
{
	struct spool_def_sample *grown;

	if (def->nbody < sizeof(*grown))
		return true;
	grown = realloc(p->samples.at, (p->samples.n + 1) * sizeof(*grown));
	if (!grown)
		return false;
	p->samples.at = grown;
	memcpy(&grown[p->samples.n++], def->body, sizeof(*grown));
	return true;
}

/* A property that is reported again has changed: the last value counts. */
static bool property_define(struct spool_process *p, const struct read_def *def)
{
	size_t nkey = strlen(def->text);
	struct spool_property given = { def->text, nkey < def->ntext ? def->text + nkey + 1 : "" },
			      *grown;

	for (size_t i = 0; i < p->properties.n; i++)
		if (strcmp(p->properties.at[i].key, given.key) == 0) {
			p->properties.at[i].value = given.value;
			return true;
		}
	grown = realloc(p->properties.at, (p->properties.n + 1) * sizeof(*grown));
	if (!grown)
		return false;
	p->properties.at = grown;
	grown[p->properties.n++] = given;
	return true;
}

/*
 * A communicator's body: the struct, then the runs of its world ranks. Sizes that contradict the
 * body are rejected.
 */
static void comm_define(struct spool_process *p, const struct read_def *def)
{
	struct spool_comm *comm = &p->comms.at[def->head->id];
	struct spool_def_comm body;
	const unsigned char *runs = def->body + sizeof(body);

	if (def->nbody < sizeof(body))
		return;
	memcpy(&body, def->body, sizeof(body));
	if ((uint64_t)body.nruns * sizeof(struct spool_run) > def->nbody - sizeof(body))
		return;
	comm->ranks = body.kind == COMM_GROUP
		? spool_group_ranks(&body, runs, &comm->own)
		: spool_ranks(runs, body.nruns, (uint64_t)body.size + body.nremote);
	comm->def = body;
	comm->name = def->text;
}

static void process_define(struct spool_process *p, const struct read_def *def)
{
	if (def->nbody < sizeof(p->def) || p->defined)
		return;
	memcpy(&p->def, def->body, sizeof(p->def));
	p->defined = true;
	p->parent = def->text;
	clock_append(p, &p->def.start);
}

static void handle_define(struct spool_process *p, const struct read_def *def)
{
	struct spool_handle *handle = &p->handles.at[def->head->id];

	if (def->nbody < sizeof(handle->def))
		return;
	memcpy(&handle->def, def->body, sizeof(handle->def));
	handle->path = def->text;
}

/*
 * A path's length is limited to the size in its definition plus HANDLE_SAME_MOST bytes
 * (texts_size()).
 */
static void handle_define_like(struct spool_process *p, const struct read_def *def)
{
	struct spool_handle *handle = &p->handles.at[def->head->id];
	const struct spool_handle *like;
	struct spool_def_handle_like body;
	char *path = def->block->next;

	if (def->nbody < sizeof(body))
		return;
	memcpy(&body, def->body, sizeof(body));
	like = body.like < p->handles.n ? &p->handles.at[body.like] : NULL;
	if (!like || !like->path || body.same > HANDLE_SAME_MOST ||
		strnlen(like->path, body.same) < body.same) {
		p->lost[LOSS_TORN]++;
		return;
	}
	memcpy(path, like->path, body.same);
	memcpy(path + body.same, def->text, def->ntext + 1);
	def->block->next += body.same + def->ntext + 1;
	handle->def = like->def;
	handle->def.ino = body.ino;
	handle->path = path;
	handle->socket = NULL;
}

/* The text after the next NUL of a definition's text, "" when there is none. */
static const char *text_next(const struct read_def *def, const char *text)
{
	const char *end = def->text + def->ntext, *next = text + strlen(text) + 1;

	return next <= end ? next : end;
}

static void metric_define(struct spool_process *p, const struct read_def *def)
{
	struct spool_metric *metric = &p->metrics.at[def->head->id];

	if (def->nbody < sizeof(metric->def))
		return;
	memcpy(&metric->def, def->body, sizeof(metric->def));
	metric->name = def->text;
	metric->unit = text_next(def, metric->name);
	metric->description = text_next(def, metric->unit);
}

static void device_define(struct spool_process *p, const struct read_def *def)
{
	struct spool_device *device = &p->devices.at[def->head->id];

	if (def->nbody < sizeof(device->def))
		return;
	memcpy(&device->def, def->body, sizeof(device->def));
	device->name = def->text;
}

static void stream_define(struct spool_process *p, const struct read_def *def)
{
	struct spool_stream *stream = &p->streams.at[def->head->id];

	if (def->nbody < sizeof(stream->def))
		return;
	memcpy(&stream->def, def->body, sizeof(stream->def));
	stream->defined = true;
}

static void nccl_comm_define(struct spool_process *p, const struct read_def *def)
{
	struct spool_nccl_comm *comm = &p->nccl_comms.at[def->head->id];

	if (def->nbody < sizeof(comm->def))
		return;
	memcpy(&comm->def, def->body, sizeof(comm->def));
	comm->name = def->text;
}

/* Definitions of GPUs and what runs on them; false without memory. */
static bool gpu_define(struct spool_process *p, const struct read_def *def)
{
	uint32_t id = def->head->id;

	switch (def->head->type) {
	case DEF_DEVICE:
		if (!RESERVE(p->devices, id))
			return false;
		device_define(p, def);
		break;
	case DEF_STREAM:
		if (!RESERVE(p->streams, id))
			return false;
		stream_define(p, def);
		break;
	case DEF_KERNEL:
		if (!RESERVE(p->kernels, id))
			return false;
		p->kernels.at[id].name = def->text;
		break;
	case DEF_NCCL_COMM:
		if (!RESERVE(p->nccl_comms, id))
			return false;
		nccl_comm_define(p, def);
		break;
	}
	return true;
}

static void python_code_define(struct spool_process *p, const struct read_def *def)
{
	struct spool_python_code *code = &p->python_codes.at[def->head->id];
	struct spool_def_python_code body;

	if (def->nbody < sizeof(body))
		return;
	memcpy(&body, def->body, sizeof(body));
	code->function = def->text;
	code->file = text_next(def, code->function);
	code->first_line = body.first_line;
}

/* Callers are defined before their callees, so no chain of them has a loop. */
static void python_stack_define(struct spool_process *p, const struct read_def *def)
{
	struct spool_def_python_stack body;

	if (def->nbody < sizeof(body))
		return;
	memcpy(&body, def->body, sizeof(body));
	if (body.parent < def->head->id && body.code < p->python_codes.n &&
		p->python_codes.at[body.code].function)
		p->python_stacks.at[def->head->id] = body;
}

/* Definitions of Python's code and stacks; false without memory. */
static bool python_define(struct spool_process *p, const struct read_def *def)
{
	uint32_t id = def->head->id;

	if (def->head->type == DEF_PYTHON_CODE) {
		if (!RESERVE(p->python_codes, id))
			return false;
		python_code_define(p, def);
	} else {
		if (!RESERVE(p->python_stacks, id))
			return false;
		python_stack_define(p, def);
	}
	return true;
}

/* Takes in one definition. Unknown types are passed over: they are a newer writer's. */
static bool define(struct spool_process *p, const struct read_def *def)
{
	uint32_t id = def->head->id;
	struct spool_def_clock pair;
	uint64_t comm;

	switch (def->head->type) {
	case DEF_PROCESS: process_define(p, def); break;
	case DEF_PROPERTY: return property_define(p, def);
	case DEF_NAME:
		if (!RESERVE(p->names, id))
			return false;
		p->names.at[id] = def->text;
		break;
	case DEF_HANDLE:
		if (!RESERVE(p->handles, id))
			return false;
		handle_define(p, def);
		break;
	case DEF_HANDLE_LIKE:
		if (!RESERVE(p->handles, id))
			return false;
		handle_define_like(p, def);
		break;
	case DEF_SOCKET:
		if (id < p->handles.n && p->handles.at[id].path)
			p->handles.at[id].socket = def->text;
		break;
	case DEF_COMM:
		if (!RESERVE(p->comms, id))
			return false;
		comm_define(p, def);
		break;
	case DEF_COMM_NAME:
		if (id < p->comms.n && p->comms.at[id].ranks)
			p->comms.at[id].name = def->text;
		break;
	case DEF_WINDOW:
		if (!RESERVE(p->windows, id))
			return false;
		if (def->nbody >= sizeof(comm)) {
			memcpy(&comm, def->body, sizeof(comm));
			p->windows.at[id].comm = comm;
		}
		break;
	case DEF_METRIC:
		if (!RESERVE(p->metrics, id))
			return false;
		metric_define(p, def);
		break;
	case DEF_CLOCK:
		if (def->nbody < sizeof(pair))
			break;
		memcpy(&pair, def->body, sizeof(pair));
		return clock_append(p, &pair);
	case DEF_CAPTURE: return capture_append(p, def);
	case DEF_SAMPLE: return sample_append(p, def);
	case DEF_DEVICE:
	case DEF_STREAM:
	case DEF_KERNEL:
	case DEF_NCCL_COMM: return gpu_define(p, def);
	case DEF_PYTHON_CODE:
	case DEF_PYTHON_STACK: return python_define(p, def);
	case DEF_CHILD_END: return child_end_append(p, def);
	case DEF_VALUE: return value_append(p, def);
	case DEF_END:
		if (def->nbody >= sizeof(p->end)) {
			memcpy(&p->end, def->body, sizeof(p->end));
			p->ended = true;
		}
		break;
	}
	return true;
}

/*
 * Finds the definition at `at` in `left` bytes. Returns its size, 0 if it is truncated or damaged.
 * Padding separates the body's text and the size.
 */
static size_t def_split(const unsigned char *at, size_t left, struct read_def *def)
{
	const struct spool_def *head = (const struct spool_def *)at;
	size_t room;

	if (left < sizeof(*head) || head->size < sizeof(*head) || head->size % 8 ||
		head->size > left)
		return 0;
	room = head->size - sizeof(*head);
	if (head->text > room || !head->type)
		return 0;
	def->head = head;
	def->body = at + sizeof(*head);
	def->ntext = head->text;
	def->nbody = room - head->text;
	return head->size;
}

/*
 * Offset of the text: after the body's fixed part. Its size follows from the type (and, for a
 * communicator, its member counts).
 */
static size_t body_size(const struct read_def *def)
{
	static const uint16_t fixed[DEF_TYPE_COUNT] = {
		[DEF_PROCESS] = sizeof(struct spool_def_process),
		[DEF_HANDLE] = sizeof(struct spool_def_handle),
		[DEF_HANDLE_LIKE] = sizeof(struct spool_def_handle_like),
		[DEF_COMM] = sizeof(struct spool_def_comm),
		[DEF_COMM_FREE] = 8,
		[DEF_WINDOW] = 8,
		[DEF_CLOCK] = sizeof(struct spool_def_clock),
		[DEF_END] = sizeof(struct spool_def_end),
		[DEF_CHILD_END] = sizeof(struct spool_def_child_end),
		[DEF_METRIC] = sizeof(struct spool_def_metric),
		[DEF_VALUE] = sizeof(struct spool_def_value),
		[DEF_CAPTURE] = sizeof(struct spool_def_capture),
		[DEF_SAMPLE] = sizeof(struct spool_def_sample),
		[DEF_DEVICE] = sizeof(struct spool_def_device),
		[DEF_STREAM] = sizeof(struct spool_def_stream),
		[DEF_NCCL_COMM] = sizeof(struct spool_def_nccl_comm),
		[DEF_PYTHON_CODE] = sizeof(struct spool_def_python_code),
		[DEF_PYTHON_STACK] = sizeof(struct spool_def_python_stack),
	};
	size_t size = def->head->type < DEF_TYPE_COUNT ? fixed[def->head->type] : def->nbody;
	struct spool_def_comm comm;

	if (def->head->type == DEF_COMM && def->nbody >= sizeof(comm)) {
		memcpy(&comm, def->body, sizeof(comm));
		size += (uint64_t)comm.nruns * sizeof(struct spool_run);
	}
	return size < def->nbody ? size : def->nbody;
}

/* Bytes of all texts at most: a path that is like another one has up to HANDLE_SAME_MOST bytes of that. */
static size_t texts_size(const struct spool_process *p)
{
	const unsigned char *at = p->map, *end = at + p->map_size;
	size_t all = 1, size;
	struct read_def def;

	for (; (size = def_split(at, end - at, &def)); at += size) {
		all += def.ntext + 1;
		if (def.head->type == DEF_HANDLE_LIKE)
			all += HANDLE_SAME_MOST + def.ntext + 1;
	}
	return all;
}

static bool is_zero(const unsigned char *at, const unsigned char *end)
{
	while (at < end && !*at)
		at++;
	return at == end;
}

static int defs_walk(struct spool_process *p)
{
	const unsigned char *at = p->map, *end = at + p->map_size;
	/* An honest writer counts from 1, so no id exceeds the number of definitions by far. */
	size_t most_ids = p->map_size / sizeof(struct spool_def) + 1024, size;
	struct text_block block = { p->texts };
	struct read_def def = { .block = &block };

	while ((size = def_split(at, end - at, &def))) {
		def.text = text_keep(&block, def.body + body_size(&def), def.ntext);
		if (def.head->id > most_ids)
			p->lost[LOSS_TORN]++;
		else if (!define(p, &def))
			return -1;
		at += size;
	}
	if (!is_zero(at, end))
		p->lost[LOSS_NO_DEFINITION]++;
	return 0;
}

const char *spool_property(const struct spool_process *process, const char *key)
{
	for (uint32_t i = 0; i < process->properties.n; i++)
		if (strcmp(process->properties.at[i].key, key) == 0)
			return process->properties.at[i].value;
	return NULL;
}

void spool_defs_drop(struct spool_process *process)
{
	if (process->map)
		munmap(process->map, process->map_size);
	process->map = NULL;
}

int spool_defs_take(struct spool_process *process, const char *path)
{
	const char *value;

	process->texts = malloc(texts_size(process));
	if (!process->texts || defs_walk(process) < 0) {
		log_error("out of memory reading %s", path);
		return -1;
	}
	if (process->defined &&
		(process->def.version != SPOOL_VERSION || process->def.nregions != REGION_COUNT)) {
		log_error("%s was recorded by another version of tacho: merge it with the tacho "
			  "that recorded it",
			path);
		return -1;
	}
	spool_defs_drop(process);
	value = spool_property(process, "process.hostname");
	process->hostname = value ? value : "unknown host";
	value = spool_property(process, "process.boot_id");
	process->boot_id = value ? value : "";
	return 0;
}

int spool_defs_read(struct spool_process *process, const char *path)
{
	process->map = spool_map(path, &process->map_size);
	if (process->map)
		return spool_defs_take(process, path);
	process->lost[LOSS_MISSING]++;
	log_warn("%s is missing or empty: its process is not in the trace", path);
	return 0;
}
