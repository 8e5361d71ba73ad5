/*
 * kept.h - the file `kept.<n>` of a bounded spool: what stays in detail of the chunks that it gives up
 * (tacho/totals.h).
 */
#ifndef COLLECTOR_KEPT_H
#define COLLECTOR_KEPT_H

#include "core/span.h"
#include "core/totals.h"

/* What is in the file of a spool. All zero: nothing is. */
struct kept {
	bool has_file;
	uint64_t end; /* of the file */
	uint32_t generation;
	struct kept_place {
		uint64_t begin, end;   /* ticks: why it is kept; 0: the place is free */
		uint64_t offset, size; /* bytes */
		uint64_t room;	       /* that it has in the file, also when it is free */
	} places[KEPT_ENTRIES];
};

/* A chunk that is given up: its records are from `begin` to `end`, in ticks. */
struct kept_chunk {
	uint32_t spool;
	uint64_t number;
	const uint64_t *at;
	size_t size;
	uint64_t begin, end;
};

/* Adds the chunk to the sums, and writes what of it is to be kept. */
void kept_add(struct kept *kept, struct totals_sums *sums, const struct totals_list *list,
	const struct kept_chunk *chunk) HIDDEN;

/* Gives back the space of entries that are no longer to be kept, if any. */
void kept_release(struct kept *kept, uint32_t spool) HIDDEN;

/* The file is removed: the bytes that it had. */
uint64_t kept_drop(struct kept *kept) HIDDEN;

/* In a forked child: nothing is kept yet. */
void kept_forked(void) HIDDEN;

#endif
