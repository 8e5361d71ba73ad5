/* spool_place.c - see spool_place.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rundir.h"
#include "spool/spool_in.h"
#include "spool/spool_pack.h"
#include "spool/spool_place.h"

static void place_free(struct spool_place *place)
{
	free(place->dir);
	free(place->folder);
	free(place->slots);
}

void spool_places_free(struct spool_places *places)
{
	for (size_t i = 0; i < places->n; i++)
		place_free(&places->at[i]);
	free(places->at);
	*places = (struct spool_places){ 0 };
}

/* Takes `folder`. 0, or -1 without memory. */
static int place_add(struct spool_places *places, const char *dir, char *folder, const char *slots,
	uint32_t slot)
{
	struct spool_place *place = ARRAY_ADD(places);

	if (place)
		*place = (struct spool_place){ strdup(dir), folder, slots ? strdup(slots) : NULL,
			slot };
	else
		free(folder);
	if (place && place->dir && folder && (!slots || place->slots))
		return 0;
	log_error("out of memory");
	errno = ENOMEM;
	return -1;
}

/* Length of "<host>" of "<host>.<pid>.<k>". */
static int host_length(const char *folder)
{
	const char *end = folder + strlen(folder);

	for (int dots = 0; end > folder && dots < 2;)
		dots += *--end == '.';
	return (int)(end - folder);
}

/* The processes that have begun in the slots of a file. */
static int slots_add(struct spool_places *places, const char *dir, const char *maker,
	const char *path)
{
	size_t size;
	const struct slots *file = spool_map(path, &size);
	int ret = 0;

	if (!file)
		return 0;
	if (size < SLOTS_HEAD_SIZE || memcmp(file->magic, SLOTS_MAGIC, 8) != 0 ||
		file->version != SPOOL_VERSION)
		goto out;
	for (uint32_t i = 0; ret == 0 && i < (size - SLOTS_HEAD_SIZE) / SLOT_SIZE; i++) {
		const struct slot *slot = slot_at(file, i);
		char *folder = NULL;

		if (memcmp(slot->magic, SPOOL_MAGIC, 8) != 0)
			continue;
		if (asprintf(&folder, "%.*s.%u.%u", host_length(maker), maker, slot->pid, slot->k) <
			0)
			folder = NULL;
		ret = place_add(places, dir, folder, path, i);
	}
out:
	munmap((void *)(uintptr_t)file, size);
	return ret;
}

/* Adds the slots of all slot files in a folder: their numbers have no gaps. */
static int folder_slots_add(struct spool_places *places, const char *dir, const char *folder)
{
	struct spool_file file;
	char *path = NULL;
	int ret = 0;

	for (uint32_t n = 0; ret == 0; n++) {
		if (asprintf(&path, "%s/%s/" SLOTS_NAME "%u", dir, folder, n) < 0)
			return -1;
		if (spool_file_open(path, &file) < 0)
			break;
		spool_file_close(&file);
		ret = slots_add(places, dir, folder, path);
		free(path);
		path = NULL;
	}
	free(path);
	return ret;
}

struct place_adding {
	struct spool_places *places;
	const char *dir;
};

static int folder_add(void *arg, const char *name)
{
	const struct place_adding *adding = arg;
	int ret = place_add(adding->places, adding->dir, strdup(name), NULL, 0);

	return ret < 0 ? ret : folder_slots_add(adding->places, adding->dir, name);
}

/* The folder of a process, or all that are in a pack. */
static int entry_add(void *arg, const char *name)
{
	const struct place_adding *adding = arg;
	struct place_adding inside = { adding->places, NULL };
	char *pack;
	int ret;

	if (!spool_pack_is(name))
		return folder_add(arg, name);
	inside.dir = pack = path_join(adding->dir, name);
	ret = pack ? spool_names_visit(pack, folder_add, &inside) : -1;
	free(pack);
	return ret;
}

/* By the name; that with a slot first. */
static int compare_places(const void *a, const void *b)
{
	const struct spool_place *x = a, *y = b;
	int order = strcmp(x->folder, y->folder);

	return order ? order : !x->slots - !y->slots;
}

/* Folders of processes that have a slot are theirs. */
static void places_unite(struct spool_places *places, size_t first)
{
	size_t n = first;

	if (places->n - first > 1)
		qsort(places->at + first, places->n - first, sizeof(*places->at), compare_places);
	for (size_t i = first; i < places->n; i++)
		if (n > first && strcmp(places->at[n - 1].folder, places->at[i].folder) == 0)
			place_free(&places->at[i]);
		else
			places->at[n++] = places->at[i];
	places->n = n;
}

int spool_places_add(struct spool_places *places, const char *dir)
{
	struct place_adding adding = { places, dir };
	size_t first = places->n;
	int ret, error;

	if (access(dir, R_OK) < 0)
		return -1;
	ret = spool_names_visit(dir, entry_add, &adding);
	error = errno;
	places_unite(places, first);
	errno = error;
	return ret;
}

struct spool_slot_map spool_slot_open(const struct spool_place *place)
{
	struct spool_slot_map slot = { 0 };
	size_t at = SLOTS_HEAD_SIZE + (size_t)place->slot * SLOT_SIZE,
	       page = (size_t)sysconf(_SC_PAGESIZE), begin = at / page * page;
	struct spool_file file;

	if (!place->slots || spool_file_open(place->slots, &file) < 0)
		return slot;
	slot.size = at + SLOT_SIZE - begin;
	slot.map = file.size >= at + SLOT_SIZE
		? mmap(NULL, slot.size, PROT_READ, MAP_SHARED, file.fd, (off_t)(file.at + begin))
		: MAP_FAILED;
	spool_file_close(&file);
	if (slot.map != MAP_FAILED)
		slot.slot = (const struct slot *)(const void *)((const char *)slot.map + at -
			begin);
	return slot;
}

void spool_slot_close(struct spool_slot_map *slot)
{
	if (slot->slot)
		munmap(slot->map, slot->size);
	slot->slot = NULL;
}

size_t spool_slot_defs_size(const unsigned char *at, size_t most)
{
	size_t size = 0;

	while (size + sizeof(struct spool_def) <= most) {
		uint32_t n = __atomic_load_n((const uint32_t *)(const void *)(at + size),
			__ATOMIC_ACQUIRE);

		if (n < 8 || n % 8 || n > most - size)
			break;
		size += n;
	}
	return size;
}

void *spool_slot_defs(const struct spool_place *place, const struct slot *slot, const char *defs,
	size_t *size)
{
	size_t own = spool_slot_defs_size(slot->definitions, SLOT_DEFINITIONS), shared = 0,
	       rest_size = 0, slots_size = 0;
	const struct slots *file = spool_map(place->slots, &slots_size);
	const unsigned char *properties = (const unsigned char *)file + SLOTS_PROPERTIES;
	void *rest = spool_map(defs, &rest_size);
	char *all;

	if (file && slots_size >= SLOTS_HEAD_SIZE &&
		file->properties <= SLOTS_HEAD_SIZE - SLOTS_PROPERTIES)
		shared = spool_slot_defs_size(properties, file->properties);
	if (!rest)
		rest_size = 0;
	*size = own + shared + rest_size;
	all = mmap(NULL, *size ? *size : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		0);
	if (all != MAP_FAILED) {
		memcpy(all, slot->definitions, own);
		if (shared)
			memcpy(all + own, properties, shared);
		if (rest_size)
			memcpy(all + own + shared, rest, rest_size);
	}
	if (file)
		munmap((void *)(uintptr_t)file, slots_size);
	if (rest)
		munmap(rest, rest_size);
	return all == MAP_FAILED ? NULL : all;
}
