/*
 * slot.h - forked children begin in slots of a file that the process which forks them has made
 * (include/tacho/slot.h), so that a short one needs no file and no system call.
 */
#ifndef COLLECTOR_SLOT_H
#define COLLECTOR_SLOT_H

#include "core/span.h"
#include "tacho/slot.h"

/* Before a fork: there is a slot for the child, if the process is recorded. */
void slots_prepare(void) HIDDEN;

/* Once a process has defined what holds for its children, too: these definitions. */
void slots_share(const char *definitions, size_t size) HIDDEN;

/* How many properties they were; these, and their bytes. */
uint32_t slots_shared(void) HIDDEN;
const char *slots_properties(size_t *size) HIDDEN;

/* The process ends, in a task: gives back the slots that no child has taken. */
void slots_end(void) HIDDEN;

/* In a forked child: takes a slot. NULL: there is none. */
struct slot *slot_take(void) HIDDEN;

/* The slot in which the calling process has begun; NULL: it has no slot. */
struct slot *slot_own(void) HIDDEN;

/* Slot i of those that this process has made in a run within a budget; NULL: there are no more. */
struct slot *slot_made(uint32_t i) HIDDEN;

/* Its child has ended, and what it did is elsewhere: another one may have it. */
void slot_leave(struct slot *slot) HIDDEN;

#endif
