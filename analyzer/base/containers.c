/* containers.c - see table.h. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/containers.h"

enum { LOW_KEYS = 1 << 16, LOW_MOST = 1 << 30 };

void *array_grow(void *array, size_t *capacity, size_t size)
{
	size_t wanted = *capacity ? *capacity * 2 : 8;
	char *grown = reallocarray(array, wanted, size);

	if (!grown) {
		log_error("out of memory (%zu entries of %zu bytes)", wanted, size);
		return NULL;
	}
	memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
	*capacity = wanted;
	return grown;
}

/* The slot of `key`, or the free one where it belongs. */
static struct idmap_slot *slot_find(const struct idmap *map, uint64_t key)
{
	uint32_t mask = map->nslots - 1;
	uint32_t i = hash_mix(key, 1) & mask;

	while (map->slots[i].used && map->slots[i].key != key)
		i = (i + 1) & mask;
	return &map->slots[i];
}

uint32_t idmap_find_high(const struct idmap *map, uint64_t key)
{
	struct idmap_slot *slot;

	if (!map->nslots)
		return IDMAP_NONE;
	slot = slot_find(map, key);
	return slot->used ? slot->value : IDMAP_NONE;
}

static int low_set(struct idmap *map, uint64_t key, uint32_t value)
{
	if (key >= map->nlow) {
		uint32_t n = map->nlow ? map->nlow : 64;
		uint32_t *low;

		while (n <= key)
			n *= 2;
		low = reallocarray(map->low, n, sizeof(*low));
		if (!low) {
			log_error("out of memory (%u identities)", n);
			return -1;
		}
		memset(low + map->nlow, 0xff, (n - map->nlow) * sizeof(*low));
		map->low = low;
		map->nlow = n;
	}
	map->nset += (value != IDMAP_NONE) - (map->low[key] != IDMAP_NONE);
	map->low[key] = value;
	return 0;
}

/* True if the key belongs to the array, which grows only while no slot is in use. */
static bool is_low(const struct idmap *map, uint64_t key)
{
	return key < LOW_KEYS || key < map->nlow ||
		(!map->nused && key < LOW_MOST && key <= 2ull * map->nset);
}

/* Makes room for twice as many. */
static int rehash(struct idmap *map)
{
	struct idmap old = *map;

	map->nslots = old.nslots ? 2 * old.nslots : 64;
	map->slots = calloc(map->nslots, sizeof(*map->slots));
	if (!map->slots) {
		log_error("out of memory (%u identities)", map->nslots);
		*map = old;
		return -1;
	}
	for (uint32_t i = 0; i < old.nslots; i++)
		if (old.slots[i].used)
			*slot_find(map, old.slots[i].key) = old.slots[i];
	free(old.slots);
	return 0;
}

/*
 * Frees the slot. Later entries that would become unreachable move up, so no tombstone remains. The
 * table stays small although keys come and go, as for launches.
 */
static void slot_free(struct idmap *map, struct idmap_slot *slot)
{
	uint32_t mask = map->nslots - 1, hole = (uint32_t)(slot - map->slots);

	for (uint32_t i = (hole + 1) & mask; map->slots[i].used; i = (i + 1) & mask) {
		uint32_t home = hash_mix(map->slots[i].key, 1) & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue; /* it is between the hole and its slot */
		map->slots[hole] = map->slots[i];
		hole = i;
	}
	map->slots[hole].used = 0;
	map->nused--;
}

int idmap_set(struct idmap *map, uint64_t key, uint32_t value)
{
	struct idmap_slot *slot;

	if (is_low(map, key))
		return low_set(map, key, value);
	if (map->nused * 2 >= map->nslots && value != IDMAP_NONE && rehash(map) < 0)
		return -1;
	slot = map->nslots ? slot_find(map, key) : NULL;
	if (value == IDMAP_NONE) {
		if (slot && slot->used)
			slot_free(map, slot);
		return 0;
	}
	map->nused += !slot->used;
	*slot = (struct idmap_slot){ .key = key, .value = value, .used = 1 };
	return 0;
}

void idmap_free(struct idmap *map)
{
	free(map->low);
	free(map->slots);
	*map = (struct idmap){ 0 };
}
