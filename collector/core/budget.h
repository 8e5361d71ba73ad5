/*
 * budget.h - the bytes of spools on this node. The recorded processes count them together in a file
 * next to their folders, and decide with it which process gives some up.
 */
#ifndef COLLECTOR_BUDGET_H
#define COLLECTOR_BUDGET_H

#include "core/span.h"

#define BUDGET_FOLDER                                                                              \
	8192 /* bytes of a process's folder itself, and of what its last pages have free */

/* Once the process has joined: reads the run's settings (struct asked). */
void budget_start(void) HIDDEN;

/*
 * The process's folder exists: it counts its bytes with the others of the node. Without the file it has
 * its rank's share for itself.
 */
void budget_open(void) HIDDEN;

#define BUDGET_SLOTS 4096 /* of a spool, at most */

/* Bytes of a slot but of the first ones; 0: spools are not bounded. */
uint32_t budget_slot_size(void) HIDDEN;

/* Bytes that the process may have, now and as it began; 0: it is not bounded. */
uint64_t budget_limit(void) HIDDEN;
uint64_t budget_asked(void) HIDDEN;

/* In a forked child, which counts for itself. */
void budget_forked(void) HIDDEN;

/* The process has something that it may give up: others wait for it. */
void budget_join(void) HIDDEN;

/* The process has so many bytes more, or less. */
void budget_add(int64_t bytes) HIDDEN;

/* The folder of another one, which took so many bytes, `names` of them for names, is gone. */
void budget_remove(uint64_t bytes, uint64_t names) HIDDEN;

/*
 * Takes bytes for a name, if all names on the node stay within a part of the budget, so that names
 * do not fill it. `is_group`: of markers, communicators and counters, which have a larger part.
 */
bool budget_names_take(uint64_t size, bool is_group) HIDDEN;

/*
 * The disk has no more room: what all of the node have now is too much from now on. Where it is already
 * nothing changes.
 */
void budget_shrink(void) HIDDEN;

/* Bytes of the rank: its share, or a part of it where the disk has less. */
uint64_t budget_share(void) HIDDEN;

/*
 * Whether the node's bytes exceed its ranks' shares, with `spare` bytes (a quarter at most) kept
 * free.
 */
bool budget_is_over(uint64_t spare) HIDDEN;

/*
 * Whether this process is to give up its oldest chunk, which ended at `end` in ticks (UINT64_MAX:
 * it has no chunk to give): no process on the node has an older one.
 */
bool budget_is_mine(uint64_t end) HIDDEN;

/* The process ends, and no other process waits for it from now on. */
void budget_close(void) HIDDEN;

#endif
