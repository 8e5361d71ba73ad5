/*
 * ended_threads.h - threads that have ended, in a run of bounded size: the oldest give up all of
 * their detail, and one spool of the process represents all of them.
 */
#ifndef COLLECTOR_ENDED_THREADS_H
#define COLLECTOR_ENDED_THREADS_H

#include "core/span.h"

/*
 * Adds what the thread of spool `number`, which nobody writes any more, has done to the totals of
 * those that have ended, and removes its files. The caller counts their bytes. False: it did more
 * than can be added, and is as it was.
 */
bool ended_thread_add(uint32_t number) HIDDEN;

/*
 * Two of those that call it at once get in each other's way: whether it is this one's turn, and
 * its end.
 */
bool ended_threads_begin(void) HIDDEN;
void ended_threads_end(void) HIDDEN;

/* In a forked child: those are its parent's. */
void ended_threads_forked(void) HIDDEN;

#endif
