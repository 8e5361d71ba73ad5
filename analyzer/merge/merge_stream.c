/* merge_stream.c - see merge_stream.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/par.h"
#include "merge/walk/walk_regions.h"
#include "merge/merge_stream.h"

/* Of all processes together; one that has moved more than its share is left out. */
#define MOVES_MOST  (1u << 22)
#define MOVES_LEAST (1u << 16)

/* Ends of AF_UNIX; of more nobody looks which belong together. */
#define UNIX_MOST 4096

/* One call that moved bytes, in the first pass. */
struct move {
	uint64_t start, end;	   /* ticks; after the first pass time of the trace */
	uint64_t waited, returned; /* the call before, which waited for one of several; 0: none */
	uint64_t begun, polled;	   /* `start` and `waited` in ticks, by which calls are found */
	uint32_t bytes;
	uint32_t handle; /* after the first pass its file, at last the one that was written to */
	uint32_t process, location;
	uint8_t is_write, is_inside; /* of another call */
	uint8_t is_sum;		     /* of several calls between both times */
};

struct stream_scan {
	SPOOL_TABLE(struct move) moves;
	uint32_t room;
	bool is_broken; /* something was moved of which it is not known how much */
	SPOOL_TABLE(struct stream_mark) marks;
	uint32_t marks_room;
};

/* --- first pass --- */

static bool polls(const struct entry *e)
{
	switch (e->region) {
	case REGION_poll:
	case REGION___poll_chk:
	case REGION_ppoll:
	case REGION___ppoll_chk:
	case REGION_select:
	case REGION_pselect:
	case REGION_epoll_wait:
	case REGION_epoll_pwait:
	case REGION_epoll_pwait2: return e->type == SPOOL_SYNC;
	default: return false;
	}
}

static struct stream_scan *scan_of(struct process *p)
{
	if (!p->streams && !(p->streams = calloc(1, sizeof(*p->streams))))
		log_error("out of memory");
	return p->streams;
}

static int move_add(struct process *p, struct location *l, const struct entry *e, uint32_t handle,
	int64_t bytes, bool is_write)
{
	struct stream_scan *s = scan_of(p);

	if (!s)
		return -1;
	if (s->moves.n >= MOVES_MOST || bytes > UINT32_MAX) {
		s->is_broken = true;
		return 0;
	}
	if (!spool_table_reserve((void **)&s->moves.at, &s->room, s->moves.n, sizeof(struct move)))
		return -1;
	s->moves.at[s->moves.n++] = (struct move){ .start = e->start,
		.end = e->end,
		.waited = is_write ? 0 : l->polled[0],
		.returned = is_write ? 0 : l->polled[1],
		.begun = e->start,
		.polled = is_write ? 0 : l->polled[0],
		.bytes = (uint32_t)bytes,
		.handle = handle,
		.location = (uint32_t)(l - p->locations),
		.is_write = is_write,
		.is_inside = e->depth > 0,
		.is_sum = e->is_sum };
	return 0;
}

static bool is_socket(const struct process *p, uint32_t handle)
{
	return handle && handle < p->spool->handles.n && p->spool->handles.at[handle].path &&
		p->spool->handles.at[handle].def.kind == HANDLE_SOCKET;
}

int stream_add(struct process *p, struct location *l, const struct entry *e)
{
	unsigned op = e->is_truncated ? IO_OP_NONE : region_infos[e->region].io;
	uint32_t handle, target;
	int64_t bytes, offset;
	int ret = 0;

	if (polls(e) && !e->is_truncated && spool_a(e->rec[0]) == SPOOL_SYNC_WAIT && !e->depth) {
		l->polled[0] = e->start;
		l->polled[1] = e->end;
		return 0;
	}
	if (e->is_truncated || !entry_is_io(e) || e->nrequests ||
		(op != IO_OP_READ && op != IO_OP_WRITE))
		return 0;
	handle = spool_a(e->rec[0]);
	bytes = entry_io_result(e, &offset);
	target = e->type == SPOOL_IO_PLAIN && spool_words(e->rec[2]) > 4 ? (uint32_t)e->rec[4] : 0;
	if (bytes <= 0)
		return 0;
	if (is_socket(p, handle))
		ret = move_add(p, l, e, handle, bytes, op == IO_OP_WRITE);
	if (ret == 0 && is_socket(p, target))
		ret = move_add(p, l, e, target, bytes, true);
	if (op == IO_OP_READ)
		l->polled[0] = l->polled[1] = 0;
	return ret;
}

/* --- the second one --- */

static uint32_t ancestor(const struct merge *m, uint32_t process)
{
	for (uint32_t depth = 0; depth < m->nprocesses; depth++) {
		uint32_t parent = m->processes[process].parent;

		if (!m->processes[process].child || parent >= m->nprocesses)
			break;
		process = parent;
	}
	return process;
}

/* Which byte a call moved is not known where calls before it are not there. */
static bool is_whole(const struct process *p)
{
	for (uint32_t i = 0; i < p->nlocations; i++)
		if (p->locations[i].scan.has_sums || p->locations[i].scan.torn ||
			(p->locations[i].thread && p->locations[i].thread->head.gap))
			return false;
	return !p->streams->is_broken;
}

/* Times of the trace, and the file. */
static void moves_place(const struct merge *m, struct process *p)
{
	struct stream_scan *s = p->streams;
	int hint = 0;

	for (uint32_t i = 0; i < s->moves.n; i++) {
		struct move move = s->moves.at[i];

		move.handle = p->spool->handles.at[move.handle].file;
		move.process = (uint32_t)(p - m->processes);
		move.start = process_time(m, p, move.start, &hint);
		move.end = process_time(m, p, move.end, &hint);
		if (move.waited) {
			move.waited = process_time(m, p, move.waited, &hint);
			move.returned = process_time(m, p, move.returned, &hint);
		}
		s->moves.at[i] = move;
	}
}

/* --- AF_UNIX: the kernel names the process at the other end, but not its socket --- */

struct unix_end {
	uint32_t file;
	int64_t pid, peer; /* of who moved bytes, and of who connected or listened */
	uint64_t sent, received;
	uint32_t nfits, fit;
};

/* The end of a file, NULL: it is of another kind. `ends` are as many as files. */
static struct unix_end *unix_end(const struct merge *m, struct unix_end *ends, uint32_t file)
{
	long long peer;

	if (m->files[file].other != NONE || !m->files[file].socket ||
		sscanf(m->files[file].socket, "unix %lld", &peer) != 1)
		return NULL;
	ends[file].file = file;
	ends[file].peer = peer;
	return &ends[file];
}

/* The same bytes went in at one end and came out at the other, of which one knows the other's process. */
static bool unix_fits(const struct merge *m, const struct unix_end *a, const struct unix_end *b)
{
	return a != b && m->files[a->file].node == m->files[b->file].node &&
		a->sent + a->received > 0 && a->sent == b->received && a->received == b->sent &&
		(a->peer == b->pid || b->peer == a->pid);
}

/* Ends of which just one fits the other. */
static void unix_pair(struct merge *m, struct unix_end *ends, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			if (unix_fits(m, &ends[i], &ends[k])) {
				ends[i].nfits++;
				ends[i].fit = k;
			}
	for (uint32_t i = 0; i < n; i++)
		if (ends[i].nfits == 1 && ends[ends[i].fit].nfits == 1)
			m->files[ends[i].file].other = ends[ends[i].fit].file;
}

static int unix_find(struct merge *m, const struct move *moves, size_t nmoves)
{
	struct unix_end *ends = calloc(m->nfiles + 1, sizeof(*ends));
	uint32_t n = 0;

	if (!ends)
		return -1;
	for (size_t i = 0; i < nmoves; i++) {
		struct unix_end *end = unix_end(m, ends, moves[i].handle);

		if (!end)
			continue;
		end->pid = m->processes[moves[i].process].spool->def.pid;
		*(moves[i].is_write ? &end->sent : &end->received) += moves[i].bytes;
	}
	for (uint32_t i = 0; i < m->nfiles; i++)
		if (ends[i].pid)
			ends[n++] = ends[i];
	if (n <= UNIX_MOST)
		unix_pair(m, ends, n);
	free(ends);
	return 0;
}

/* --- matching --- */

/* By direction: the file to which the bytes were written. Those of no connection are dropped. */
static size_t moves_direct(const struct merge *m, struct move *moves, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		struct move move = moves[i];

		if (m->files[move.handle].other == NONE)
			continue;
		if (!move.is_write)
			move.handle = m->files[move.handle].other;
		moves[left++] = move;
	}
	return left;
}

static int compare_moves(const void *a, const void *b)
{
	const struct move *x = a, *y = b;

	if (x->handle != y->handle)
		return x->handle < y->handle ? -1 : 1;
	if (x->is_write != y->is_write)
		return x->is_write ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->location > y->location) - (x->location < y->location);
}

/*
 * Of n calls at one end, those of a process that sums were under way with become one sum: which of
 * them moved a byte first is not known. Returns how many there are now.
 */
static uint32_t sums_join(struct move *at, uint32_t n)
{
	uint32_t last = 0;

	for (uint32_t i = 1; i < n; i++) {
		struct move *before = &at[last];

		if (at[i].start >= before->end || at[i].process != before->process ||
			(!at[i].is_sum && !before->is_sum)) {
			at[++last] = at[i];
			continue;
		}
		before->is_sum = true;
		before->bytes += at[i].bytes;
		before->end = at[i].end > before->end ? at[i].end : before->end;
	}
	return n ? last + 1 : 0;
}

/*
 * All bytes of n calls at one end; 0 where two of them were under way at once, as their order is not
 * known, or where several ranks made them.
 */
static uint64_t bytes_of(const struct merge *m, const struct move *at, uint32_t n)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (i &&
			(at[i].start < at[i - 1].end ||
				(at[i].process != at[i - 1].process &&
					ancestor(m, at[i].process) !=
						ancestor(m, at[i - 1].process))))
			return 0;
		bytes += at[i].bytes;
	}
	return bytes;
}

static int mark_add(struct merge *m, const struct move *of, uint64_t start,
	const struct move *partner, uint32_t message)
{
	struct process *p = &m->processes[of->process], *other = &m->processes[partner->process];
	struct stream_scan *s = scan_of(p);

	if (!s ||
		!spool_table_reserve((void **)&s->marks.at, &s->marks_room, s->marks.n,
			sizeof(struct stream_mark)))
		return -1;
	s->marks.at[s->marks.n++] = (struct stream_mark){ start,
		other->first_location + partner->location, of->location, message };
	return 0;
}

/* The wait from `start` on ended by what `write` began to send. */
static int wait_mark(struct merge *m, const struct move *read, uint64_t start,
	const struct move *write, bool is_first, uint32_t *message)
{
	uint32_t number = is_first ? ++*message : 0;

	if (mark_add(m, read, start, write, number) < 0)
		return -1;
	return number ? mark_add(m, write, write->begun, read, number) : 0;
}

/*
 * The calls of one direction. A read is over when the write of its last byte has begun; who asked
 * before whether there is something to read waited for the first one. Of sums the times are not known.
 */
static int direction_match(struct merge *m, const struct move *writes, uint32_t nwrites,
	const struct move *reads, uint32_t nreads, uint32_t *message)
{
	uint64_t begin = 0, before = 0; /* of the read; of the write */
	uint32_t w = 0, used = NONE;

	for (uint32_t i = 0; i < nreads; begin += reads[i++].bytes) {
		const struct move *read = &reads[i], *first;
		bool asked;

		while (w + 1 < nwrites && before + writes[w].bytes <= begin)
			before += writes[w++].bytes;
		first = &writes[w];
		asked = read->waited && first->start <= read->returned && w != used;
		if (asked && !read->is_inside) {
			if (wait_mark(m, read, read->polled, first, !first->is_sum, message) < 0)
				return -1;
			used = w;
		}
		while (w + 1 < nwrites && before + writes[w].bytes < begin + read->bytes)
			before += writes[w++].bytes;
		if (read->is_inside || read->is_sum || writes[w].start > read->end)
			continue;
		if (wait_mark(m, read, read->begun, &writes[w], w != used && !writes[w].is_sum,
			    message) < 0)
			return -1;
		used = w;
	}
	return 0;
}

/* By one clock nothing is read before it was written: then bytes are missing at one end. */
static bool is_possible(const struct merge *m, const struct move *writes, uint32_t nwrites,
	const struct move *reads, uint32_t nreads)
{
	uint64_t read = 0, before = 0;
	uint32_t w = 0;

	if (m->processes[writes->process].node != m->processes[reads->process].node)
		return true;
	for (uint32_t i = 0; i < nreads; i++) {
		read += reads[i].bytes;
		while (w + 1 < nwrites && before + writes[w].bytes < read)
			before += writes[w++].bytes;
		if (writes[w].start > reads[i].end)
			return false;
	}
	return true;
}

static int all_match(struct merge *m, struct move *at, size_t n)
{
	uint32_t message = 0;
	int ret = 0;

	for (size_t i = 0, nwrites, nreads; ret == 0 && i < n; i += nwrites + nreads) {
		uint32_t nsent, nreceived;
		uint64_t bytes;

		for (nwrites = 0; i + nwrites < n && at[i + nwrites].handle == at[i].handle &&
			at[i + nwrites].is_write;)
			nwrites++;
		for (nreads = 0; i + nwrites + nreads < n &&
			at[i + nwrites + nreads].handle == at[i].handle;)
			nreads++;
		if (!nwrites || !nreads ||
			ancestor(m, at[i].process) == ancestor(m, at[i + nwrites].process))
			continue;
		nsent = sums_join(&at[i], (uint32_t)nwrites);
		nreceived = sums_join(&at[i + nwrites], (uint32_t)nreads);
		bytes = bytes_of(m, &at[i], nsent);
		if (bytes && bytes == bytes_of(m, &at[i + nwrites], nreceived) &&
			is_possible(m, &at[i], nsent, &at[i + nwrites], nreceived))
			ret = direction_match(m, &at[i], nsent, &at[i + nwrites], nreceived,
				&message);
	}
	return ret;
}

static int compare_marks(const void *a, const void *b)
{
	const struct stream_mark *x = a, *y = b;

	if (x->location != y->location)
		return x->location < y->location ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* What the processes that this one of the merge has read have moved, and lets go of it. */
static struct move *moves_mine(struct merge *m, size_t *n)
{
	uint32_t most = MOVES_MOST / (m->nprocesses + 1), nleft = 0;
	struct move *mine;

	*n = 0;
	if (most < MOVES_LEAST)
		most = MOVES_LEAST;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct stream_scan *s = m->processes[i].streams;

		if (!s)
			continue;
		nleft += s->moves.n > most;
		if (s->moves.n > most || !is_whole(&m->processes[i]))
			s->moves.n = 0;
		moves_place(m, &m->processes[i]);
		*n += s->moves.n;
	}
	if (nleft)
		log_warn("%" PRIu32 " processes moved data by more than %" PRIu32
			 " calls on sockets: the ranks that they waited for are unknown",
			nleft, most);
	mine = malloc((*n + 1) * sizeof(*mine));
	*n = 0;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct stream_scan *s = m->processes[i].streams;

		if (!s)
			continue;
		if (mine && s->moves.n)
			memcpy(mine + *n, s->moves.at, s->moves.n * sizeof(*mine));
		*n += s->moves.n;
		free(s->moves.at);
		s->moves.at = NULL;
		s->moves.n = 0;
	}
	return mine;
}

int merge_streams(struct merge *m)
{
	size_t n, *sizes = NULL, all_bytes = 0;
	struct move *mine = moves_mine(m, &n);
	char *all = NULL;
	int ret = mine ? 0 : -1;

	if (par_size() > 1) {
		if (par_any_failed(ret) || par_allgather(mine, n * sizeof(*mine), &all, &sizes) < 0)
			ret = -1;
		for (int r = 0; ret == 0 && r < par_size(); r++)
			all_bytes += sizes[r];
		free(mine);
		mine = (struct move *)all;
		n = all_bytes / sizeof(*mine);
		free(sizes);
	}
	if (ret == 0)
		ret = unix_find(m, mine, n);
	if (ret == 0)
		n = moves_direct(m, mine, n);
	if (ret == 0 && n)
		qsort(mine, n, sizeof(*mine), compare_moves);
	if (ret == 0)
		ret = all_match(m, mine, n);
	free(mine);
	for (uint32_t i = 0; ret == 0 && i < m->nprocesses; i++)
		if (m->processes[i].streams && m->processes[i].streams->marks.n)
			qsort(m->processes[i].streams->marks.at, m->processes[i].streams->marks.n,
				sizeof(struct stream_mark), compare_marks);
	if (ret < 0)
		log_error("out of memory for what went through sockets");
	return ret;
}

/* The first mark of the location, or of one behind it. */
static uint32_t marks_of(const struct stream_scan *s, uint32_t location)
{
	uint32_t low = 0, high = s->marks.n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->marks.at[middle].location < location)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct stream_mark *stream_mark_next(const struct process *p, uint32_t location,
	uint64_t start, uint32_t *at)
{
	const struct stream_scan *s = p->streams;

	if (!s || !s->marks.n)
		return NULL;
	if (!*at)
		*at = marks_of(s, location) + 1;
	while (*at <= s->marks.n && s->marks.at[*at - 1].location == location &&
		s->marks.at[*at - 1].start < start)
		++*at;
	return *at <= s->marks.n && s->marks.at[*at - 1].location == location &&
			s->marks.at[*at - 1].start == start
		? &s->marks.at[*at - 1]
		: NULL;
}

void stream_free(struct process *p)
{
	if (!p->streams)
		return;
	free(p->streams->moves.at);
	free(p->streams->marks.at);
	free(p->streams);
	p->streams = NULL;
}
