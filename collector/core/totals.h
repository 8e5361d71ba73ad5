/* totals.h - adds the records of a chunk to sums of constant size (include/tacho/totals.h). */
#ifndef COLLECTOR_TOTALS_H
#define COLLECTOR_TOTALS_H

#include <stddef.h>

#include "core/span.h"
#include "tacho/totals.h"

/* Where steps and phases that end are listed: room for `room` of them. */
struct totals_list {
	struct totals_span *at;
	uint64_t room;
};

/*
 * Adds all records of a chunk of `size` bytes, which has no writer any more, in the order of the
 * spool. Stops at a damaged record.
 */
void totals_add(struct totals_sums *sums, const struct totals_list *list, const uint64_t *chunk,
	size_t size) HIDDEN;

/*
 * Adds the sums of a process that has ended, or (is_own) of a thread of this one. False: they are more
 * than calls, of a thread more than calls, messages and collectives that are over, and `to` is as it was.
 */
bool totals_merge(struct totals_sums *to, const struct totals_sums *from, bool is_own) HIDDEN;

/*
 * The first group of records of a chunk, a call with all that is in it, that ends at `ticks` or
 * later; else behind the last one that is whole.
 */
const uint64_t *totals_find(const uint64_t *chunk, size_t size, uint64_t ticks) HIDDEN;

/* How much room a list has to have for so many steps. */
uint64_t totals_room(uint64_t spans) HIDDEN;

/* How many steps and phases a chunk may end. */
uint64_t totals_spans(const uint64_t *chunk, size_t size) HIDDEN;

#endif
