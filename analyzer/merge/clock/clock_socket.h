/*
 * clock_socket.h - the clocks of several nodes against each other, from what their processes sent
 * through TCP: no byte is received before it was sent. Which byte a call moved follows from what the
 * calls before it moved, where both ends were recorded from the first to the last one.
 */
#ifndef ANALYZER_CLOCK_SOCKET_H
#define ANALYZER_CLOCK_SOCKET_H

#include "merge/clock/clock_sync.h"

/*
 * In the first pass: keeps the entry where it moved bytes through a connection between nodes. Only
 * in runs of several. 0, or -1 without memory (reported).
 */
int socket_sync_add(struct merge *m, struct process *p, const struct entry *e);

/* After all threads of the process: bounds for sync. 0, or -1 without memory (reported). */
int socket_sync_end(struct merge *m, struct process *p);

#endif
