/*
 * containers.h - the two containers of analyze: growing arrays, and a map from 64-bit keys to
 * 32-bit numbers. Both are independent of their contents. Also prefetching of memory.
 */
#ifndef ANALYZER_CONTAINERS_H
#define ANALYZER_CONTAINERS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Makes room for as many elements again. Returns the array, moved or not, its
 * new part zeroed; NULL without memory (reported), the old one being still
 * valid then.
 */
void *array_grow(void *array, size_t *capacity, size_t size);

/*
 * One more element at the end of `array` (struct { T *at; size_t n, cap; }): its address, or NULL.
 */
#define ARRAY_ADD(array)                                                                           \
	__extension__({                                                                            \
		void *grown_ = (array)->n < (array)->cap                                           \
			? (array)->at                                                              \
			: array_grow((array)->at, &(array)->cap, sizeof(*(array)->at));            \
		if (grown_)                                                                        \
			(array)->at = grown_;                                                      \
		grown_ ? &(array)->at[(array)->n++] : NULL;                                        \
	})

#define ARRAY_OF(type)                                                                             \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t n, cap;                                                                     \
	}

#define IDMAP_NONE UINT32_MAX

/*
 * Keys below 2^16 are in a plain array, and those above while at least every second number is in
 * use, as definitions are; all others in an open-addressed hash table.
 */
struct idmap {
	uint32_t *low;
	uint32_t nlow, nset; /* room, and values in it */
	struct idmap_slot {
		uint64_t key;
		uint32_t value;
		uint32_t used;
	} * slots;
	uint32_t nslots, nused;
};

/* Value of `key`, IDMAP_NONE when it is not there. */
uint32_t idmap_find_high(const struct idmap *map, uint64_t key);

static inline uint32_t idmap_find(const struct idmap *map, uint64_t key)
{
	return key < map->nlow ? map->low[key] : idmap_find_high(map, key);
}

/*
 * The key of a number of which few are used: in the plain array of each of many maps it would cost
 * 256 KiB.
 */
static inline uint64_t idmap_key(uint64_t number)
{
	return number | 1ull << 63;
}

/* Sets the value of `key`; IDMAP_NONE takes it out. 0, or -1 without memory (reported). */
int idmap_set(struct idmap *map, uint64_t key, uint32_t value);

void idmap_free(struct idmap *map);

/*
 * The first number `i` of [low, high) for which `is_before`, an expression about i, is false: it is
 * true of all numbers before that one and of none after it, as in a sorted array. `high`: of none.
 */
#define LOWER_BOUND(i, low, high, is_before)                                                       \
	__extension__({                                                                            \
		__typeof__((low) + (high)) first_ = (low), end_ = (high);                          \
		while (first_ < end_) {                                                            \
			__typeof__(first_) i = first_ + (end_ - first_) / 2;                       \
			if (is_before)                                                             \
				first_ = i + 1;                                                    \
			else                                                                       \
				end_ = i;                                                          \
		}                                                                                  \
		first_;                                                                            \
	})

enum { CACHE_LINE = 64 };

/* Brings what will soon be inspected into the processor's cache; any address will do. */
static inline void cache_fetch(const void *at, size_t size)
{
	for (size_t i = 0; i < size; i += CACHE_LINE)
		__builtin_prefetch((const void *)((uintptr_t)at + i));
}

/* Mixes two words into a hash or key. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;

	return h ^ h >> 32;
}

/* FNV-1a of a string; different strings may collide. */
static inline uint64_t text_hash(const char *text)
{
	uint64_t h = 14695981039346656037ull;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211ull;
	return h;
}

#endif
