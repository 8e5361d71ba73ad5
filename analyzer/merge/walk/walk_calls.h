/*
 * walk_calls.h - launches that CUPTI reported by records (../gpu/gpu_calls.c) among the calls that the thread
 * has recorded itself.
 */
#ifndef ANALYZER_WALK_CALLS_H
#define ANALYZER_WALK_CALLS_H

#include "merge/walk/walk.h"

/*
 * Puts into the loaded group the launches that begin before its end. A launch that ends before the group
 * begins becomes a group before it. `read` loads the next group of the spool. 0, or -1 (reported).
 */
int calls_insert(struct walk_thread *t, int (*read)(struct walk_thread *));

/* Makes the waiting group the loaded one. */
void calls_next_take(struct walk_thread *t);

/* When the first of its entries begins, ticks; UINT64_MAX: it has none. */
uint64_t group_start(const struct group *g);

#endif
