/*
 * ended.h - ended children, in a run of bounded size: the oldest give up their detail, and their
 * rank's process adds their records to totals of all of them.
 */
#ifndef COLLECTOR_ENDED_H
#define COLLECTOR_ENDED_H

#include "core/span.h"

/* Once the process has joined, if it is no child itself. */
void ended_start(void) HIDDEN;

/* In a forked child: those are its parent's. */
void ended_forked(void) HIDDEN;

/*
 * On a thread that gives up excess chunks: takes the child that ended first, if it did so before
 * `ticks`. False: no such child is known; it is searched for once a second.
 */
bool ended_give_up(uint64_t ticks) HIDDEN;

/* The process ends, and from now on searches without a pause. False: a thread is at it just now. */
bool ended_finish(void) HIDDEN;

#endif
