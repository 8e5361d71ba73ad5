/*
 * attach_threads.h - the threads of a process that tacho is attached to: their spools, in whose heads is the
 * system call that each is in, as /proc has it.
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
 * Head of the spool of the thread whose pthread_self() is `owner`, with the call that it is in now; made
 * when it is asked for first. NULL: no thread is known by this.
 */
const struct spool_head *threads_head(uint64_t owner) HIDDEN;

#endif
