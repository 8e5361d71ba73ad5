/*
 * budget.h - the bytes of spools on this node, which the recorded processes count together in a file
 * next to their folders, and whose turn it is to give some up.
 */
#ifndef COLLECTOR_BUDGET_H
#define COLLECTOR_BUDGET_H

#include "core/span.h"

#define BUDGET_FOLDER                                                                              \
	8192 /* bytes of a process's folder itself, and of what its last pages have free */

/*
 * Once the process has joined: `share` are the bytes for each rank, `whole` those of the run. Without
 * the file the process has its rank's share for itself.
 */
void budget_open(uint64_t share, uint64_t whole) HIDDEN;

/* In a forked child, which counts for itself. */
void budget_forked(void) HIDDEN;

/* The process has something that it may give up: others wait for it. */
void budget_join(void) HIDDEN;

/* The process has so many bytes more, or less. */
void budget_add(int64_t bytes) HIDDEN;

/* The folder of another one, which took so many bytes, `names` of them for names, is gone. */
void budget_remove(uint64_t bytes, uint64_t names) HIDDEN;

/*
 * Takes so many bytes for a name, if those of all on the node are no more than a part of the budget then:
 * lest names fill it. `is_group`: of markers, communicators and counters, which have a larger part.
 */
bool budget_names_take(uint64_t size, bool is_group) HIDDEN;

/*
 * The disk has no more room: what all of the node have now is too much from now on. Where it is already
 * nothing changes.
 */
void budget_shrink(void) HIDDEN;

/* Bytes of the rank: its share, or a part of it where the disk has less. */
uint64_t budget_share(void) HIDDEN;

/* Whether those of the node are more than their ranks' shares, `spare` bytes (a quarter at most) kept free. */
bool budget_is_over(uint64_t spare) HIDDEN;

/*
 * Whether it is for this process to give up its oldest chunk, which ended at `end` in ticks
 * (UINT64_MAX: it has none to give): nobody on the node has an older one.
 */
bool budget_is_mine(uint64_t end) HIDDEN;

/* The process ends: nobody waits for it. */
void budget_close(void) HIDDEN;

#endif
