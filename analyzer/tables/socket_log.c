/* socket_log.c - see socket_log.h. */
#include "config.h"

#include <stdlib.h>

#include "tables/socket_log.h"

enum { BURSTS_MOST = 4096, GAP_NS = 1000 };

static int compare_bursts(const void *a, const void *b)
{
	const struct socket_burst *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Threads are read one after the other, so bursts are unsorted before this. */
static void join(struct socket_log *log)
{
	size_t n = 0;

	qsort(log->at, log->n, sizeof(*log->at), compare_bursts);
	for (size_t i = 1; i < log->n; i++) {
		struct socket_burst *to = &log->at[n], *from = &log->at[i];

		if (from->first - to->last > log->gap) {
			log->at[++n] = *from;
			continue;
		}
		to->last = from->last > to->last ? from->last : to->last;
		to->bytes += from->bytes;
	}
	log->n = log->n ? n + 1 : 0;
}

static void make_room(struct socket_log *log)
{
	if (!log->gap)
		log->gap = GAP_NS;
	join(log);
	while (log->n > BURSTS_MOST / 2) {
		log->gap *= 2;
		join(log);
	}
}

int socket_log_add(struct socket_log *log, int64_t t, uint64_t bytes)
{
	struct socket_burst *grown;

	if (log->n == BURSTS_MOST)
		make_room(log);
	if (log->n == log->room) {
		log->room = log->room ? 2 * log->room : 16;
		grown = realloc(log->at, log->room * sizeof(*grown));
		if (!grown)
			return -1;
		log->at = grown;
	}
	log->at[log->n++] = (struct socket_burst){ t, t, bytes };
	return 0;
}

static uint64_t share(const struct socket_burst *burst, int64_t first, int64_t last)
{
	int64_t begin = burst->first > first ? burst->first : first;
	int64_t end = burst->last < last ? burst->last : last;

	if (begin > end)
		return 0;
	if (burst->first == burst->last || (begin == burst->first && end == burst->last))
		return burst->bytes;
	return (uint64_t)((double)burst->bytes * (double)(end - begin) /
		(double)(burst->last - burst->first));
}

uint64_t socket_log_bytes(const struct socket_log *log, int64_t first, int64_t last)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < log->n; i++)
		bytes += share(&log->at[i], first, last);
	return bytes;
}

void socket_log_free(struct socket_log *log)
{
	free(log->at);
	*log = (struct socket_log){ 0 };
}
