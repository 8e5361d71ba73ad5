/*
 * copy.h - copies and sets per device by operation and kind of host memory:
 * from pageable memory a copy goes through a buffer of the driver's and holds
 * up the host, which nothing else in a trace shows.
 */
#ifndef ANALYZER_COPY_H
#define ANALYZER_COPY_H

#include <stdint.h>

#include "tables/kernel.h"

enum copy_memory {
	COPY_MEMORY_UNKNOWN,
	COPY_MEMORY_PAGEABLE,
	COPY_MEMORY_PINNED,
	COPY_MEMORY_DEVICE,
	COPY_MEMORY_ARRAY,
	COPY_MEMORY_MANAGED,
	COPY_MEMORY_COUNT
};

/* Copies of one device; plain numbers. */
struct copies {
	struct copy_sum {
		uint64_t n, bytes, ns;
	} by[KERNEL_COPIES][COPY_MEMORY_COUNT];
};

/* By tacho.memory; unknown when there is none. */
enum copy_memory copy_memory(const char *name);

/* Counts `n`; `copy` as kernel_copy() numbers it. */
void copy_add(struct copies *copies, uint32_t copy, enum copy_memory memory, uint64_t n,
	uint64_t ns, uint64_t bytes);

/* Rows of the table `copy`. */
void copies_write(struct tables *tables);

#endif
