/*
 * socket_log.h - when a process has sent how much through a socket, in bursts: close ones are one,
 * and the closer together the more there are. So what fell into a stretch of time is exact where
 * nothing was sent across its ends.
 */
#ifndef ANALYZER_SOCKET_LOG_H
#define ANALYZER_SOCKET_LOG_H

#include <stddef.h>
#include <stdint.h>

struct socket_burst {
	int64_t first, last;
	uint64_t bytes;
};

struct socket_log {
	size_t n, room;
	int64_t gap; /* ns: closer bursts are one */
	struct socket_burst *at;
};

/* Adds bytes sent until `t`. 0, or -1 without memory. */
int socket_log_add(struct socket_log *log, int64_t t, uint64_t bytes);

/* Bytes from `first` to `last`; of a burst across an end its share by time. */
uint64_t socket_log_bytes(const struct socket_log *log, int64_t first, int64_t last);

void socket_log_free(struct socket_log *log);

#endif
