/*
 * merge_sums.h - what a bounded spool has summed instead of kept (tacho/totals.h): a stretch of the
 * location in which nothing is in detail, with its steps and phases, and its calls as sums.
 */
#ifndef ANALYZER_MERGE_SUMS_H
#define ANALYZER_MERGE_SUMS_H

#include "merge/merge_event.h"
#include "merge/merge_scan.h"

struct channels;

/* First pass: regions and marks that occur, messages and collectives that were passed by. */
int sums_scan(struct merge *m, struct walk *walk, struct location *l, struct channels *channels);

/* Requests that were posted there and complete later. 0, or -1 without memory (reported). */
int sums_requests(struct walk *walk, const struct location *l);

/* Second pass: the stretch. 0, or -1 (reported). */
int sums_write(struct writer *w);

/*
 * A call that began in the stretch and ended after it, before its Enter: what others than its end
 * must be known of it.
 */
void sums_crossing(struct writer *w, const struct entry *e);

#endif
