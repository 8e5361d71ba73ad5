/*
 * target.c - libFuzzer target: an input is unpacked into the files that tacho
 * would read (tests/fuzz/pack.py defines the format), and these are analysed or
 * merged in this process. TACHO_FUZZ=archive|run chooses; every fourth length is a summary.
 * Mutations stay inside one file and mostly spare the first, the anchor: with a damaged one nothing
 * after it is reached, and libotf2 allocates for every property it claims.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/analyze_job.h"
#include "base/log.h"
#include "merge/merge.h"
#include "otf2/otf2_out.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

enum { NAMES = 12, HEAD = 4, BLIND_IN = 32, GROWTH = 64 };

/* Files by number, as in pack.py. */
static const struct target {
	const char *name, *folders[4];
	size_t nfiles;
	const char *files[NAMES];
} targets[] = {
	{ "archive", { "traces" }, 12,
		{ "traces.otf2", "traces.def", "traces/0.def", "traces/0.evt", "traces/1.def",
			"traces/1.evt", "traces/2.evt", "traces/3.evt", "traces/1000.def",
			"traces/1000.evt", "traces/1001.def", "traces/1001.evt" } },
	{ "run", { "spool", "spool/n.10.0", "spool/n.11.0" }, 12,
		{ "run.properties", "spool/n.10.0/process", "spool/n.10.0/state",
			"spool/n.10.0/thread.0", "spool/n.10.0/thread.1", "spool/n.11.0/process",
			"spool/n.11.0/state", "spool/n.11.0/thread.0", "spool/n.10.0/totals.0",
			"spool/n.10.0/kept.0", "spool/n.11.0/totals.0", "spool/n.11.0/kept.0" } },
};

static const struct target *target = &targets[0];
static char top[128];

static void scene_end(void)
{
	folder_remove(top);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *wanted = getenv("TACHO_FUZZ"), *folder = getenv("TACHO_FUZZ_DIR");

	(void)argc, (void)argv;
	for (size_t i = 0; wanted && i < sizeof(targets) / sizeof(targets[0]); i++)
		if (strcmp(targets[i].name, wanted) == 0)
			target = &targets[i];
	snprintf(top, sizeof(top), "%s/%d", folder ? folder : "/tmp", (int)getpid());
	atexit(scene_end);
	log_level = LOG_QUIET;
	return 0;
}

static void file_write(const char *name, const uint8_t *data, size_t size)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	file = fopen(path, "w");
	if (!file)
		abort();
	fwrite(data, 1, size, file);
	fclose(file);
}

static size_t length_of(const uint8_t *head, size_t left)
{
	size_t length = (size_t)head[1] | (size_t)head[2] << 8 | (size_t)head[3] << 16;

	return length < left - HEAD ? length : left - HEAD;
}

static void scene_write(const uint8_t *data, size_t size)
{
	char path[256];

	folder_remove(top);
	mkdir(top, 0700);
	for (int i = 0; target->folders[i]; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, target->folders[i]);
		mkdir(path, 0700);
	}
	while (size >= HEAD) {
		size_t length = length_of(data, size);
		const char *name = target->files[data[0] % target->nfiles];

		data += HEAD;
		size -= HEAD;
		file_write(name, data, length);
		data += length;
		size -= length;
	}
}

/* Where the file number `skip` (round and round) begins; the anchor does not count. */
static size_t file_choose(const uint8_t *data, size_t size, unsigned skip)
{
	size_t starts[NAMES], n = 0;

	for (size_t at = 0; at + HEAD <= size && n < NAMES;
		at += HEAD + length_of(data + at, size - at))
		if (data[at] % target->nfiles)
			starts[n++] = at;
	return n ? starts[skip % n] : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t at = file_choose(data, size, seed / BLIND_IN), length, behind, grown;
	uint8_t *tail;

	if (seed % BLIND_IN == 0 || size < at + HEAD)
		return LLVMFuzzerMutate(data, size, max);
	length = length_of(data + at, size - at);
	behind = size - at - HEAD - length;
	tail = malloc(behind + 1);
	if (!tail)
		return size;
	memcpy(tail, data + at + HEAD + length, behind);
	grown = length + (max - size < GROWTH ? max - size : GROWTH);
	length = LLVMFuzzerMutate(data + at + HEAD, length, grown ? grown : 1);
	for (int i = 1; i < HEAD; i++)
		data[at + (size_t)i] = (uint8_t)(length >> (8 * (i - 1)));
	memcpy(data + at + HEAD + length, tail, behind);
	free(tail);
	return at + HEAD + length + behind;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct analyze_options whole = { 0 }, summary = { .summary = true };
	char anchor[256], database[256];

	scene_write(data, size);
	snprintf(anchor, sizeof(anchor), "%s/traces.otf2", top);
	snprintf(database, sizeof(database), "%s/db", top);
	if (target == &targets[0])
		analyze_archive(&(struct analyze_job){ .run = anchor,
			.options = size % 4 ? &whole : &summary,
			.anchor = anchor,
			.database = database });
	else
		merge_run(top,
			&(struct merge_options){ .force = true, .jobs = 1, .unguarded = true });
	return 0;
}
