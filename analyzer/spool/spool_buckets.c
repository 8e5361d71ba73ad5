/* spool_buckets.c - sums of the exchanges of a process's gradients; see spool_in.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "spool/spool_in.h"

static bool is_honest(uint64_t ticks, uint64_t exposed)
{
	return ticks < TICKS_MOST && exposed <= ticks;
}

/* Leaves out what cannot be. */
static void buckets_check(struct spool_buckets *buckets)
{
	uint32_t n = 0;

	while (n < SPOOL_BUCKETS_MOST && is_honest(buckets->at[n].ticks, buckets->at[n].exposed) &&
		buckets->at[n].bytes < TICKS_MOST && buckets->at[n].exchanges < TICKS_MOST)
		n++;
	memset(&buckets->at[n], 0, (SPOOL_BUCKETS_MOST - n) * sizeof(*buckets->at));
	if (!is_honest(buckets->ticks, buckets->exposed))
		buckets->passes = 0;
}

void spool_buckets_read(struct spool_process *process, const char *path)
{
	size_t size;
	struct spool_buckets *copy, *map = spool_map(path, &size);

	if (!map)
		return;
	copy = size >= sizeof(*map) ? malloc(sizeof(*copy)) : NULL;
	if (copy)
		memcpy((void *)copy, map, sizeof(*copy));
	munmap(map, size);
	if (copy && memcmp(copy->magic, SPOOL_BUCKETS_MAGIC, sizeof(copy->magic)) == 0 &&
		copy->version == SPOOL_VERSION) {
		buckets_check(copy);
		process->buckets = copy;
		return;
	}
	free(copy);
}
