/*
 * helper.h - a task beside the program that works for the library (serve.c). It stays (stay.h), is
 * no thread of the process, and ends on request or at most a beat after the process. If such a task
 * cannot be made, a thread takes its place.
 */
#ifndef COLLECTOR_HELPER_H
#define COLLECTOR_HELPER_H

#include "core/span.h"

struct helper_work {
	void (*prepare)(void); /* in a thread of the program, before the helper starts */
	void (*run)(void);     /* in the helper, until it is to end */
	void (*fail)(void);    /* in a thread of the program: there will be no helper */
};

/* Before helper_start(). */
void helper_does(const struct helper_work *does) HIDDEN;

/* For the work: sleeps until the next poke, if there were `seen` before, or until then (CLOCK_MONOTONIC). */
void helper_sleep(uint32_t seen, uint64_t until_ns) HIDDEN;
uint32_t helper_pokes(void) HIDDEN;
bool helper_is_stopping(void) HIDDEN;
bool helper_is_thread(void) HIDDEN;

/*
 * Starts it unless it runs. It allocates, so this must not be
 * called where the program may be inside its allocator: MPI and marker calls
 * are fine, and so is a process that has made some dozens of I/O calls.
 */
void helper_start(void) HIDDEN;

/* A chunk is wanted. */
void helper_poke(void) HIDDEN;

/* Ends it, and waits until it is gone, for half a second at most. */
void helper_stop(void) HIDDEN;

/* Ends it for the rest of the process where it is a task: the program is to wait for children of any kind. */
void helper_leave(void) HIDDEN;

/* Whether it runs: something may have killed it. */
bool helper_is_there(void) HIDDEN;

/*
 * Ends it for a call that only a process of one thread may make, and starts it again. The first returns
 * whether there was one: the second is due then.
 */
bool helper_pause(void) HIDDEN;
void helper_resume(void) HIDDEN;

/* In a forked child: there is none yet. */
void helper_forked(void) HIDDEN;

#endif
