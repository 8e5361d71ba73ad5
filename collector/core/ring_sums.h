/*
 * ring_sums.h - the file of totals of one spool, or its profile (include/tacho/totals.h), which stays
 * mapped while chunks are added.
 */
#ifndef COLLECTOR_RING_SUMS_H
#define COLLECTOR_RING_SUMS_H

#include <stddef.h>

#include "core/span.h"
#include "core/kept.h"
#include "tacho/totals.h"

struct ring_sums {
	const char *name;      /* of the file, before the number of the spool */
	struct totals *totals; /* NULL: not mapped */
	uint64_t list_size;    /* bytes of the list of steps; 0: the file was never made */
	uint64_t list_most;    /* bytes that it may have */
	bool is_in_order;      /* the records are in the order of their ends; a device's are not */
	struct kept kept;
};

/*
 * Adds a chunk to the totals of its spool, and keeps the records wanted in detail. False: they
 * could not be written.
 */
bool ring_sums_add(struct ring_sums *sums, const struct kept_chunk *chunk) HIDDEN;

/* Makes the file, before there is anything to add. */
void ring_sums_reserve(struct ring_sums *sums, uint32_t spool) HIDDEN;

/* Bytes of the file. */
uint64_t ring_sums_bytes(const struct ring_sums *sums) HIDDEN;

/* Nothing more is added for the time being. */
void ring_sums_unmap(struct ring_sums *sums) HIDDEN;

#endif
