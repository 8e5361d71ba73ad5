/*
 * ended.h - children that have ended, in a run of bounded size: the oldest give up their detail, as
 * their rank's process adds what they did to totals of all of them.
 */
#ifndef COLLECTOR_ENDED_H
#define COLLECTOR_ENDED_H

#include "core/span.h"

/* Once the process has joined, if it is no child itself. */
void ended_start(void) HIDDEN;

/* In a forked child: those are its parent's. */
void ended_forked(void) HIDDEN;

/*
 * On a thread that gives up what is too much: takes the child that ended first, if it did so before
 * `ticks`. False: there is none, as far as is known; it is searched for once a second.
 */
bool ended_give_up(uint64_t ticks) HIDDEN;

/* The process ends, and looks without a pause from now on. False: a thread is at it just now. */
bool ended_finish(void) HIDDEN;

#endif
