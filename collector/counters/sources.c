/* sources.c - the counters of CPU, memory and process; see sources.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/sys.h"
#include "core/task.h"
#include "counters/sources.h"
#include "core/thread.h"
#include "core/proc_file.h"

#define TICK_NS 10000000u /* USER_HZ is 100 on every Linux that users see */

enum { READ_TRIES = 8 }; /* after 10 µs, 20 µs, …: a writer that waits for a core comes back */

#define KIND(prefix, unit, mode) (&(struct metric_kind){ prefix, "", unit, "", mode })

/* <prefix><key><suffix> in `name`; a long key is truncated, the suffix is not. */
static size_t name_build(char name[SOURCE_NAME_SIZE], const struct metric_kind *kind,
	const char *key, size_t nkey)
{
	size_t nprefix = strlen(kind->prefix), nsuffix = strlen(kind->suffix);

	if (nprefix + nkey + nsuffix >= SOURCE_NAME_SIZE)
		nkey = SOURCE_NAME_SIZE - 1 - nprefix - nsuffix;
	memcpy(name, kind->prefix, nprefix);
	memcpy(name + nprefix, key, nkey);
	memcpy(name + nprefix + nkey, kind->suffix, nsuffix + 1);
	return nprefix + nkey + nsuffix;
}

void set_add(struct sample_set *set, const struct metric_kind *kind, const char *key, size_t nkey,
	uint64_t value)
{
	unsigned i = set->count;
	size_t nname;

	if (i == SOURCE_MAX_METRICS)
		return;
	nname = name_build(set->name[i], kind, key, nkey);
	for (unsigned same = 0; same < i; same++)
		if (!strcmp(set->name[same], set->name[i])) {
			set->value[same] += value;
			return;
		}
	set->hash = hash_bytes(set->hash, set->name[i], nname + 1);
	set->hash = hash_bytes(set->hash, kind->description, strlen(kind->description) + 1);
	set->value[i] = value;
	set->unit[i] = kind->unit;
	set->description[i] = kind->description;
	set->mode[i] = kind->mode;
	set->count++;
}

void cpu_read(const struct counter *source, struct sample_set *set)
{
	static const char *const names[] = { "user", "nice", "system", "idle", "iowait", "irq",
		"softirq", "steal" };
	const char *text = file_text(source->path), *at = text ? line_find(text, "cpu ") : NULL;
	uint64_t ticks;

	for (size_t i = 0; at && i < sizeof(names) / sizeof(*names) && number_take(&at, &ticks);
		i++)
		set_add(set, KIND("cpu.", "ns", METRIC_ACCUMULATED), names[i], strlen(names[i]),
			ticks * TICK_NS);
}

void memory_read(const struct counter *source, struct sample_set *set)
{
	static const struct {
		const char *key, *name;
	} members[] = {
		{ "MemAvailable:", "available" },
		{ "Cached:", "cached" },
		{ "Dirty:", "dirty" },
		{ "Writeback:", "writeback" },
	};
	const char *text = file_text(source->path), *at;
	uint64_t kib;

	for (size_t i = 0; text && i < sizeof(members) / sizeof(*members); i++)
		if ((at = line_find(text, members[i].key)) && number_take(&at, &kib))
			set_add(set, KIND("mem.", "bytes", METRIC_GAUGE), members[i].name,
				strlen(members[i].name), kib * 1024);
}

void pressure_read(const struct counter *source, struct sample_set *set)
{
	const char *resource = strrchr(source->path, '/') + 1;
	const char *text = file_text(source->path), *at = text ? line_find(text, "some ") : NULL,
		   *word;
	uint64_t us;
	size_t len;

	while (at && word_take(&at, &word, &len)) {
		if (len < 7 || memcmp(word, "total=", 6))
			continue;
		word += 6;
		if (number_take(&word, &us))
			set_add(set, KIND("pressure.", "ns", METRIC_ACCUMULATED), resource,
				strlen(resource), us * 1000);
	}
}

/* The file's text as it was when the library had moved so many bytes; NULL: `is_busy`, or no such file. */
static const char *text_between_writes(const char *path, struct own_bytes *own, bool *is_busy)
{
	struct timespec wait = { .tv_nsec = 10000 };

	for (int i = 0; i < READ_TRIES; i++) {
		bool quiet = own_bytes_get(own);
		const char *text = file_text(path);
		struct own_bytes after;

		if (!text || (own_bytes_get(&after) && quiet && after.spool == own->spool))
			return text;
		syscall(SYS_nanosleep, &wait, NULL);
		wait.tv_nsec *= 2;
	}
	*is_busy = true;
	return NULL;
}

enum { RCHAR, WCHAR, READ_BYTES, WRITE_BYTES };

/* A value of the account without the sources' own reads; with a task's writes, if it is one. */
static uint64_t io_value(int key, uint64_t value, const struct own_bytes *own)
{
	if (key == RCHAR && value > own->sources)
		return value - own->sources;
	if (key == WCHAR || (key == WRITE_BYTES && tacho_spool_is_stored))
		return value + tacho_task.written;
	return value;
}

void process_io_read(const struct counter *source, struct sample_set *set)
{
	static const char *const keys[] = { [RCHAR] = "rchar:",
		[WCHAR] = "wchar:",
		[READ_BYTES] = "read_bytes:",
		[WRITE_BYTES] = "write_bytes:" };
	struct own_bytes own;
	const char *text = text_between_writes(source->path, &own, &set->is_busy), *at;
	uint64_t value;

	for (size_t i = 0; text && i < sizeof(keys) / sizeof(*keys); i++)
		if ((at = line_find(text, keys[i])) && number_take(&at, &value))
			set_add(set, KIND("proc.", "bytes", METRIC_ACCUMULATED), keys[i],
				strlen(keys[i]) - 1, io_value((int)i, value, &own));
	if (!set->count)
		return;
	set_add(set, KIND("proc.", "bytes", METRIC_ACCUMULATED), "own_written", 11, own.spool);
	set_add(set, KIND("proc.", "bytes", METRIC_ACCUMULATED), "own_stored", 10,
		tacho_spool_is_stored ? own.spool : 0);
}

uint64_t tacho_source_threads;

/*
 * "pid (name) state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime
 * cutime cstime priority nice threads itrealvalue starttime vsize rss …": the name may hold
 * anything. The times are of all threads, ended ones included; rss is in pages.
 */
void process_stat_read(const struct counter *source, struct sample_set *set)
{
	const char *text = file_text(source->path), *at = text ? strrchr(text, ')') : NULL;
	uint64_t minor, faults, user, system, pages;

	if (!at || !at++ || !words_skip(&at, 7) || !number_take(&at, &minor) ||
		!words_skip(&at, 1) || !number_take(&at, &faults))
		return;
	set_add(set, KIND("proc.", "1", METRIC_ACCUMULATED), "majflt", 6, faults);
	set_add(set, KIND("proc.", "1", METRIC_ACCUMULATED), "minflt", 6, minor);
	if (words_skip(&at, 1) && number_take(&at, &user) && number_take(&at, &system))
		set_add(set, KIND("proc.", "ns", METRIC_ACCUMULATED), "cpu", 3,
			(user + system) * TICK_NS);
	if (!words_skip(&at, 4) || !number_take(&at, &tacho_source_threads))
		tacho_source_threads = 0;
	else if (words_skip(&at, 3) && number_take(&at, &pages))
		set_add(set, KIND("proc.", "bytes", METRIC_GAUGE), "rss", 3,
			pages * (uint64_t)sysconf(_SC_PAGESIZE));
}

/*
 * Core times reported so far, and their thread: `ran` and `waited` are added to that thread's. A
 * thread that becomes the main one brings its earlier time.
 */
static struct {
	uint32_t thread;
	uint64_t sum_ran, sum_waited, ran, waited;
} core;

/* All 0: the kernel keeps no such account. */
void process_core_read(const struct counter *source, struct sample_set *set)
{
	uint32_t thread = atomic_load(&tacho_main_thread);
	uint64_t ran, waited;
	char path[64];
	const char *at;

	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", thread);
	at = file_text(thread ? path : source->path);
	if (!at || !number_take(&at, &ran) || !number_take(&at, &waited) || !ran)
		return;
	if (thread != core.thread) {
		core.thread = thread;
		core.ran = core.sum_ran > ran ? core.sum_ran - ran : 0;
		core.waited = core.sum_waited > waited ? core.sum_waited - waited : 0;
	}
	core.sum_ran = core.ran + ran;
	core.sum_waited = core.waited + waited;
	set_add(set, KIND("proc.", "ns", METRIC_ACCUMULATED), "core_ran", 8, core.sum_ran);
	set_add(set, KIND("proc.", "ns", METRIC_ACCUMULATED), "core_waited", 11, core.sum_waited);
}

void source_read(const struct counter *source, struct sample_set *set)
{
	int saved = errno;

	set->count = 0;
	set->is_busy = false;
	set->hash = HASH_START;
	source->read(source, set);
	errno = saved;
}

void core_forget(void)
{
	tacho_source_threads = 0;
	memset(&core, 0, sizeof(core));
}
