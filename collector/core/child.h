/* child.h - children that a signal has killed. */
#ifndef COLLECTOR_CHILD_H
#define COLLECTOR_CHILD_H

#include "core/span.h"

/*
 * Notes that a wait for `pid` has found it killed by `signal`, with how full shared memory is just then. In a
 * process that is not recorded, as launchers are, the first time: in the state of that child, if the other
 * children live on; this takes 5 ms.
 * Any thread, also in a signal handler; keeps errno. Nothing for signal 0.
 */
void child_killed(int pid, int signal) HIDDEN;

/*
 * The process is about to send a signal. In one that is not recorded, as a launcher that ends a job: notes
 * the same of the child that has died by then, if it is one. Any thread, also in a signal handler; keeps errno.
 */
void child_kills(int signal) HIDDEN;

#endif
