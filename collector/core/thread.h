/* thread.h - the spools of the process's threads, for the rest of the library. */
#ifndef COLLECTOR_THREAD_H
#define COLLECTOR_THREAD_H

#include "core/span.h"

/*
 * In an agent of attach/: the spool of a thread of the process that it works for, by its number. NULL only
 * when memory is out.
 */
struct thread *thread_open_other(uint32_t tid) HIDDEN;

/* There: what thread_head() answers; NULL otherwise. */
extern const struct spool_head *(*tacho_head_asked)(uint64_t owner)HIDDEN;

/* The lock of the library's slow paths: to be held with signals blocked, for microseconds. */
void join_lock(void) HIDDEN;
void join_unlock(void) HIDDEN;

/*
 * Makes the calling thread's spool and sets tacho_self. Signals are blocked
 * and the join lock is held. Returns NULL only when memory is out.
 */
struct thread *thread_open(void) HIDDEN;

/*
 * Makes a spool of the process that is no thread's (counters, GPU activities):
 * its users keep each other out. Takes the join lock. NULL only when memory is
 * out.
 */
struct thread *thread_open_kind(enum spool_kind kind) HIDDEN;

/* The main thread of the rank: the one that began MPI, else the one that began a step. 0: the initial one. */
extern _Atomic uint32_t tacho_main_thread HIDDEN;

/* In a forked child: forgets the parent's threads. */
void thread_forked(void) HIDDEN;

/* For the helper thread: makes ready the chunks that threads will want next. */
void thread_serve(void) HIDDEN;

/*
 * Head of the spool of the thread with pthread_self() `owner`, NULL when it has none. The thread
 * may end and unmap it at any time, so it must only be read by a system call.
 */
const struct spool_head *thread_head(uint64_t owner) HIDDEN;

/* Whether the initial thread has ended, in the way of pthread_exit, while the process continues. */
bool thread_main_is_over(void) HIDDEN;

/*
 * The calling thread, or the task that stays, is the library's own: nothing it does is recorded. The second undoes it where the thread ends.
 */
void thread_is_helper(void) HIDDEN;
void thread_helper_ends(void) HIDDEN;

/* Whether a thread of the process, by its number, is the program's and has recorded nothing yet. */
bool thread_is_silent(uint32_t tid) HIDDEN;

/*
 * CPU time in ns of a thread of the process; 0: no such thread. Called by the task that samples
 * counters.
 */
uint64_t thread_ran_ns(uint32_t tid) HIDDEN;

/*
 * CPU time in ns of the threads that have recorded, without `main`, and of the library's, whether
 * they have ended or not.
 */
uint64_t thread_recorded_ran_ns(uint32_t main) HIDDEN;
uint64_t thread_helpers_ran_ns(void) HIDDEN;

/* How many threads of the process are the library's own. */
unsigned thread_helpers(void) HIDDEN;

#endif
