/*
 * cuda_raw.c - gives buffers that a GPU's CUPTI wrote (tests/data/cupti13) to the collector's own
 * reading of them, cuda_buffer.c and cuda_decode.c:
 *	cuda_raw read FILE [LIBCUPTI]	what came of each record, a line each (tests/cupti_raw.py
 *					reads them); the walk is our own, or that of a libcupti
 *	cuda_raw damage FILE ROUNDS	with bytes changed or cut: it must not crash
 * Each buffer lies in a block of just its size, so that a sanitizer sees one byte too many.
 */
#include "config.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/define.h"
#include "core/thread.h"
#include "cuda/cuda_callbacks.h"

enum { BUFFER_MOST = 64 << 10, KINDS = 64, NAMES = 64, ARENA_WORDS = 64 << 10 };

/* Bytes of CUDA 13.0's records, from its headers. */
static const uint16_t sizes[KINDS] = {
	[1] = 96,   /* CUpti_ActivityMemcpy6 */
	[2] = 88,   /* CUpti_ActivityMemset4 */
	[4] = 40,   /* CUpti_ActivityAPI, of the driver */
	[5] = 40,   /* … and of the runtime */
	[8] = 184,  /* CUpti_ActivityDevice5 */
	[9] = 32,   /* CUpti_ActivityContext3 */
	[10] = 216, /* CUpti_ActivityKernel10 */
	[17] = 56,  /* CUpti_ActivityOverhead3 */
	[37] = 24,  /* CUpti_ActivityStream */
	[38] = 56,  /* CUpti_ActivitySynchronization2 */
};

struct cupti tacho_cupti;
struct process tacho_process;
static struct spool_state state;
static unsigned long walked[KINDS];
static bool is_damaged;

/* --- what reading asks the rest of the library --- */

bool tacho_clock_is_tsc;
static uint64_t arena[ARENA_WORDS];
static struct thread spool;

static void spool_empty(void)
{
	memset(arena, 0, sizeof(arena));
	spool.cursor = (uintptr_t)arena;
	spool.end = (uintptr_t)(arena + ARENA_WORDS);
}

struct thread *thread_open_kind(enum spool_kind kind)
{
	return kind == SPOOL_KIND_GPU ? &spool : NULL;
}

/* A buffer's records all find room. */
bool thread_room(struct thread *self, unsigned words)
{
	(void)self, (void)words;
	abort();
}

uint64_t clock_monotonic_ns(void)
{
	return 0;
}

bool cuda_is_on(void)
{
	return true;
}

/* There is no other profiler; but the buffers are not ours, as one's would be. */
bool cuda_was_captured(uint32_t correlation)
{
	(void)correlation;
	return true;
}

void cuda_clock_rate(void)
{
}

uint64_t cuda_ticks(uint64_t time)
{
	return time;
}

bool cuda_is_recorded(uint64_t start, uint64_t end)
{
	(void)start, (void)end;
	return true;
}

/* Calls are not asked for. */
unsigned cuda_launch_by_record(int domain, uint32_t number, uint64_t start)
{
	(void)domain, (void)number, (void)start;
	return REGION_NONE;
}

/* Names were in the memory of the traced process: only their addresses are left. */
uint32_t cuda_kernel_number(const char *name)
{
	static const char *names[NAMES];

	for (uint32_t i = 0; name && i < NAMES; i++) {
		if (!names[i])
			names[i] = name;
		if (names[i] == name)
			return i + 1;
	}
	return 0;
}

uint32_t process_allot(unsigned type)
{
	(void)type;
	return 1;
}

int process_define(const struct def *def)
{
	const struct spool_def_stream *s = def->body;

	if (!is_damaged)
		printf("stream %" PRIu32 " context %" PRIu32 " flags %" PRIu32 " priority %" PRId32
		       "\n",
			s->stream, s->context, s->flags, s->priority);
	return 0;
}

/* --- CUPTI --- */

static int dropped_none(void *context, uint32_t stream, size_t *n)
{
	(void)context, (void)stream;
	*n = 0;
	return CUPTI_OK;
}

static uint32_t kind_of(const uint8_t *record)
{
	uint32_t kind;

	memcpy(&kind, record, sizeof(kind));
	return kind;
}

/* As CUPTI does it: a record that it does not know, or that is not whole, is where reading ends. */
static int record_next(uint8_t *buffer, size_t valid, void **record)
{
	uint8_t *next = buffer, *end = buffer + valid;
	size_t size = 0;

	if (*record)
		next = (uint8_t *)*record + sizes[kind_of(*record)];
	if (next >= end)
		return CUPTI_NO_MORE;
	if ((size_t)(end - next) >= sizeof(uint32_t) && kind_of(next) < KINDS)
		size = sizes[kind_of(next)];
	if (!size || (size_t)(end - next) < size)
		return CUPTI_INVALID_KIND;
	*record = next;
	return CUPTI_OK;
}

static int (*next_of_library)(uint8_t *buffer, size_t valid, void **record);

static int record_next_counted(uint8_t *buffer, size_t valid, void **record)
{
	int ret = (next_of_library ? next_of_library : record_next)(buffer, valid, record);

	if (ret == CUPTI_OK && kind_of(*record) < KINDS)
		walked[kind_of(*record)]++;
	return ret;
}

/* --- files of tests/gpu/raw.c: the size of a buffer, and the buffer --- */

static uint8_t *buffer_next(FILE *file, uint64_t *size)
{
	uint8_t *buffer;

	if (fread(size, sizeof(*size), 1, file) != 1)
		return NULL;
	buffer = *size && *size <= BUFFER_MOST ? malloc(*size) : NULL;
	if (!buffer || fread(buffer, 1, *size, file) != *size) {
		fprintf(stderr, "cuda_raw: not such a file, or it is cut\n");
		exit(1);
	}
	return buffer;
}

static void records_print(void)
{
	static const char *const types[SPOOL_TYPE_COUNT] = { [SPOOL_KERNEL] = "kernel",
		[SPOOL_COPY] = "copy",
		[SPOOL_GPU_SYNC] = "sync",
		[SPOOL_OVERHEAD] = "overhead" };
	const uint64_t *at = arena;

	for (; spool_type(*at); at += spool_words(at[2])) {
		printf("%s a %" PRIu32 " start %" PRIu64 " ns %" PRIu64, types[spool_type(*at)],
			spool_a(*at), at[1], spool_duration(at[2]));
		for (unsigned i = 3; i < spool_words(at[2]); i++)
			printf(" w%u %" PRIu64, i, at[i]);
		printf("\n");
	}
}

static int read_file(FILE *file)
{
	uint64_t size;
	uint8_t *buffer;

	while ((buffer = buffer_next(file, &size))) {
		spool_empty();
		cuda_buffer_look(buffer, size);
		records_print();
		free(buffer);
	}
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (walked[kind])
			printf("kind %u bytes %u records %lu\n", kind, sizes[kind], walked[kind]);
	for (unsigned i = 0; i < LOSS_COUNT; i++)
		if (state.lost[i])
			printf("lost %u records %" PRIu64 "\n", i, (uint64_t)state.lost[i]);
	return 0;
}

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static size_t damage(uint8_t *buffer, size_t size, uint64_t *seed)
{
	static const uint8_t bytes[] = { 0, 0xff, 0x7f, 0x80, 1, 10, 38, 22 };
	unsigned changes = random_next(seed) % 16;

	if (random_next(seed) % 2)
		size = random_next(seed) % size;
	while (size && changes--)
		buffer[random_next(seed) % size] = bytes[random_next(seed) % sizeof(bytes)];
	return size;
}

/* Besides the walk: calls with places where no record begins. */
static void decode_anywhere(const uint8_t *buffer, size_t size, uint64_t *seed)
{
	for (int i = 0; size && i < 64; i++) {
		size_t at = random_next(seed) % size;
		struct gpu_record record;

		cuda_is_incomplete(buffer + at, size - at);
		cuda_decode(buffer + at, size - at, &record);
	}
}

static int damage_file(FILE *file, unsigned long rounds)
{
	uint64_t seed = 0x7ac40, size;
	uint8_t *whole;

	is_damaged = true;
	while ((whole = buffer_next(file, &size))) {
		for (unsigned long i = 0; i < rounds; i++) {
			uint8_t *copy = malloc(size), *cut;
			size_t left;

			memcpy(copy, whole, size);
			left = damage(copy, size, &seed);
			cut = malloc(left ? left : 1);
			memcpy(cut, copy, left);
			free(copy);
			spool_empty();
			cuda_buffer_look(cut, left);
			decode_anywhere(cut, left, &seed);
			free(cut);
		}
		free(whole);
	}
	return 0;
}

static uint8_t *given(void)
{
	size_t size, most;
	uint8_t *buffer;

	cuda_buffer_give(&buffer, &size, &most);
	for (size_t i = 0; buffer && i < size; i += 64)
		if (buffer[i])
			return NULL; /* CUPTI was promised zeroes */
	return buffer;
}

/*
 * Whether CUPTI gets what it can write to when it holds all that it may, where a refusal would crash it,
 * and whether what it wrote there is counted.
 */
static int reach_limit(FILE *file)
{
	static uint8_t *held[1 << 16];
	unsigned n = 0, nspares = 0;
	uint8_t *records, *spare;
	uint64_t size;

	spool_empty();
	tacho_cupti.version = CUPTI_VERSION_REFUSALS;
	while (n < sizeof(held) / sizeof(*held) && (held[n] = given()))
		n++;
	tacho_cupti.version = CUPTI_VERSION_REFUSALS - 1;
	while (nspares < 1000 && (spare = given()))
		nspares++;
	printf("held %u spare %u\n", n, nspares);
	records = buffer_next(file, &size);
	if (!records || !spare)
		return 1;
	memcpy(spare, records, 2000);
	for (unsigned i = 0; i < nspares; i++)
		cuda_buffer_take_back(NULL, 0, spare, i ? 0 : 2000);
	printf("lost %" PRIu64 " recorded %d back %d\n", (uint64_t)state.lost[LOSS_GPU_DROPPED],
		spool.cursor != (uintptr_t)arena, cuda_buffers_are_back());
	while (n)
		cuda_buffer_take_back(NULL, 0, held[--n], 0);
	printf("back %d ", cuda_buffers_are_back());
	printf("again %d\n", given() == held[0]);
	free(records);
	return 0;
}

/* 0 where there is none, or it lacks the function. */
static bool library_open(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *symbol = library ? dlsym(library, "cuptiActivityGetNextRecord") : NULL;

	memcpy(&next_of_library, &symbol, sizeof(symbol));
	return symbol;
}

int main(int argc, char **argv)
{
	FILE *file = argc > 2 ? fopen(argv[2], "r") : NULL;
	int ret = 2;

	tacho_cupti.version = 130001;
	tacho_cupti.ActivityGetNextRecord = record_next_counted;
	tacho_cupti.ActivityGetNumDroppedRecords = dropped_none;
	tacho_process.state = &state;
	/* a callback reports it before anything of the context is delivered */
	cuda_context_created(&tacho_process, 1, 0);
	if (!file)
		fprintf(stderr,
			"usage: cuda_raw read FILE [LIBCUPTI] | damage FILE ROUNDS | limit FILE\n");
	else if (!strcmp(argv[1], "read") && argc > 3 && !library_open(argv[3]))
		fprintf(stderr, "cuda_raw: %s cannot be loaded\n", argv[3]);
	else if (!strcmp(argv[1], "read"))
		ret = read_file(file);
	else if (!strcmp(argv[1], "limit"))
		ret = reach_limit(file);
	else
		ret = damage_file(file, argc > 3 ? strtoul(argv[3], NULL, 10) : 1);
	if (file)
		fclose(file);
	return ret;
}
