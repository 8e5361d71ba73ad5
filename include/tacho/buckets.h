/*
 * buckets.h - the file `buckets` of a process's spool: sums of how DistributedDataParallel exchanged its
 * gradients over gloo.
 */
#ifndef TACHO_BUCKETS_H
#define TACHO_BUCKETS_H

#include <stdatomic.h>
#include <stdint.h>

#define SPOOL_BUCKETS_MAGIC "TACHOBKT"
#define SPOOL_BUCKETS_MOST  400u
#define SPOOL_BUCKETS_SIZE  16384u

/* A bucket of gradients: the index of its operation within the backward pass, and its bytes. */
struct spool_bucket {
	uint32_t order; /* from 0; UINT32_MAX: all that had no place */
	uint32_t reserved;
	uint64_t bytes;
	_Atomic uint64_t exchanges; /* 0: the place is free, and all after it */
	/* ticks from the post to the end of its operation; ticks of it after the backward pass */
	_Atomic uint64_t ticks, exposed;
};

/*
 * The file `buckets`: exact sums over all backward passes that exchanged gradients while calls were
 * recorded. A pass ends where its finalize_backward() begins to wait for the buckets.
 */
struct spool_buckets {
	char magic[8]; /* SPOOL_BUCKETS_MAGIC, written last */
	uint32_t version, reserved;
	_Atomic uint64_t passes;
	/* ticks in which any bucket of the pass was in progress; ticks of it after the pass */
	_Atomic uint64_t ticks, exposed;
	struct spool_bucket at[SPOOL_BUCKETS_MOST];
};

_Static_assert(sizeof(struct spool_buckets) <= SPOOL_BUCKETS_SIZE,
	"spool_buckets must fit its file");

#endif
