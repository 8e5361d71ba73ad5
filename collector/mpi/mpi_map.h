/*
 * mpi_map.h - MPI handles to what we know of them (communicators, windows,
 * files, sizes of types). Reading takes no lock: it is on the way of every
 * call. Writing takes one; handles are made and freed rarely. A handle that
 * was freed and handed out again is simply set again.
 */
#ifndef COLLECTOR_MPI_MAP_H
#define COLLECTOR_MPI_MAP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "mpi/mpi_abi.h"

struct map_slot {
	_Atomic uintptr_t key;	 /* 0: free; once set it stays */
	_Atomic uintptr_t value; /* 0: nothing known (removed) */
};

struct map_table {
	uint32_t shift; /* 64 - log2(slots) */
	uint32_t used;	/* slots with a key */
	struct map_slot slots[];
};

struct map {
	struct map_table *_Atomic table; /* NULL until the first map_set */
	pthread_mutex_t lock;
};

#define MAP_EMPTY                                                                                  \
	{                                                                                          \
		.lock = PTHREAD_MUTEX_INITIALIZER                                                  \
	}

/* What map_set() gave the handle, else 0. */
static inline uintptr_t map_get(struct map *map, mpi_handle key)
{
	struct map_table *table = atomic_load_explicit(&map->table, memory_order_acquire);
	uintptr_t found;
	uint64_t i;

	if (__builtin_expect(!table, 0))
		return 0;
	for (i = key * 0x9e3779b97f4a7c15ull >> table->shift;; i++) {
		found = atomic_load_explicit(&table->slots[i].key, memory_order_acquire);
		if (__builtin_expect(found == key, 1))
			return atomic_load_explicit(&table->slots[i].value, memory_order_acquire);
		if (!found)
			return 0;
	}
}

/*
 * Sets the value of a handle; value 0 removes the handle. Handle 0 is none. Without memory the
 * handle stays unknown.
 */
void map_set(struct map *map, mpi_handle key, uintptr_t value)
	__attribute__((visibility("hidden")));

/* Forgets a handle, if there is something to forget. */
static inline void map_forget(struct map *map, mpi_handle key)
{
	if (map_get(map, key))
		map_set(map, key, 0);
}

#endif
