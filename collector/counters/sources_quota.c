/*
 * sources_quota.c - how long the process's control group was kept from CPUs by its quota, as batch
 * systems and containers set one; see sources.h. The kernel counts it per group, of all its threads
 * together, and has the threads wait in the run queue meanwhile.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/sys.h"
#include "counters/sources.h"
#include "core/proc_file.h"

#define FIND_NS	    10000000000u /* between two searches for the group that limits the process */
#define FOLDER_SIZE 400

#define KIND(unit, mode) (&(struct metric_kind){ "proc.", "", unit, "", mode })

static struct {
	char folder[FOLDER_SIZE]; /* of the group; "": nothing limits the process */
	bool is_v1;
	uint64_t due_ns;	 /* of the next reading */
	uint64_t mcores;	 /* its quota, in thousandths of a core */
	uint64_t group;		 /* group that `last` counts */
	uint64_t last, reported; /* ns: another group's count continues from `reported` */
} quota;

void quota_forget(void)
{
	memset(&quota, 0, sizeof(quota));
}

static bool file_path(char *path, size_t size, const char *folder, const char *name)
{
	return snprintf(path, size, "%s/%s", folder, name) < (int)size;
}

static bool number_read(const char *folder, const char *name, uint64_t *value)
{
	char path[FOLDER_SIZE + 32];
	const char *at = file_path(path, sizeof(path), folder, name) ? file_text_once(path) : NULL;

	return at && number_take(&at, value);
}

/* What a group allows in thousandths of a core; UINT64_MAX: all there is ("max", -1, or no file). */
static uint64_t limit_read(const char *folder, bool is_v1)
{
	char path[FOLDER_SIZE + 32];
	const char *at;
	uint64_t us = 0, period_us = 0;

	if (is_v1)
		return number_read(folder, "cpu.cfs_quota_us", &us) &&
				number_read(folder, "cpu.cfs_period_us", &period_us) && us &&
				period_us
			? us * 1000 / period_us
			: UINT64_MAX;
	at = file_path(path, sizeof(path), folder, "cpu.max") ? file_text_once(path) : NULL;
	return at && number_take(&at, &us) && number_take(&at, &period_us) && us && period_us
		? us * 1000 / period_us
		: UINT64_MAX;
}

/* The tightest of the limits of a group and those above it, up to `root` characters of its path. */
static void tightest_find(char *folder, size_t root, bool is_v1, uint64_t *least)
{
	for (size_t n = strlen(folder); n >= root; n--) {
		uint64_t limit;

		if (folder[n] != '/' && folder[n])
			continue;
		folder[n] = '\0';
		limit = limit_read(folder, is_v1);
		if (limit >= *least)
			continue;
		*least = quota.mcores = limit;
		quota.is_v1 = is_v1;
		memcpy(quota.folder, folder, n + 1);
	}
}

/* Whether `name` is one of the `len` characters of a list that is separated by commas. */
static bool lists(const char *list, size_t len, const char *name)
{
	size_t n = strlen(name);

	for (size_t at = 0; at + n <= len; at += strcspn(list + at, ",:") + 1)
		if (!strncmp(list + at, name, n) && (at + n == len || list[at + n] == ','))
			return true;
	return false;
}

/* "<number>:<controllers>:<path>" of a line; the second is empty with version 2. */
static void group_look(const char *line, uint64_t *least)
{
	static const char base[] = "/sys/fs/cgroup";
	const char *list = line + strcspn(line, ":\n") + 1, *path;
	char folder[FOLDER_SIZE];
	bool is_v1;
	int root, n;
	size_t len;

	if (list[-1] != ':' || list[len = strcspn(list, ":\n")] != ':')
		return;
	is_v1 = len > 0;
	if (is_v1 && !lists(list, len, "cpu"))
		return;
	path = list + len + 1;
	/* where all controllers of version 1 are together a link leads from "cpu" to them */
	root = snprintf(folder, sizeof(folder), "%s%s", base, is_v1 ? "/cpu" : "");
	n = snprintf(folder + root, sizeof(folder) - (size_t)root, "%.*s", (int)strcspn(path, "\n"),
		path);
	if (n >= (int)sizeof(folder) - root)
		return;
	while (n > 0 && folder[root + n - 1] == '/')
		folder[root + --n] = '\0';
	tightest_find(folder, (size_t)root, is_v1, least);
}

static void group_find(const char *path)
{
	static char lines[2048];
	uint64_t now = clock_monotonic_ns(), least = UINT64_MAX;
	const char *text;

	if (now < quota.due_ns)
		return;
	quota.due_ns = now + FIND_NS;
	quota.folder[0] = '\0';
	text = file_text_once(path);
	if (!text)
		return;
	snprintf(lines, sizeof(lines), "%s", text); /* the next file takes the place of this one */
	for (const char *line = lines; *line; line = line_next(line))
		group_look(line, &least);
}

void process_quota_read(const struct counter *source, struct sample_set *set)
{
	char path[FOLDER_SIZE + 32];
	uint64_t value, group;
	const char *text, *at;

	group_find(source->path);
	if (!*quota.folder || !file_path(path, sizeof(path), quota.folder, "cpu.stat"))
		return;
	text = file_text(path);
	at = text ? line_find(text, quota.is_v1 ? "throttled_time " : "throttled_usec ") : NULL;
	if (!at || !number_take(&at, &value))
		return;
	value *= quota.is_v1 ? 1 : 1000;
	group = file_identity(path);
	if (group == quota.group && value > quota.last)
		quota.reported += value - quota.last;
	quota.group = group;
	quota.last = value;
	set_add(set, KIND("ns", METRIC_ACCUMULATED), "throttled", 9, quota.reported);
	set_add(set, KIND("1/1000 cores", METRIC_GAUGE), "quota", 5, quota.mcores);
	set_add(set, KIND("1", METRIC_GAUGE), "quota_group", 11, group);
}
