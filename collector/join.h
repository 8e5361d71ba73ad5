/* join.h - the lock of the library's slow paths; hold it with signals blocked, for microseconds. */
#ifndef COLLECTOR_JOIN_H
#define COLLECTOR_JOIN_H

#include "span.h"

void join_lock(void) HIDDEN;
void join_unlock(void) HIDDEN;

#endif
