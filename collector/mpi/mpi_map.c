/*
 * mpi_map.c - the writing side of mpi_map.h. A table that is half full is
 * copied into one of twice the size; readers of the old one are never waited
 * for, so it stays allocated (all of them together are smaller than the
 * newest).
 */
#include <stdlib.h>

#include "mpi/mpi_map.h"

#define MAP_FIRST_BITS 8
#define MAP_SPILL      64 /* slots after the last, so that probing need not wrap */

static struct map_table *table_new(unsigned bits)
{
	size_t slots = ((size_t)1 << bits) + MAP_SPILL;
	struct map_table *table = calloc(1, sizeof(*table) + slots * sizeof(table->slots[0]));

	if (table)
		table->shift = 64 - bits;
	return table;
}

/* The slot of a key or the free one it would take; NULL when the spill is full. */
static struct map_slot *slot_find(struct map_table *table, mpi_handle key)
{
	size_t end = ((size_t)1 << (64 - table->shift)) + MAP_SPILL - 1; /* the last ends probing */
	uintptr_t found;

	for (size_t i = key * 0x9e3779b97f4a7c15ull >> table->shift; i < end; i++) {
		found = atomic_load_explicit(&table->slots[i].key, memory_order_relaxed);
		if (found == key || !found)
			return &table->slots[i];
	}
	return NULL;
}

static bool table_put(struct map_table *table, mpi_handle key, uintptr_t value)
{
	struct map_slot *slot = slot_find(table, key);

	if (!slot)
		return false;
	table->used += !atomic_load_explicit(&slot->key, memory_order_relaxed);
	atomic_store_explicit(&slot->value, value, memory_order_release);
	atomic_store_explicit(&slot->key, key, memory_order_release);
	return true;
}

/* A larger table with the entries of the old one; NULL without memory. */
static struct map_table *table_grow(struct map_table *old)
{
	unsigned bits = old ? 65 - old->shift : MAP_FIRST_BITS;
	struct map_table *table = table_new(bits);
	size_t slots = old ? ((size_t)1 << (64 - old->shift)) + MAP_SPILL : 0;

	for (size_t i = 0; table && i < slots; i++) {
		uintptr_t value = atomic_load_explicit(&old->slots[i].value, memory_order_relaxed);

		if (value && !table_put(table, old->slots[i].key, value))
			return table; /* one handle less; cannot happen at half load */
	}
	return table;
}

void map_set(struct map *map, mpi_handle key, uintptr_t value)
{
	struct map_table *table, *grown;

	if (!key)
		return;
	pthread_mutex_lock(&map->lock);
	table = atomic_load_explicit(&map->table, memory_order_relaxed);
	if (!table || table->used >= (1u << (63 - table->shift)) || !slot_find(table, key)) {
		grown = table_grow(table);
		if (grown) {
			atomic_store_explicit(&map->table, grown, memory_order_release);
			table = grown;
		}
	}
	if (table)
		table_put(table, key, value);
	pthread_mutex_unlock(&map->lock);
}
