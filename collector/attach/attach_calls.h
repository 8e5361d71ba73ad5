/* attach_calls.h - the system call that a thread of another process is in, as a call that tacho knows. */
#ifndef COLLECTOR_ATTACH_CALLS_H
#define COLLECTOR_ATTACH_CALLS_H

#include "core/span.h"

/* Where a thread waits: what /proc has of it. */
struct call_place {
	uint64_t sp, pc;
};

/* False: it runs, or has ended. */
bool call_place(uint32_t tid, struct call_place *place) HIDDEN;

/* Notes in the head of the spool of thread `tid` which call it is in, since when it has been seen there. */
void call_look(struct spool_head *head, uint32_t tid) HIDDEN;

#endif
