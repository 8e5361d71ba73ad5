/*
 * merge_sums.h - what a bounded spool has summed instead of kept (tacho/totals.h): stretches of the
 * location in which nothing is in detail, with their steps and phases, and their calls as sums.
 */
#ifndef ANALYZER_MERGE_SUMS_H
#define ANALYZER_MERGE_SUMS_H

#include "merge/merge_event.h"
#include "merge/merge_scan.h"

struct merge_channels;

/* First pass: regions and marks that occur, messages and collectives that were passed by. */
int sums_scan(struct merge *m, struct walk *walk, struct location *l, uint32_t stretch,
	struct merge_channels *channels);

/* Second pass: the stretch. 0, or -1 (reported). */
int sums_write(struct writer *w, uint32_t stretch);

/* Whether a marker that began then is a number among the sums, and is left out of what is in detail. */
bool sums_have_mark(const struct writer *w, uint32_t kind, uint32_t name, uint64_t begin);

/*
 * A call that began in the stretch and ended after it, before its Enter: what others than its end
 * must be known of it.
 */
void sums_crossing(struct writer *w, const struct entry *e);

#endif
