/*
 * ended_threads.h - threads that have ended, in a run of bounded size: the oldest give up all of
 * their detail, and one spool of the process represents all of them.
 */
#ifndef COLLECTOR_ENDED_THREADS_H
#define COLLECTOR_ENDED_THREADS_H

#include "core/span.h"

/*
 * Adds the spool `number` of an ended thread to the totals of ended threads, and removes its files.
 * The caller counts their bytes. False: the totals have no space for it, and it is unchanged.
 */
bool ended_thread_add(uint32_t number) HIDDEN;

/* Excludes concurrent calls: whether this thread may go ahead, and its end. */
bool ended_threads_begin(void) HIDDEN;
void ended_threads_end(void) HIDDEN;

/* In a forked child: those are its parent's. */
void ended_threads_forked(void) HIDDEN;

#endif
