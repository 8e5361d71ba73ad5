/* child.h - children that a signal has killed. */
#ifndef COLLECTOR_CHILD_H
#define COLLECTOR_CHILD_H

#include "core/span.h"

/*
 * Notes that a wait for `pid` has found it killed by `signal`, with how full shared memory is just then.
 * Any thread, also in a signal handler; keeps errno. Nothing for signal 0.
 */
void child_killed(int pid, int signal) HIDDEN;

#endif
