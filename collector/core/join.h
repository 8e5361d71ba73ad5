/* join.h - the gate, and the lock of the library's slow paths. */
#ifndef COLLECTOR_JOIN_H
#define COLLECTOR_JOIN_H

#include "core/span.h"

/* To be held with signals blocked, for microseconds. */
void join_lock(void) HIDDEN;
void join_unlock(void) HIDDEN;

/* Sets the gate of a process that has joined; in a forked child that has not, nothing. */
void gate_turn(enum gate gate) HIDDEN;

/* Gives a forked child that followed its parent's gate one of its own. */
void gate_own(enum gate gate) HIDDEN;

/* The process is not recorded from here on. */
void gate_close(void) HIDDEN;

/* Whether a process that has not joined would do so at any call. */
bool join_would(void) HIDDEN;

/* Whether a program of this name only starts others. */
bool program_is_ignored(const char *name) HIDDEN;

/* What TACHO_PARENT says of the process that starts a program, after its folder. */
enum parent_kind { PARENT_RANK = '0', PARENT_CHILD = '1', PARENT_UNRANKED = '2' };

#endif
