/* ended_sums.c - see ended_sums.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/chunk.h"
#include "core/ended_sums.h"
#include "core/folder.h"
#include "core/process.h"
#include "core/sys.h"
#include "core/totals.h"

static struct {
	char prefix[NAME_MAX + 1];     /* "<host>." */
	char directory[PATH_MAX - 64]; /* of all folders */
} places;

bool places_start(void)
{
	const char *slash = strrchr(tacho_process.folder, '/'), *name = slash ? slash + 1 : NULL;
	char own[32];
	size_t n;

	if (!name || (size_t)(slash - tacho_process.folder) >= sizeof(places.directory))
		return false;
	n = (size_t)(slash - tacho_process.folder);
	memcpy(places.directory, tacho_process.folder, n);
	places.directory[n] = '\0';
	snprintf(own, sizeof(own), ".%u.", tacho_process.pid);
	for (const char *at = name; (at = strstr(at, own)); at++)
		n = (size_t)(at - name) + 1; /* the last one: the host's name may have numbers */
	if (n >= sizeof(places.prefix))
		return false;
	memcpy(places.prefix, name, n);
	places.prefix[n] = '\0';
	return true;
}

const char *places_prefix(void)
{
	return places.prefix;
}

const char *places_directory(void)
{
	return places.directory;
}

bool place_path(char path[PATH_MAX], const struct spool_folder *place, const char *file)
{
	return snprintf(path, PATH_MAX, "%s/%s%u.%u/%s", places.directory, places.prefix,
		       place->pid, place->k, file) < PATH_MAX;
}

int place_open(const struct spool_folder *place, const char *file, int flags)
{
	char path[PATH_MAX];

	if (place->k == PLACE_OWN)
		return process_file_open(file, flags);
	if (!place_path(path, place, file)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return sys_open(path, flags | O_NOFOLLOW, 0600);
}

struct mapped place_map(const struct spool_folder *place, const char *file)
{
	int fd = place_open(place, file, O_RDONLY);
	struct mapped mapped = { 0 };
	struct stat st;
	void *map = MAP_FAILED;

	if (fd < 0)
		return mapped;
	if (!sys_fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		map = sys_map_file(fd, 0, (size_t)st.st_size, PROT_READ);
	sys_close(fd);
	if (map != MAP_FAILED)
		mapped = (struct mapped){ map, (size_t)st.st_size };
	return mapped;
}

void mapped_close(const struct mapped *mapped)
{
	if (mapped->at)
		sys_munmap((void *)(uintptr_t)mapped->at, mapped->size);
}

/* The chunk of a spool with the least number that is not below `least`; NULL: there is none. */
static const uint64_t *chunk_find(const struct mapped *file, uint64_t *least, size_t *size)
{
	const struct spool_head *head = (const struct spool_head *)(const void *)file->at;
	const uint64_t *found = NULL;
	uint64_t number = UINT64_MAX;
	size_t offset = SPOOL_HEAD_SIZE, room = head->first_size;

	for (uint32_t slot = 0; offset + 64 <= file->size; slot++) {
		const uint64_t *at = (const uint64_t *)(const void *)(file->at + offset);

		if (spool_type(at[0]) == SPOOL_CLOCK && spool_words(at[2]) > 5 && at[5] >= *least &&
			at[5] < number) {
			number = at[5];
			found = at;
			*size = room < file->size - offset ? room : file->size - offset;
		}
		offset += room;
		room = totals_slot_size(head->slot_size, slot);
	}
	*least = number + 1;
	return found;
}

bool ended_spool_add(const struct spool_folder *place, unsigned number, struct totals_sums *sums,
	struct totals_sums *room, uint64_t lost[LOSS_COUNT])
{
	static const struct totals_list none = { NULL, 0 };
	char name[32];
	struct mapped file, totals;
	const struct spool_head *head;
	const struct totals *given_up;
	const uint64_t *chunk;
	uint64_t next;
	size_t size = 0;
	bool done = true;

	snprintf(name, sizeof(name), "thread.%u", number);
	file = place_map(place, name);
	head = (const struct spool_head *)(const void *)file.at;
	if (file.size < SPOOL_HEAD_SIZE || memcmp(head->magic, SPOOL_MAGIC, 8) != 0) {
		mapped_close(&file);
		return true; /* it ended before it had one */
	}
	for (int i = 0; i < LOSS_COUNT; i++)
		lost[i] += atomic_load(&head->lost[i]);
	if (head->kind == SPOOL_KIND_SAMPLER)
		goto out;
	snprintf(name, sizeof(name), "totals.%u", number);
	totals = place_map(place, name);
	given_up = (const struct totals *)(const void *)totals.at;
	memset(room, 0, sizeof(*room));
	if (totals.size >= TOTALS_SIZE && memcmp(given_up->magic, TOTALS_MAGIC, 8) == 0)
		*room = given_up->sums[atomic_load(&given_up->counts) & 1];
	mapped_close(&totals);
	next = room->chunks;
	done = head->kind == SPOOL_KIND_THREAD && head->slot_size && head->first_size;
	while (done && (chunk = chunk_find(&file, &next, &size)))
		totals_add(room, &none, chunk, size);
	done = done && totals_merge(sums, room, place->k == PLACE_OWN);
out:
	mapped_close(&file);
	return done;
}

bool ended_slot_add(const struct slot *slot, struct totals_sums *sums, struct totals_sums *room,
	uint64_t lost[LOSS_COUNT])
{
	static const struct totals_list none = { NULL, 0 };

	for (int i = 0; i < LOSS_COUNT; i++)
		lost[i] += atomic_load(&slot->head.lost[i]);
	memset(room, 0, sizeof(*room));
	totals_add(room, &none, slot->records, SLOT_RECORDS);
	return totals_merge(sums, room, false);
}

static int spool_file_open(const struct spool_folder *place, const char *kind, unsigned number,
	int flags)
{
	char name[32];

	snprintf(name, sizeof(name), "%s.%u", kind, number);
	return place_open(place, name, O_RDWR | flags);
}

bool ended_head_read(const struct spool_folder *place, unsigned number, struct spool_head *head)
{
	int fd = spool_file_open(place, "thread", number, 0);
	ssize_t n = fd < 0 ? -1 : sys_pread(fd, head, sizeof(*head), 0);

	if (fd >= 0)
		sys_close(fd);
	return n == sizeof(*head) && memcmp(head->magic, SPOOL_MAGIC, sizeof(head->magic)) == 0;
}

bool ended_spool_make(const struct spool_folder *place, unsigned number, const char *name,
	const struct spool_head *model)
{
	int fd = spool_file_open(place, "thread", number, O_CREAT);
	struct spool_head head = *model, *map = NULL;

	if (fd >= 0 && (map = file_map(fd, 0, SPOOL_HEAD_SIZE))) {
		memset((void *)head.lost, 0, sizeof(head.lost));
		memset(head.inside, 0, sizeof(head.inside));
		snprintf(head.name, sizeof(head.name), "%s", name);
		head.gap = head.first_size = head.is_main = 0;
		head.number = number;
		head.slot_size = TOTALS_SLOT_LEAST;
		memcpy(map, &head, sizeof(head));
		sys_munmap(map, SPOOL_HEAD_SIZE);
	}
	if (fd >= 0)
		sys_close(fd);
	return map != NULL;
}

struct totals *ended_totals_make(const struct spool_folder *place, unsigned number)
{
	int fd = spool_file_open(place, "totals", number, O_CREAT);
	struct totals *totals = fd < 0 ? NULL : file_map(fd, 0, TOTALS_SIZE);

	if (fd >= 0)
		sys_close(fd);
	if (!totals)
		return NULL;
	totals->version = SPOOL_VERSION;
	totals->nregions = REGION_COUNT;
	totals->size = sizeof(*totals);
	memcpy(totals->magic, TOTALS_MAGIC, sizeof(totals->magic));
	return totals;
}

void ended_lost_add(const struct spool_folder *place, unsigned number,
	const uint64_t lost[LOSS_COUNT])
{
	int fd = spool_file_open(place, "thread", number, 0);
	struct spool_head *head = fd < 0 ? NULL : file_map_reserved(fd, 0, SPOOL_HEAD_SIZE);

	for (int i = 0; head && i < LOSS_COUNT; i++)
		if (lost[i])
			atomic_fetch_add(&head->lost[i], lost[i]);
	if (head)
		sys_munmap(head, SPOOL_HEAD_SIZE);
	if (fd >= 0)
		sys_close(fd);
}
