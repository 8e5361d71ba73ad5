/*
 * merge_stream.h - which write at one end of a connection ended which wait at its other end: bytes
 * come out in the order in which they went in, so the nth byte that was read is the nth that was
 * written. Only where the ends belong to different ranks, or children of different ones, and both
 * were recorded as a whole.
 */
#ifndef ANALYZER_MERGE_STREAM_H
#define ANALYZER_MERGE_STREAM_H

#include "merge/walk/walk.h"

/* What a call has to do with the other end. */
struct stream_mark {
	uint64_t start;	  /* of the call, ticks */
	uint64_t partner; /* location of the archive, at the other end */
	uint32_t location;
	uint32_t message; /* equal of the write and of the wait that it ended; 0: none */
};

/*
 * In the first pass: keeps the entry where it moved bytes through a socket, or may have waited for
 * one that is read next. 0, or -1 without memory (reported).
 */
int stream_add(struct process *p, struct location *l, const struct entry *e);

/* Once files are numbered: marks of all processes. 0, or -1 without memory (reported). */
int merge_streams(struct merge *m);

/*
 * What is known of the call that begins then, NULL: nothing. Asked in the order of time; `at` is 0 at
 * first.
 */
const struct stream_mark *stream_mark_next(const struct process *p, uint32_t location,
	uint64_t start, uint32_t *at);

void stream_free(struct process *p);

#endif
