/*
 * ring.h - spools of bounded size: their chunks are in slots of the file, and the process's oldest
 * chunks are given up, once their records are in the totals (core/totals.h).
 */
#ifndef COLLECTOR_RING_H
#define COLLECTOR_RING_H

#include "core/span.h"

struct ring;

/* Its folder exists: it counts its bytes with the others of the node. */
void ring_open(void) HIDDEN;

/* In a forked child: forgets the parent's. */
void ring_forked(void) HIDDEN;

/* A place for a chunk in the file. */
struct ring_slot {
	int slot;
	size_t size; /* bytes */
	int64_t offset;
	bool has_space; /* reserved, counted and all zero */
};

/* The slots of spool `number`, after its first chunk in the file. NULL without memory. */
struct ring *ring_make(uint32_t number, enum spool_kind kind, bool is_main) HIDDEN;

/* The first chunk begins. */
void ring_first(struct ring *ring, size_t size) HIDDEN;

/* Before it has a second chunk: room for its totals, while there is some. */
void ring_reserve(struct ring *ring) HIDDEN;

/*
 * The disk is full: gives up a chunk. If it is the ring's own, its slot is free afterwards and
 * keeps its space; another ring's gives its space back. Lowers the budget to the bytes in use.
 * False: no chunk could be given up.
 */
bool ring_make_room(struct ring *ring) HIDDEN;

/* A free slot. False: there is none. */
bool ring_slot_take(struct ring *ring, struct ring_slot *out) HIDDEN;

/* It was not used after all; has_space: which is counted. */
void ring_slot_leave(struct ring *ring, int slot, bool has_space) HIDDEN;

/* The spool continues in it: the number of the chunk. */
uint64_t ring_chunk_begin(struct ring *ring, int slot) HIDDEN;

/*
 * The file's descriptor; of the slot's chunk (-1: of the first) only `used` bytes are needed: the
 * rest is given back.
 */
void ring_trim(struct ring *ring, int fd, int slot, uint64_t used) HIDDEN;

/* The writer of the spool, which is in that file, has ended. */
void ring_end(struct ring *ring, int fd) HIDDEN;

/* The same, once its files are closed: where there is too much, threads that have ended go. */
void ring_thread_ended(void) HIDDEN;

/* On the helper thread: gives up excess and outdated chunks. */
void ring_serve(void) HIDDEN;

/*
 * On the thread that writes the ring, with signals blocked, before it takes a chunk: the same when
 * the helper thread is late (is_late) or has not kept up. Never waits.
 */
void ring_serve_own(struct ring *ring, bool is_late) HIDDEN;

/* The process ends: the same, and waits for the other thread. */
void ring_finish(void) HIDDEN;

#endif
