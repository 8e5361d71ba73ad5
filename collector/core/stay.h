/*
 * stay.h - a task that stays: the process's memory, and none of its threads, descriptors, folders or
 * signal handlers. One per process, for the helper; task.h has the short ones.
 *
 * RATIONALE: a thread would make the process multi-threaded. unshare() of a user namespace, setns() and
 * CPython's fork refuse that or warn, libc takes locks that one thread does not need, and a process
 * of which no thread of the program is left would live on.
 *
 * It is a child without exit signal: wait() and waitpid() of the program neither return it nor wait for
 * it, unless asked for children of any kind (__WALL, __WCLONE). It is alone in its process group, so that
 * neither signals for the program's group nor setsid() meet it, blocks all signals, and dumps no core.
 * Its thread-local storage is from the loader, as a thread's; but libc knows nothing of
 * it. So it must not allocate from the heap, nor call what takes a lock of libc's or of the loader's: these
 * take none of their locks in a program of one thread.
 */
#ifndef COLLECTOR_STAY_H
#define COLLECTOR_STAY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/span.h"

/*
 * Begins it. Allocates, the first time in a process. -1: it cannot be made here (another processor or
 * C library, clone() makes copies, sanitizers follow threads only, no process may be made).
 */
int stay_start(void (*work)(void)) HIDDEN;

/* Whether it has been begun and has not ended, by its own will or killed. */
bool stay_is_alive(void) HIDDEN;

/* Waits for its end, for half a second, and ends it then if it may be ended. */
void stay_join(void) HIDDEN;

/* In a forked child: there is none. */
void stay_forked(void) HIDDEN;

/* For itself: the state of the process that it belongs to. */
enum stay_owner { STAY_RUNS, STAY_STOPPED, STAY_GONE };

/* STAY_GONE: it has ended, or runs another program. Three system calls to ten. */
enum stay_owner stay_owner(void) HIDDEN;

/* Whether the initial thread has ended; it is listed for as long as the process lives. */
bool stay_first_thread_is_gone(void) HIDDEN;

/*
 * A lock that the process's threads and it hold for microseconds, with signals blocked. One that is
 * held by the parent of a forked child, or by a task that was killed, is taken over.
 */
void stay_lock(_Atomic uint32_t *lock) HIDDEN;

#endif
