/*
 * attach_threads.h - the threads of a process that tacho is attached to. The head of a thread's
 * spool has its current system call, as /proc reports it.
 */
#ifndef COLLECTOR_ATTACH_THREADS_H
#define COLLECTOR_ATTACH_THREADS_H

#include "core/span.h"

/* The n-th thread that has a spool; its number is in the head. NULL: there are fewer. */
const struct spool_head *threads_nth(unsigned n) HIDDEN;

/* Makes spools for all threads there are. */
void threads_meet_all(void) HIDDEN;

/* Makes the spool of the initial thread. 0, or -1 without memory. */
int threads_begin(void) HIDDEN;

/*
 * Head of the spool of the thread with pthread_self() `owner`, with its current call; made at the
 * first request. NULL: no such thread is known.
 */
const struct spool_head *threads_head(uint64_t owner) HIDDEN;

#endif
