/*
 * thread_spool.h - one spool with its file and chunks, for thread.c: a thread's, or one of several
 * that the process has in addition (counters, GPU activities). Its writer alone appends; the helper
 * thread makes the next chunk ready.
 */
#ifndef COLLECTOR_THREAD_SPOOL_H
#define COLLECTOR_THREAD_SPOOL_H

#include "core/span.h"

/* The next chunk of a spool, which the helper thread makes ready while this one is being filled. */
enum ahead { AHEAD_NONE, AHEAD_WANTED, AHEAD_MAKING, AHEAD_READY };

/* A spool beyond the hot path's part. */
struct spool {
	struct thread hot; /* first: tacho_self points here */
	/* of all spools ever made; never changes, so the helper needs no lock */
	struct spool *next;
	struct spool *next_unused;
	uint32_t number;
	_Atomic uint64_t owner; /* pthread_self() of the thread that writes it, 0: none does */
	_Atomic uint32_t tid;	/* of that thread */
	char *chunk, *old;	/* being filled; the one before, see chunk_retire */
	size_t size, old_size;	/* of them, bytes */
	uint64_t begun_ns;	/* CLOCK_MONOTONIC: `chunk` was */
	int64_t offset;		/* of the file: after `chunk` */
	/* enum ahead; the next two belong to the thread that set MAKING or sees READY */
	_Atomic uint32_t ahead;
	char *ahead_chunk;
	size_t ahead_size;
	uint64_t retry_ns; /* CLOCK_MONOTONIC: not before then */
	int error;	   /* errno of the last attempt */
	bool has_file;
	bool is_in_slot;     /* of the process (core/slot.h), as long as that has room */
	struct ring *ring;   /* of a bounded spool; NULL */
	int slot, slot_made; /* the chunk's; the next one's, of the thread that made it */
};

/*
 * Makes the file of spool->number with its head and first chunk; without a file a head in memory,
 * so that the hot path works: every record is lost then, and counted. 0, or -1 without memory.
 */
int spool_create(struct spool *spool, enum spool_kind kind) HIDDEN;

/* Its writer is over: gives back what was reserved and not used, then as below. */
void spool_close(struct spool *spool) HIDDEN;

/* Unmaps all of it and leaves the file alone; in a forked child that is the parent's. */
void spool_unmap(struct spool *spool) HIDDEN;

/* On the helper thread: makes the next chunk ready when its writer wants it. */
void spool_serve(struct spool *spool) HIDDEN;

#endif
