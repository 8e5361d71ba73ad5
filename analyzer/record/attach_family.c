/* attach_family.c - see attach_family.h. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "record/attach_family.h"

#define TEXT_MOST (1 << 20)
#define DEEPEST	  64 /* generations from a named process to one that is found */

/* By any of these a launcher gives a process its place. */
static const char *const rank_variables[] = { "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
	"PMI_RANK", "PMIX_RANK", "RANK", "SLURM_PROCID" };
#define NVARIABLES (sizeof(rank_variables) / sizeof(*rank_variables))

static const char *const starters[] = {
#define PROGRAM(pattern) pattern,
#define SCRIPT(pattern)
#include "tacho/starters.def"
#undef PROGRAM
#undef SCRIPT
};

static const char *const scripts[] = {
#define PROGRAM(pattern)
#define SCRIPT(pattern) pattern,
#include "tacho/starters.def"
#undef PROGRAM
#undef SCRIPT
};

static char text[TEXT_MOST];

/* Reads a file of /proc/PID into `text`, terminated twice; how many bytes. */
static size_t proc_read(pid_t pid, const char *name)
{
	char path[64];
	size_t done = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && done < sizeof(text) - 2 &&
		(n = read(fd, text + done, sizeof(text) - 2 - done)) > 0)
		done += (size_t)n;
	if (fd >= 0)
		close(fd);
	text[done] = text[done + 1] = '\0';
	return done;
}

/* 0: there is none, or it is over. */
static pid_t parent_of(pid_t pid)
{
	char *at, state;
	int parent = 0;

	if (!proc_read(pid, "stat") || !(at = strrchr(text, ')')) ||
		sscanf(at + 1, " %c %d", &state, &parent) != 2 || state == 'Z' || state == 'X')
		return 0;
	return (pid_t)parent;
}

struct rank_variables {
	char rank[NVARIABLES][16];
	bool has_rank;
};

static struct rank_variables place_of(pid_t pid)
{
	struct rank_variables place = { 0 };
	size_t n = proc_read(pid, "environ");

	for (char *at = text; at < text + n; at += strlen(at) + 1)
		for (size_t i = 0; i < NVARIABLES; i++) {
			size_t length = strlen(rank_variables[i]);

			if (strncmp(at, rank_variables[i], length) || at[length] != '=')
				continue;
			snprintf(place.rank[i], sizeof(place.rank[i]), "%s", at + length + 1);
			place.has_rank = true;
		}
	return place;
}

static bool fits(const char *name, const char *const *patterns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#define FITS(name, patterns) fits(name, patterns, sizeof(patterns) / sizeof(*(patterns)))

/* Whether it only starts others, itself or as a script that an interpreter runs. */
static bool is_starter(pid_t pid)
{
	char link[64], path[PATH_MAX];
	const char *at;
	size_t size;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	if (FITS(name_of(path), starters))
		return true;
	size = proc_read(pid, "cmdline");
	at = text;
	do {
		at += strlen(at) + 1;
	} while (at < text + size && *at == '-');
	return at < text + size && (FITS(name_of(at), scripts) || FITS(name_of(at), starters));
}

static struct family_member *member_find(const struct family *family, pid_t pid)
{
	for (int i = 0; i < family->n; i++)
		if (family->at[i].pid == pid)
			return &family->at[i];
	return NULL;
}

static void member_add(struct family *family, const struct family_member *member)
{
	if (family->n == family->room) {
		int room = family->room ? 2 * family->room : 64;
		struct family_member *at = reallocarray(family->at, (size_t)room, sizeof(*at));

		if (!at)
			return;
		family->at = at;
		family->room = room;
	}
	family->at[family->n++] = *member;
}

void family_begin(struct family *family, const pid_t *pids, int npids)
{
	bool has_rank = false;

	for (int i = 0; i < npids; i++)
		has_rank |= place_of(pids[i]).has_rank;
	for (int i = 0; i < npids; i++)
		if (!member_find(family, pids[i]))
			member_add(family,
				&(struct family_member){ .pid = pids[i],
					.number = has_rank || is_starter(pids[i]) ? -1 : i,
					.is_named = true,
					.starts = is_starter(pids[i]) });
}

/* The nearest ancestor that is known; NULL: it descends from none. */
static struct family_member *ancestor_of(const struct family *family, pid_t pid)
{
	for (int i = 0; i < DEEPEST && (pid = parent_of(pid)) > 1; i++) {
		struct family_member *member = member_find(family, pid);

		if (member)
			return member;
	}
	return NULL;
}

static void descendant_add(struct family *family, pid_t pid, const struct family_member *from)
{
	struct family_member member = { .pid = pid,
		.number = from->number,
		.starts = is_starter(pid) };
	struct rank_variables own = place_of(pid), other = place_of(from->pid);

	/* a launcher gives its processes other places than its own, or any at all */
	if (memcmp(&own, &other, sizeof(own)) == 0)
		member.parent = from->starts ? from->parent : from->pid;
	member_add(family, &member);
}

void family_look(struct family *family)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		const struct family_member *from;

		if (pid > 0 && !member_find(family, pid) && (from = ancestor_of(family, pid)))
			descendant_add(family, pid, from);
	}
	if (dir)
		closedir(dir);
}

bool family_lives(const struct family *family)
{
	for (int i = 0; i < family->n; i++)
		if (family->at[i].is_named && parent_of(family->at[i].pid))
			return true;
	return false;
}

void family_free(struct family *family)
{
	free(family->at);
}
