/*
 * target.c - libFuzzer target: an input is unpacked into the files that tacho
 * would read (tests/fuzz/pack.py tells the format), and these are analysed or
 * merged in this process. TACHO_FUZZ=archive|run chooses.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze_job.h"
#include "log.h"
#include "merge.h"
#include "otf2_out.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NAMES = 8, HEAD = 4 };

/* Files by number, as in pack.py. */
static const struct target {
	const char *name, *folders[4], *files[NAMES];
} targets[] = {
	{ "archive", { "traces" }, { "traces.otf2", "traces.def", "traces/0.def", "traces/0.evt", "traces/1.def",
		"traces/1.evt", "traces/2.evt", "traces/3.evt" } },
	{ "run", { "spool", "spool/n.10.0", "spool/n.11.0" }, { "run.properties", "spool/n.10.0/process",
		"spool/n.10.0/state", "spool/n.10.0/thread.0", "spool/n.10.0/thread.1", "spool/n.11.0/process",
		"spool/n.11.0/state", "spool/n.11.0/thread.0" } },
};

static const struct target *target = &targets[0];
static char top[128];

static void scene_end(void)
{
	folder_remove(top);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *wanted = getenv("TACHO_FUZZ");

	(void)argc, (void)argv;
	for (size_t i = 0; wanted && i < sizeof(targets) / sizeof(targets[0]); i++)
		if (strcmp(targets[i].name, wanted) == 0)
			target = &targets[i];
	snprintf(top, sizeof(top), "%s/%d", getenv("TACHO_FUZZ_DIR") ? getenv("TACHO_FUZZ_DIR") : "/tmp", (int)getpid());
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
		size_t length = (size_t)data[1] | (size_t)data[2] << 8 | (size_t)data[3] << 16;
		const char *name = target->files[data[0] % NAMES];

		data += HEAD;
		size -= HEAD;
		length = length < size ? length : size;
		file_write(name, data, length);
		data += length;
		size -= length;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct analyze_options options = { 0 };
	char anchor[256], database[256];

	scene_write(data, size);
	snprintf(anchor, sizeof(anchor), "%s/traces.otf2", top);
	snprintf(database, sizeof(database), "%s/db", top);
	if (target == &targets[0])
		analyze_archive(&(struct analyze_job){ .run = anchor, .options = &options, .anchor = anchor,
			.database = database });
	else
		merge_run(top, &(struct merge_options){ .force = true, .jobs = 1 });
	return 0;
}
