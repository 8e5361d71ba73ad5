/*
 * cuda_memory.h - how much memory of its devices the process holds: by cudaMalloc and its siblings, and
 * from pools. What is held otherwise (cuMemCreate, managed memory) is not followed. Any thread.
 */
#ifndef COLLECTOR_CUDA_MEMORY_H
#define COLLECTOR_CUDA_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

#define CUDA_MEMORY_DEVICES 64

/* Memory that was given; once more for the same address changes nothing. */
void cuda_memory_given(uint64_t address, uint64_t nbytes, uint32_t context, uint32_t device) HIDDEN;

/* Memory that is about to be given back: at once another thread may get it. */
void cuda_memory_returned(uint64_t address) HIDDEN;

/* Some was given in a way that is not followed. */
void cuda_memory_missed(uint32_t device) HIDDEN;

/* What a context held is gone with it. */
void cuda_memory_lost(uint32_t context) HIDDEN;

/* In a forked child: nothing of the parent's is its own. */
void cuda_memory_forked(void) HIDDEN;

struct cuda_memory {
	uint64_t held, most; /* bytes, now and at most so far */
	uint64_t missed;     /* allocations that were not followed */
};

/* False: nothing was given on this device yet. */
bool cuda_memory_read(uint32_t device, struct cuda_memory *memory) HIDDEN;

#endif
