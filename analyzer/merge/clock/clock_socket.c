/* clock_socket.c - see clock_socket.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "base/log.h"
#include "merge/clock/clock_socket.h"
#include "merge/walk/walk_regions.h"

#define TRANSFERS_MOST 4000000	   /* of a process; with more its sockets say nothing */
#define BYTES_MOST     (1ll << 32) /* of a call; a damaged record may have more */
#define POINTS	       4096	   /* of a connection and direction: one for every so many bytes */
#define POINT_LEAST    256	   /* bytes */

/* Instead of a communicator's number in keys. */
#define SOCKETS 0xfffffffeu

/* One call: `connection` is of this direction, and not 0. */
struct transfer {
	uint64_t connection;
	uint64_t start, end; /* ticks */
	uint64_t bytes;
	bool is_write, is_sum; /* of several calls between both times */
};

/* Keys of a socket's two directions; 0: not known, or of one node only. */
struct socket_keys {
	bool known;
	uint64_t out, in;
};

struct socket_scan {
	struct socket_keys *keys; /* by handle */
	SPOOL_TABLE(struct transfer) transfers;
	uint32_t room;
};

static uint64_t direction(const char *from, const char *to)
{
	return hash_mix(text_hash(from), text_hash(to)) | 1;
}

static bool is_loopback(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strncmp(address, "[::1]", 5) == 0;
}

static const struct socket_keys *keys_of(struct process *p, uint32_t id)
{
	struct socket_keys *keys = &p->sockets->keys[id];
	const char *text = p->spool->handles.at[id].socket;
	char local[64], remote[64];

	if (keys->known)
		return keys;
	keys->known = true;
	if (text && sscanf(text, "tcp %63s %63s", local, remote) == 2 && !is_loopback(local) &&
		!is_loopback(remote)) {
		keys->out = direction(local, remote);
		keys->in = direction(remote, local);
	}
	return keys;
}

static int sockets_open(struct process *p)
{
	p->sockets = calloc(1, sizeof(*p->sockets));
	if (p->sockets)
		p->sockets->keys = calloc(p->spool->handles.n + 1, sizeof(*p->sockets->keys));
	if (p->sockets && p->sockets->keys)
		return 0;
	log_error("out of memory");
	return -1;
}

int socket_sync_add(struct merge *m, struct process *p, const struct entry *e)
{
	unsigned op = region_infos[e->region].io;
	uint32_t id;
	int64_t bytes, offset;
	uint64_t connection;

	if (m->nnodes < 2 || e->is_truncated || !entry_is_io(e) || e->nrequests ||
		(op != IO_OP_READ && op != IO_OP_WRITE))
		return 0;
	id = spool_a(e->rec[0]);
	bytes = entry_io_result(e, &offset);
	if (!id || id >= p->spool->handles.n || bytes <= 0 || bytes > BYTES_MOST)
		return 0;
	if (!p->sockets && sockets_open(p) < 0)
		return -1;
	connection = op == IO_OP_WRITE ? keys_of(p, id)->out : keys_of(p, id)->in;
	if (!connection || p->sockets->transfers.n > TRANSFERS_MOST)
		return 0;
	if (!spool_table_reserve((void **)&p->sockets->transfers.at, &p->sockets->room,
		    p->sockets->transfers.n, sizeof(struct transfer)))
		return -1;
	p->sockets->transfers.at[p->sockets->transfers.n++] = (struct transfer){ connection,
		e->start, e->end, (uint64_t)bytes, op == IO_OP_WRITE, e->is_sum };
	return 0;
}

static int compare_transfers(const void *a, const void *b)
{
	const struct transfer *x = a, *y = b;

	if (x->connection != y->connection)
		return x->connection < y->connection ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/*
 * Of n transfers in one direction, those that sums were under way with become one: which of them moved
 * a byte first is not known. Returns how many there are now.
 */
static uint32_t sums_join(struct transfer *at, uint32_t n)
{
	uint32_t last = 0;

	for (uint32_t i = 1; i < n; i++) {
		struct transfer *before = &at[last];

		if (at[i].start >= before->end || (!at[i].is_sum && !before->is_sum)) {
			at[++last] = at[i];
			continue;
		}
		before->is_sum = true;
		before->bytes += at[i].bytes;
		before->end = at[i].end > before->end ? at[i].end : before->end;
	}
	return n ? last + 1 : 0;
}

/* All bytes of n transfers; 0 where two of them were under way at once: their order is not known. */
static uint64_t bytes_of(const struct transfer *at, uint32_t n)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (i && at[i].start < at[i - 1].end)
			return 0;
		bytes += at[i].bytes;
	}
	return bytes;
}

/*
 * The n transfers of a connection in one direction: a point for every so many bytes, the first one
 * included. The other end has the same where it has moved as much: all is in the key.
 */
static int connection_sync(struct merge *m, struct process *p, const struct transfer *at,
	uint32_t n)
{
	uint64_t all = bytes_of(at, n), step = POINT_LEAST, begin = 0;
	struct sync_event_key key = { SOCKETS, (uint32_t)(at->connection >> 32),
		(uint32_t)at->connection, (uint32_t)(all ^ all >> 32), 0 };

	if (!all)
		return 0;
	while (step * POINTS < all)
		step *= 2;
	for (uint32_t i = 0; i < n; begin += at[i++].bytes)
		for (uint64_t seq = (begin + step - 1) / step; seq * step < begin + at[i].bytes;
			seq++) {
			key.seq = (uint32_t)seq;
			if (sync_point(m, p, key, at[i].is_write ? at[i].start : 0,
				    at[i].is_write ? UINT64_MAX : at[i].end) < 0)
				return -1;
		}
	return 0;
}

/* Which bytes a call moved is not known where calls before it were summed. */
static bool is_summed(const struct process *p)
{
	for (uint32_t i = 0; i < p->nlocations; i++)
		if (p->locations[i].scan.has_sums)
			return true;
	return false;
}

int socket_sync_end(struct merge *m, struct process *p)
{
	struct socket_scan *s = p->sockets;
	int ret = 0;

	if (!s)
		return 0;
	if (is_summed(p))
		s->transfers.n = 0;
	if (s->transfers.n <= TRANSFERS_MOST && s->transfers.n)
		qsort(s->transfers.at, s->transfers.n, sizeof(*s->transfers.at), compare_transfers);
	for (uint32_t i = 0, n; ret == 0 && s->transfers.n <= TRANSFERS_MOST && i < s->transfers.n;
		i += n) {
		for (n = 1; i + n < s->transfers.n &&
			s->transfers.at[i + n].connection == s->transfers.at[i].connection;)
			n++;
		ret = connection_sync(m, p, &s->transfers.at[i], sums_join(&s->transfers.at[i], n));
	}
	free(s->transfers.at);
	free(s->keys);
	free(s);
	p->sockets = NULL;
	return ret;
}
