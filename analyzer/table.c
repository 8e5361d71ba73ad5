/* table.c - see table.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "table.h"

enum { LOW_KEYS = 1 << 16 };

void *array_grow(void *array, size_t *capacity, size_t n, size_t size)
{
	size_t wanted;
	char *grown;

	if (n < *capacity)
		return array;
	wanted = *capacity ? *capacity * 2 : 8;
	grown = reallocarray(array, wanted, size);
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
	map->low[key] = value;
	return 0;
}

/* Values taken out leave a used slot behind; this drops those and makes room. */
static int rehash(struct idmap *map)
{
	struct idmap old = *map;

	map->nslots = 64;
	while (map->nslots < old.nlive * 4)
		map->nslots *= 2;
	map->slots = calloc(map->nslots, sizeof(*map->slots));
	if (!map->slots) {
		log_error("out of memory (%u identities)", map->nslots);
		*map = old;
		return -1;
	}
	map->nused = map->nlive;
	for (uint32_t i = 0; i < old.nslots; i++)
		if (old.slots[i].used && old.slots[i].value != IDMAP_NONE)
			*slot_find(map, old.slots[i].key) = old.slots[i];
	free(old.slots);
	return 0;
}

int idmap_set(struct idmap *map, uint64_t key, uint32_t value)
{
	struct idmap_slot *slot;

	if (key < LOW_KEYS)
		return low_set(map, key, value);
	if (map->nused * 2 >= map->nslots && rehash(map) < 0)
		return -1;
	slot = slot_find(map, key);
	if (!slot->used)
		map->nused++;
	map->nlive += (value != IDMAP_NONE) - (slot->used && slot->value != IDMAP_NONE);
	*slot = (struct idmap_slot){ .key = key, .value = value, .used = 1 };
	return 0;
}

void idmap_free(struct idmap *map)
{
	free(map->low);
	free(map->slots);
	*map = (struct idmap){ 0 };
}
