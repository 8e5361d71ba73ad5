/*
 * spool_dump.c - prints spools as text, for tests and for looking into a
 * damaged run: spool_dump FOLDER… (one per process). Times are in ticks. It
 * shares nothing with merge but the format, so neither hides the other's
 * mistakes.
 */
#include "config.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tacho/brief.h"
#include "tacho/fold.h"
#include "tacho/regions.h"
#include "tacho/slot.h"
#include "tacho/spool.h"

static const char *const regions[REGION_COUNT] = {
#define CALL(name, ...) [REGION_##name] = #name,
#include "tacho/mpi_calls.def"
#include "tacho/io_calls.def"
#include "tacho/wait_calls.def"
#include "tacho/cuda_calls.def"
#include "tacho/nccl_calls.def"
#include "tacho/torch_calls.def"
#undef CALL
};

static const char *const losses[] = {
#define LOSS(id, name, kind, text) name,
	SPOOL_LOSSES(LOSS)
#undef LOSS
};

static const char *const types[SPOOL_TYPE_COUNT] = {
	[SPOOL_CALL] = "call",
	[SPOOL_IO] = "io",
	[SPOOL_IO_LONG] = "io_long",
	[SPOOL_IO_PLAIN] = "io_plain",
	[SPOOL_SYNC] = "sync",
	[SPOOL_P2P] = "p2p",
	[SPOOL_P2P_LONG] = "p2p_long",
	[SPOOL_SENDRECV] = "sendrecv",
	[SPOOL_COLL] = "coll",
	[SPOOL_COLL_FULL] = "coll_full",
	[SPOOL_DONE] = "done",
	[SPOOL_DONE_MORE] = "done_more",
	[SPOOL_RMA] = "rma",
	[SPOOL_BEGIN] = "begin",
	[SPOOL_END] = "end",
	[SPOOL_CLOCK] = "clock",
	[SPOOL_THREAD_END] = "thread_end",
	[SPOOL_GAP] = "gap",
	[SPOOL_DONE_SHORT] = "done_short",
	[SPOOL_STARTED] = "started",
	[SPOOL_SAMPLE] = "sample",
	[SPOOL_CUDA] = "cuda",
	[SPOOL_NCCL] = "nccl",
	[SPOOL_NCCL_PLAN] = "nccl_plan",
	[SPOOL_GRAPH] = "graph",
	[SPOOL_FOLD] = "fold",
	[SPOOL_KERNEL] = "kernel",
	[SPOOL_COPY] = "copy",
	[SPOOL_GPU_SYNC] = "gpu_sync",
	[SPOOL_OVERHEAD] = "overhead",
};

/* Reads a complete regular file; the caller frees it. */
static char *file_read(const char *path, size_t *size)
{
	FILE *fp = fopen(path, "rb");
	char *data = NULL;
	struct stat st;

	*size = 0;
	if (!fp)
		return NULL;
	if (fstat(fileno(fp), &st) < 0 || !S_ISREG(st.st_mode)) {
		fclose(fp);
		return NULL;
	}
	fseek(fp, 0, SEEK_END);
	*size = (size_t)ftell(fp);
	rewind(fp);
	data = calloc(1, *size + 16);
	if (data && fread(data, 1, *size, fp) != *size)
		*size = 0;
	fclose(fp);
	return data;
}

static void losses_print(const _Atomic uint64_t *lost)
{
	for (int i = 0; i < LOSS_COUNT; i++)
		if (lost[i])
			printf(" lost.%s=%lu", losses[i], (unsigned long)lost[i]);
}

static void gpu_def_print(const struct spool_def *def)
{
	const char *body = (const char *)(def + 1);
	const struct spool_def_device *device = (const void *)body;
	const struct spool_def_stream *stream = (const void *)body;
	const struct spool_def_nccl_comm *comm = (const void *)body;
	int n = (int)def->text;

	switch (def->type) {
	case DEF_DEVICE:
		printf("device %u ordinal=%u kind=%u uuid=", def->id, device->ordinal,
			device->kind);
		for (int i = 0; i < 16; i++)
			printf("%02x", device->uuid[i]);
		printf(" pci=%x:%x:%x sms=%u memory=%lu cc=%u.%u %.*s\n", device->pci_domain,
			device->pci_bus, device->pci_device, device->sms,
			(unsigned long)device->memory, device->major, device->minor, n,
			(const char *)(device + 1));
		break;
	case DEF_STREAM:
		printf("stream %u device=%u context=%u stream=%u flags=%u priority=%d\n", def->id,
			stream->device, stream->context, stream->stream, stream->flags,
			stream->priority);
		break;
	case DEF_KERNEL: printf("kernel %u %.*s\n", def->id, n, body); break;
	case DEF_NCCL_COMM:
		printf("nccl_comm %u hash=%lx rank=%u size=%u device=%d parent=%lx split=%u "
		       "colour=%d %.*s\n",
			def->id, (unsigned long)comm->hash, comm->rank, comm->size,
			(int)comm->device, (unsigned long)comm->parent, comm->split, comm->colour,
			n, (const char *)(comm + 1));
		break;
	default: printf("definition type=%u id=%u\n", def->type, def->id);
	}
}

enum { HANDLES_MOST = 1 << 16 };

/* Handles of the process; printed as if none were like another. */
static struct {
	uint32_t kind;
	char *path;
} handles[HANDLES_MOST];

static void handle_print(const struct spool_def *def)
{
	const struct spool_def_handle *handle = (const void *)(def + 1);
	const struct spool_def_handle_like *other = (const void *)(def + 1);
	bool is_like = def->type == DEF_HANDLE_LIKE;
	uint32_t kind = is_like ? handles[other->like % HANDLES_MOST].kind : handle->kind,
		 id = def->id;
	char path[8192];

	snprintf(path, sizeof(path), "%.*s%.*s", is_like ? (int)other->same : 0,
		is_like ? handles[other->like % HANDLES_MOST].path : "", (int)def->text,
		is_like ? (const char *)(other + 1) : (const char *)(handle + 1));
	printf("handle %u kind=%u ino=%lu %s\n", id, kind,
		(unsigned long)(is_like ? other->ino : handle->ino), path);
	free(handles[id % HANDLES_MOST].path);
	handles[id % HANDLES_MOST].path = strdup(path);
	handles[id % HANDLES_MOST].kind = kind;
}

static void def_print(const struct spool_def *def)
{
	const char *body = (const char *)(def + 1);
	const struct spool_def_process *process = (const void *)body;
	const struct spool_def_end *end = (const void *)body;
	int n = (int)def->text;

	switch (def->type) {
	case DEF_PROCESS:
		printf("process pid=%u rank=%d size=%d is_child=%u parent=%.*s\n", process->pid,
			process->rank, process->size, process->is_child, n,
			(const char *)(process + 1));
		break;
	case DEF_PROPERTY:
		printf("property %s=%.*s\n", body, n - (int)strlen(body) - 1,
			body + strlen(body) + 1);
		break;
	case DEF_NAME: printf("name %u %.*s\n", def->id, n, body); break;
	case DEF_HANDLE:
	case DEF_HANDLE_LIKE: handle_print(def); break;
	case DEF_CLOCK: printf("clock\n"); break;
	case DEF_END: printf("end how=%u status=%d\n", end->how, end->status); break;
	default: gpu_def_print(def);
	}
}

static void definitions_print(const char *data, size_t size)
{
	const char *at = data;

	while (data && at + sizeof(struct spool_def) <= data + size) {
		const struct spool_def *def = (const void *)at;

		if (!def->size) /* of a slot */
			break;
		if (def->size < sizeof(*def) || at + def->size > data + size) {
			printf("torn definition\n");
			break;
		}
		def_print(def);
		at += def->size;
	}
}

static void state_print(const struct spool_state *state)
{
	if (!state)
		return;
	printf("state heartbeat=%d", state->heartbeat != 0);
	if (state->replaced)
		printf(" replaced=1");
	losses_print(state->lost);
	printf("\n");
}

/* Words of calls and activities of GPUs: some are two numbers of 32 bits. */
static void pairs_print(const uint64_t *at, unsigned words)
{
	unsigned type = spool_type(at[0]),
		 npairs = type == SPOOL_CUDA ? 1
		: type == SPOOL_KERNEL	     ? 3
					     : 2;
	unsigned first = type == SPOOL_NCCL ? 4 : 3;

	for (unsigned i = 3; i < words; i++)
		if (i >= first && i < first + npairs)
			printf(" %d|%d", (int)at[i], (int)(at[i] >> 32));
		else
			printf(" %ld", (long)at[i]);
}

/* Region, how, number and object, with bytes; sum, shortest and longest. */
static void kinds_print(const uint64_t *at, unsigned words)
{
	for (const uint64_t *kind = at + 3; kind < at + words; kind += SPOOL_FOLD_WORDS) {
		uint32_t region = fold_is_of(kind);
		bool moves = fold_has_moved(kind);

		printf(" %s:%u|%u %ld",
			region < REGION_COUNT && regions[region] ? regions[region] : "-",
			fold_how(kind), fold_calls(kind),
			moves ? (long)(uint32_t)kind[1] : (long)kind[1]);
		if (moves)
			printf("|%u", fold_bytes(kind));
		printf(" %u:%u:%u", fold_ticks(kind), fold_shortest(kind), fold_longest(kind));
	}
}

static void record_print(const uint64_t *at)
{
	unsigned type = spool_type(at[0]), words = spool_words(at[2]), region = spool_region(at[0]);
	const char *name = type == SPOOL_BEGIN || type == SPOOL_END ? ""
		: region < REGION_COUNT && regions[region]	    ? regions[region]
								    : "-";

	printf("%s depth=%u %s", types[type], spool_depth(at[0]), name);
	if (!*name)
		printf("mark=%u", region);
	printf(" a=%u start=%lu dur=%lu", spool_a(at[0]), (unsigned long)at[1],
		(unsigned long)spool_duration(at[2]));
	if (type == SPOOL_IO)
		printf(" bytes=%lu offset=%lu", (unsigned long)(at[3] & 0xffffff),
			(unsigned long)(at[3] >> 24));
	else if (type == SPOOL_FOLD)
		kinds_print(at, words);
	else if (type >= SPOOL_CUDA && type != SPOOL_OVERHEAD && type != SPOOL_GRAPH)
		pairs_print(at, words);
	else
		for (unsigned i = 3; i < words; i++)
			printf(" %ld", (long)at[i]);
	printf("\n");
}

/* As if each call had a separate record. */
static void brief_print(const uint64_t *at)
{
	struct brief calls = brief_of(at);
	uint64_t call[4];

	while (brief_next(&calls, call))
		record_print(call);
}

static void thread_print(const struct spool_head *head, const uint64_t *at, const uint64_t *end)
{
	const uint64_t *begin = at;

	if (memcmp(head->magic, SPOOL_MAGIC, 8)) {
		printf("thread without head\n");
		return;
	}
	if (head->nregions != REGION_COUNT)
		printf("thread with other tables: %u regions, not %d\n", head->nregions,
			REGION_COUNT);
	printf("%s %u main=%u name=%s", head->kind == SPOOL_KIND_GPU ? "gpu" : "thread",
		head->number, head->is_main, head->name);
	losses_print(head->lost);
	printf("\n");
	while (at < end && at[0]) {
		unsigned type = spool_type(at[0]);
		size_t words = type == SPOOL_PAD ? spool_a(at[0]) / 8 : spool_words(at[2]);

		if (type >= SPOOL_TYPE_COUNT || !words || words > (size_t)(end - at)) {
			printf("torn record at word %zu\n", (size_t)(at - begin));
			break;
		}
		if (type == SPOOL_BRIEF)
			brief_print(at);
		else if (type != SPOOL_PAD)
			record_print(at);
		at += words;
	}
	for (int i = 0; i < SPOOL_MAX_DEPTH; i++)
		if (head->inside[i].region)
			printf("inside depth=%d %s start=%lu arg=%lu\n", i,
				regions[head->inside[i].region],
				(unsigned long)head->inside[i].start,
				(unsigned long)head->inside[i].arg);
}

/* Whether the first thread of a process in a slot continues in a file of its folder. */
static int has_left(const char *folder, const struct slot *slot)
{
	const char *end = folder + strlen(folder);
	char path[4096], magic[8] = "";
	FILE *file;

	for (int dots = 0; end > folder && dots < 2;)
		dots += *--end == '.';
	snprintf(path, sizeof(path), "%.*s.%u.%u/thread.0", (int)(end - folder), folder, slot->pid,
		slot->k);
	file = fopen(path, "r");
	if (file && fread(magic, sizeof(magic), 1, file) != 1)
		magic[0] = '\0';
	if (file)
		fclose(file);
	return memcmp(magic, SPOOL_MAGIC, 8) == 0;
}

static void slots_print(const char *folder, const char *data, size_t size)
{
	const struct slots *file = (const void *)data;

	if (size < SLOTS_HEAD_SIZE || memcmp(file->magic, SLOTS_MAGIC, 8))
		return;
	for (size_t at = SLOTS_HEAD_SIZE; at + SLOT_SIZE <= size; at += SLOT_SIZE) {
		const struct slot *slot = (const void *)(data + at);

		if (memcmp(slot->magic, SPOOL_MAGIC, 8))
			continue;
		printf("slot %u.%u\n", slot->pid, slot->k);
		definitions_print((const char *)slot->definitions, SLOT_DEFINITIONS);
		state_print(&slot->state);
		if (!memcmp(slot->head.magic, SPOOL_MAGIC, 8) && !has_left(folder, slot))
			thread_print(&slot->head, slot->records,
				(const uint64_t *)(const void *)(data + at + SLOT_SIZE));
	}
}

static void file_print(const char *folder, const char *name, const char *data, size_t size)
{
	if (!strcmp(name, "process"))
		definitions_print(data, size);
	else if (!strcmp(name, "state"))
		state_print((const void *)data);
	else if (!strncmp(name, SLOTS_NAME, strlen(SLOTS_NAME)))
		slots_print(folder, data, size);
	else if (strncmp(name, "thread.", 7))
		return;
	else if (size < SPOOL_HEAD_SIZE)
		printf("thread without head\n");
	else
		thread_print((const void *)data, (const void *)(data + SPOOL_HEAD_SIZE),
			(const void *)(data + size));
}

static int files_print(const char *folder)
{
	struct dirent **names;
	char path[4096], *data;
	size_t size;
	int n = scandir(folder, &names, NULL, versionsort);

	if (n < 0) {
		perror(folder);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		data = file_read(path, &size);
		if (data)
			file_print(folder, names[i]->d_name, data, size);
		free(data);
		free(names[i]);
	}
	free(names);
	return 0;
}

int main(int argc, char **argv)
{
	int ret = 0;

	for (int i = 1; i < argc; i++) {
		printf("folder %s\n", argv[i]);
		if (files_print(argv[i]) < 0)
			ret = 1;
	}
	return ret;
}
