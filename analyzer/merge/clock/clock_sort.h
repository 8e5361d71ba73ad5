/* clock_sort.h - parts in sync_events, those of one next to each other, and in them those of a node. */
#ifndef ANALYZER_CLOCK_SORT_H
#define ANALYZER_CLOCK_SORT_H

#include "merge/clock/clock_solve.h"

/* By the bytes of their keys, then by nodes; as for qsort(). */
int clock_parts_compare(const void *a, const void *b);
void clock_parts_sort(struct clock_part *parts, uint32_t n);

#endif
