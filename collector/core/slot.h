/*
 * slot.h - forked children begin in slots of a file, which their parent makes before it forks
 * (include/tacho/slot.h). So a short child needs no file and no task.
 */
#ifndef COLLECTOR_SLOT_H
#define COLLECTOR_SLOT_H

#include "core/span.h"
#include "tacho/slot.h"

/* Before a fork: makes sure that the child finds a slot, if the process is recorded. */
void slots_prepare(void) HIDDEN;

/* The definitions with which a process begins: its properties hold for its children as well. */
void slots_share(const char *definitions, size_t size) HIDDEN;

/* How many properties they were; these, and their bytes. */
uint32_t slots_shared(void) HIDDEN;
const char *slots_properties(size_t *size) HIDDEN;

/* The process ends, in a task: gives back the slots that no child has taken. */
void slots_end(void) HIDDEN;

/* In a forked child: takes a slot. NULL: none is free. */
struct slot *slot_take(void) HIDDEN;

/* The slot in which the calling process has begun; NULL: it has no slot. */
struct slot *slot_own(void) HIDDEN;

/* Slot i that this process has made in a run within a budget; NULL: i is beyond the last one. */
struct slot *slot_made(uint32_t i) HIDDEN;

/* Its child has ended, and totals have all of it: another child may take the slot. */
void slot_leave(struct slot *slot) HIDDEN;

#endif
