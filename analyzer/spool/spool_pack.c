/* spool_pack.c - see spool_pack.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/containers.h"
#include "base/rundir.h"
#include "spool/spool_pack.h"
#include "tacho/spool.h"

#define OPEN_MOST  16u /* packs that stay open: places are read node by node */
#define NAMES_MOST (UINT64_C(1) << 30)

struct pack_entry {
	char *name; /* "<folder>/<file>" */
	uint64_t at, size;
	size_t nth;
};

struct pack_making {
	char *path;
	int fd;
	uint64_t size;			     /* bytes, when it was read */
	ARRAY_OF(struct pack_entry) entries; /* by name */
};

static struct pack_making packs[OPEN_MOST];
static unsigned next_pack;

bool spool_pack_is(const char *name)
{
	size_t length = strlen(name), end = strlen(PACK_END);

	return length > end && strcmp(name + length - end, PACK_END) == 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct pack_entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->nth > y->nth) - (x->nth < y->nth);
}

static void pack_close(struct pack_making *pack)
{
	if (!pack->path)
		return;
	for (size_t i = 0; i < pack->entries.n; i++)
		free(pack->entries.at[i].name);
	free(pack->entries.at);
	free(pack->path);
	if (pack->fd >= 0)
		close(pack->fd);
	*pack = (struct pack_making){ 0 };
}

/* The head of a part at an offset, when that part is whole. */
static bool part_read(int fd, uint64_t at, uint64_t end, struct pack_part *part)
{
	return pread(fd, part, sizeof(*part), (off_t)at) == sizeof(*part) &&
		memcmp(part->magic, PACK_MAGIC, sizeof(part->magic)) == 0 &&
		part->version == SPOOL_VERSION && part->size && part->size % PACK_PAGE == 0 &&
		part->size <= end - at && part->names <= NAMES_MOST &&
		sizeof(*part) + part->nfiles * sizeof(struct pack_file) + part->names <= part->size;
}

static uint64_t file_size(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? 0 : (uint64_t)st.st_size;
}

uint64_t spool_pack_end(int fd)
{
	uint64_t at = 0, end = file_size(fd);
	struct pack_part part;

	while (at < end && part_read(fd, at, end, &part))
		at += part.size;
	return at;
}

/* Adds a file of the part at `at`. 0, or -1 without memory; a damaged entry is none. */
static int entry_add(struct pack_making *pack, uint64_t at, const struct pack_part *part,
	const struct pack_file *file, const char *names)
{
	struct pack_entry *entry;

	if (file->at > part->size || file->size > part->size - file->at || file->at % PACK_PAGE ||
		file->name >= part->names)
		return 0;
	entry = ARRAY_ADD(&pack->entries);
	if (!entry)
		return -1;
	*entry = (struct pack_entry){ strdup(names + file->name), at + file->at, file->size,
		pack->entries.n };
	if (entry->name)
		return 0;
	pack->entries.n--;
	return -1;
}

static int part_take(struct pack_making *pack, uint64_t at, const struct pack_part *part)
{
	size_t nfiles = part->nfiles * sizeof(struct pack_file), size = nfiles + part->names;
	char *index = malloc(size + 1);
	int ret = -1;

	if (index && pread(pack->fd, index, size, (off_t)(at + sizeof(*part))) == (ssize_t)size) {
		index[size] = '\0';
		ret = 0;
		for (uint32_t i = 0; ret == 0 && i < part->nfiles; i++)
			ret = entry_add(pack, at, part, (struct pack_file *)(void *)index + i,
				index + nfiles);
	}
	free(index);
	return ret;
}

/* Of files that were brought twice the last one counts. */
static void entries_sort(struct pack_making *pack)
{
	size_t n = 0;

	if (pack->entries.n > 1)
		qsort(pack->entries.at, pack->entries.n, sizeof(struct pack_entry),
			compare_entries);
	for (size_t i = 0; i < pack->entries.n; i++) {
		if (n && strcmp(pack->entries.at[n - 1].name, pack->entries.at[i].name) == 0)
			free(pack->entries.at[--n].name);
		pack->entries.at[n++] = pack->entries.at[i];
	}
	pack->entries.n = n;
}

/* 0, or -1: it cannot be read, or without memory. */
static int pack_read(struct pack_making *pack, const char *path, size_t length)
{
	struct pack_part part;

	pack->path = strndup(path, length);
	pack->fd = pack->path ? run_file_open(pack->path) : -1;
	if (pack->fd < 0)
		return -1;
	pack->size = file_size(pack->fd);
	for (uint64_t at = 0; at < pack->size && part_read(pack->fd, at, pack->size, &part);
		at += part.size)
		if (part_take(pack, at, &part) < 0)
			return -1;
	entries_sort(pack);
	return 0;
}

/* The pack of that path, open, with all that it has by now; NULL: there is none. */
static struct pack_making *pack_open(const char *path, size_t length)
{
	struct pack_making *pack = NULL;

	for (unsigned i = 0; i < OPEN_MOST && !pack; i++)
		if (packs[i].path && strlen(packs[i].path) == length &&
			memcmp(packs[i].path, path, length) == 0)
			pack = &packs[i];
	if (pack && file_size(pack->fd) == pack->size)
		return pack;
	if (!pack)
		pack = &packs[next_pack++ % OPEN_MOST];
	pack_close(pack);
	if (pack_read(pack, path, length) == 0)
		return pack;
	pack_close(pack);
	return NULL;
}

/* The pack that a path leads into, and what follows it there; NULL: it is no such path. */
static struct pack_making *pack_find(const char *path, const char **rest)
{
	struct pack_making *pack = NULL;

	for (const char *at = path; !pack && (at = strstr(at, PACK_END));) {
		at += strlen(PACK_END);
		if (*at && *at != '/')
			continue;
		pack = pack_open(path, (size_t)(at - path));
		*rest = *at ? at + 1 : at;
	}
	return pack;
}

/* The first entry whose name is not below `name`. */
static size_t entry_from(const struct pack_making *pack, const char *name)
{
	size_t low = 0, high = pack->entries.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(pack->entries.at[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int spool_file_open(const char *path, struct spool_file *file)
{
	const char *name;
	const struct pack_making *pack = pack_find(path, &name);
	size_t i = pack ? entry_from(pack, name) : 0;

	*file = (struct spool_file){ .fd = -1 };
	if (!pack) {
		file->fd = run_file_open(path);
		file->size = file->fd < 0 ? 0 : file_size(file->fd);
		return file->fd < 0 ? -1 : 0;
	}
	if (i == pack->entries.n || strcmp(pack->entries.at[i].name, name) != 0) {
		errno = ENOENT;
		return -1;
	}
	*file = (struct spool_file){ pack->fd, true, pack->entries.at[i].at,
		pack->entries.at[i].size };
	return 0;
}

void spool_file_close(struct spool_file *file)
{
	if (!file->is_packed && file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

ssize_t spool_file_read(const struct spool_file *file, void *to, size_t n, uint64_t at)
{
	if (file->is_packed && at >= file->size)
		return 0;
	if (file->is_packed && n > file->size - at)
		n = file->size - at;
	return pread(file->fd, to, n, (off_t)(file->at + at));
}

static int folder_visit(const char *path, int (*visit)(void *arg, const char *name), void *arg)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int ret = 0;

	while (dir && ret == 0 && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			ret = visit(arg, entry->d_name);
	if (dir)
		closedir(dir);
	return ret;
}

/* The files of a folder, by their own names. */
static int files_visit(const struct pack_making *pack, const char *folder,
	int (*visit)(void *arg, const char *name), void *arg)
{
	char *first = path_join(folder, "");
	size_t length = first ? strlen(first) : 0;
	int ret = first ? 0 : -1;

	for (size_t i = first ? entry_from(pack, first) : 0; ret == 0 && i < pack->entries.n; i++) {
		if (strncmp(pack->entries.at[i].name, first, length) != 0)
			break;
		ret = visit(arg, pack->entries.at[i].name + length);
	}
	free(first);
	return ret;
}

/* The folders of a pack. */
static int folders_visit(const struct pack_making *pack, int (*visit)(void *arg, const char *name),
	void *arg)
{
	char *last = NULL;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < pack->entries.n; i++) {
		const char *name = pack->entries.at[i].name;
		size_t length = strcspn(name, "/");

		if (last && strncmp(last, name, length) == 0 && !last[length])
			continue;
		free(last);
		last = strndup(name, length);
		ret = last ? visit(arg, last) : -1;
	}
	free(last);
	return ret;
}

int spool_names_visit(const char *path, int (*visit)(void *arg, const char *name), void *arg)
{
	const char *folder;
	const struct pack_making *pack = pack_find(path, &folder);

	if (!pack)
		return folder_visit(path, visit, arg);
	return *folder ? files_visit(pack, folder, visit, arg) : folders_visit(pack, visit, arg);
}
