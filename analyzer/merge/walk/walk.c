/* walk.c - see walk.h. */
#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/log.h"
#include "merge/walk/walk_calls.h"
#include "merge/walk/walk_regions.h"
#include "merge/walk/walk.h"

#define DROP_BYTES (16u << 20)
/* entries: more are no call but one that was left by longjmp */
#define GROUP_MAX (1u << 20)

static struct entry *entry_add(struct group *g)
{
	if (g->n == g->size) {
		uint32_t size = g->size ? 2 * g->size : 64;
		struct entry *grown = realloc(g->entries, size * sizeof(*grown));

		if (!grown) {
			log_error("out of memory");
			return NULL;
		}
		g->entries = grown;
		g->size = size;
	}
	return &g->entries[g->n++];
}

static struct walk_request *request_add(struct group *g)
{
	if (g->nrequests == g->requests_size) {
		uint32_t size = g->requests_size ? 2 * g->requests_size : 64;
		struct walk_request *grown = realloc(g->requests, size * sizeof(*grown));

		if (!grown) {
			log_error("out of memory");
			return NULL;
		}
		g->requests = grown;
		g->requests_size = size;
	}
	return &g->requests[g->nrequests++];
}

/* Keeps a posted request for its completion and for the group's reader. */
static int post(struct walk *walk, struct group *g, const struct walk_request *request)
{
	struct walk_request *kept = request_add(g);

	if (!kept)
		return -1;
	*kept = *request;
	if (kept->kind == REQUEST_COLL && !kept->place &&
		kept->handle < walk->process->spool->comms.n)
		kept->seq = walk->posted[kept->handle]++;
	return requests_post(&walk->requests, kept);
}

/* The request that a non-blocking call's record posts; number 0 when it posts none. */
static struct walk_request posted_by(const uint64_t *rec, unsigned type)
{
	struct walk_request r = { .start = rec[1],
		.region = spool_region(rec[0]),
		.handle = spool_a(rec[0]) };

	if (type == SPOOL_STARTED) {
		r.place = spool_words(rec[2]) > 6 ? rec[6] : 0;
		type = r.place ? SPOOL_COLL_FULL : SPOOL_P2P_LONG;
	}
	switch (type) {
	case SPOOL_P2P:
		r.number = rec[4] >> 32;
		r.sent = r.received = (uint32_t)rec[4];
		break;
	case SPOOL_P2P_LONG:
		r.number = rec[5];
		r.sent = r.received = rec[4];
		break;
	case SPOOL_COLL_FULL:
		r.number = rec[5] >> 32;
		r.kind = REQUEST_COLL;
		r.sent = rec[3];
		r.received = rec[4];
		r.peer = (int32_t)rec[5];
		return r;
	case SPOOL_RMA:
		r.number = rec[3] >> 32;
		r.kind = REQUEST_RMA;
		r.peer = (int32_t)rec[3];
		r.sent = rec[4];
		return r;
	case SPOOL_IO_LONG:
		r.number = spool_words(rec[2]) > 5 ? rec[5] : 0;
		r.kind = REQUEST_IO;
		r.sent = rec[3];
		return r;
	default: return r;
	}
	r.kind = region_infos[r.region].p2p;
	r.peer = (int32_t)rec[3];
	r.tag = (int32_t)(rec[3] >> 32);
	return r;
}

/* MPI_Isendrecv: the send first, so that the receive is found first and leads to it. */
static int post_both(struct walk *walk, struct group *g, const uint64_t *rec)
{
	struct walk_request send = {
		.number = (uint32_t)rec[7], .kind = REQUEST_SEND, .start = rec[1],
		.region = spool_region(rec[0]), .handle = spool_a(rec[0]), .peer = (int32_t)rec[3],
		.tag = (int32_t)(rec[3] >> 32), .sent = rec[4], .received = rec[4],
	}, receive = send;

	receive.kind = REQUEST_RECV;
	receive.peer = (int32_t)rec[5];
	receive.tag = (int32_t)(rec[5] >> 32);
	receive.sent = receive.received = rec[6];
	receive.has_send = true;
	receive.is_unknown = rec[7] >> 32 == SPOOL_SENDRECV_UNKNOWN;
	return post(walk, g, &send) < 0 ? -1 : post(walk, g, &receive);
}

/* What a completion reports: `where` is source and tag, NULL when they are as posted. */
static void amend(struct walk_request *done, uint32_t bytes, const uint64_t *where)
{
	if (done->is_unknown) {
		where = NULL;
		bytes = bytes == SPOOL_BYTES_UNKNOWN ? bytes : SPOOL_BYTES_HUGE;
	}
	/* of a receive from nowhere MPICH says that rank 0 sent it */
	if (done->kind == REQUEST_RECV && where && done->peer != SPOOL_RANK_NULL) {
		done->peer = (int32_t)*where;
		if ((int32_t)(*where >> 32) != SPOOL_TAG_ANY)
			done->tag = (int32_t)(*where >> 32);
	}
	if (done->kind != REQUEST_RECV && done->kind != REQUEST_IO)
		return;
	done->cancelled = bytes == SPOOL_BYTES_UNKNOWN;
	if (bytes < SPOOL_BYTES_HUGE)
		done->received = bytes;
	else if (done->kind == REQUEST_IO)
		done->received = done->sent;
}

/* One completed request of a DONE record. */
static int complete(struct walk *walk, struct group *g, const uint64_t *rec, uint64_t word,
	const uint64_t *where)
{
	struct walk_request done, *kept;

	do {
		if (requests_take(&walk->requests, (uint32_t)word, rec[1], &done) < 0)
			return 0; /* posted before the capture, or its record was lost */
		amend(&done, word >> 32, where);
		kept = request_add(g);
		if (!kept)
			return -1;
		*kept = done;
	} while (done.has_send);
	return 0;
}

static int complete_all(struct walk *walk, struct group *g, const uint64_t *rec)
{
	unsigned type = spool_type(rec[0]), each = type == SPOOL_DONE_SHORT ? 1 : 2;
	uint32_t n = spool_a(rec[0]);

	for (uint32_t i = 0; i < n; i++)
		if (complete(walk, g, rec, rec[3 + each * i], each == 2 ? &rec[4 + 2 * i] : NULL) <
			0)
			return -1;
	return 0;
}

/*
 * Resolves the requests of a record into the group. Records without a call of
 * their own (more completions, started persistent requests) leave theirs to
 * the call that follows.
 */
static int resolve(struct walk *walk, struct group *g, const uint64_t *rec, unsigned type)
{
	struct walk_request request;

	switch (type) {
	case SPOOL_DONE:
	case SPOOL_DONE_SHORT:
	case SPOOL_DONE_MORE: return complete_all(walk, g, rec);
	case SPOOL_SENDRECV:
		return spool_words(rec[2]) > 7 && (uint32_t)rec[7] ? post_both(walk, g, rec) : 0;
	case SPOOL_P2P:
	case SPOOL_P2P_LONG:
	case SPOOL_STARTED:
	case SPOOL_COLL_FULL:
	case SPOOL_RMA:
	case SPOOL_IO_LONG:
		request = posted_by(rec, type);
		return request.number && request.kind ? post(walk, g, &request) : 0;
	default: return 0;
	}
}

static bool has_no_call(unsigned type)
{
	return type == SPOOL_DONE_MORE || type == SPOOL_STARTED;
}

/* Since when nothing more is known of the thread, as its records were lost; 0: all is. */
static uint64_t gap_of(const struct walk_thread *t)
{
	uint64_t gap = t->location->thread->head.gap;

	if (location_is_sampler(t->location))
		return 0;
	if (gap > t->cursor.latest || gap < t->location->process->spool->def.start.ticks)
		gap = 0;
	return !gap && t->cursor.is_truncated ? t->last_end : gap;
}

static int add_gap(struct walk_thread *t)
{
	uint64_t gap = gap_of(t);
	struct entry *e;

	if (!gap)
		return 0;
	e = entry_add(&t->group);
	if (!e)
		return -1;
	*e = (struct entry){ .start = gap, .end = gap, .type = SPOOL_GAP, .is_truncated = 1 };
	return 0;
}

/*
 * Calls that the thread was in at the end, outermost first, after what had
 * finished inside them. One whose record is there too had finished, and so
 * had all calls inside it.
 */
static int add_cut_calls(struct walk_thread *t)
{
	const struct spool_head *head = &t->location->thread->head;
	uint32_t finished = t->group.n;

	for (int depth = 0; depth < SPOOL_MAX_DEPTH; depth++) {
		const struct spool_inside *in = &head->inside[depth];
		bool done = depth == 0 && in->start <= t->last_start;
		struct entry *e;

		if (!in->region || in->region >= REGION_COUNT || in->start > t->cursor.latest)
			break;
		for (uint32_t i = 0; i < finished && !done; i++)
			done = t->group.entries[i].depth == depth &&
				t->group.entries[i].start >= in->start;
		if (done)
			break;
		e = entry_add(&t->group);
		if (!e)
			return -1;
		*e = (struct entry){ .start = in->start,
			.end = t->location->process->cut_ticks,
			.region = in->region,
			.depth = depth,
			.type = SPOOL_CALL,
			.is_truncated = 1,
			.arg = (uint32_t)in->arg };
		if (e->end < e->start)
			e->end = e->start;
	}
	return 0;
}

/* Of a bounded spool the chunks before the one that is read, which begin at pages; not copies. */
static void pieces_drop(struct walk_thread *t)
{
	const struct spool_thread *s = t->location->thread;
	size_t at = (size_t)(t->cursor.piece - s->pieces);

	for (; !s->copy && t->dropped < at; t->dropped++) {
		const struct spool_piece *piece = &s->pieces[t->dropped];

		if (!piece->is_kept) /* those may be a copy, whose page has other data */
			madvise((void *)(uintptr_t)piece->at,
				(size_t)((const char *)piece->end - (const char *)piece->at),
				MADV_DONTNEED);
	}
}

/*
 * Gives back the memory of records after the cursor, so that a spool of any length needs little.
 */
static void drop_behind(struct walk_thread *t)
{
	const struct spool_thread *s = t->location->thread;
	size_t behind = (const char *)t->cursor.at - (const char *)s->map;

	if (s->head.slot_size || s->sums) { /* chunks lie in any order, or are summed */
		pieces_drop(t);
		return;
	}
	if (behind - t->dropped < DROP_BYTES)
		return;
	behind -= behind % DROP_BYTES;
	madvise((char *)s->map + t->dropped, behind - t->dropped, MADV_DONTNEED);
	t->dropped = behind;
}

/*
 * A group that does not end: the thread left a call by longjmp or an
 * exception, so its depth stays raised. From here on the least depth of the
 * group is taken for that of outermost calls.
 */
static void group_cut(struct walk_thread *t)
{
	struct group *g = &t->group;
	uint32_t least = UINT8_MAX;

	for (uint32_t i = 0; i < g->n; i++)
		if (g->entries[i].depth < least)
			least = g->entries[i].depth;
	for (uint32_t i = 0; i < g->n; i++)
		g->entries[i].depth -= least;
	t->base += least;
	t->last_start = g->entries[g->n - 1].start;
	t->end = g->entries[g->n - 1].end;
}

/* The next stretch of which there are sums; behind it the cursor goes on to the one after. */
static int add_sums(struct walk_thread *t)
{
	const struct spool_thread *s = t->location->thread;
	struct spool_stretch *stretch = spool_stretch(s, t->stretch);
	struct entry *e = entry_add(&t->group);

	if (!e || !stretch) {
		free(stretch);
		return -1;
	}
	*e = (struct entry){ .start = stretch->sums.first,
		.end = stretch->sums.last,
		.type = ENTRY_SUMS,
		.arg = t->stretch };
	t->end = t->last_end = stretch->sums.last;
	free(stretch);
	t->is_at_stretch = false;
	spool_cursor_turn(&t->cursor, s, t->stretch,
		t->stretch < s->nkept ? t->stretch + 1 : s->npieces);
	t->stretch++;
	return 0;
}

/* Whether there are sums yet to come; then they are next. */
static bool stretch_reach(struct walk_thread *t)
{
	return t->is_at_stretch = t->stretch < spool_stretches(t->location->thread);
}

/* Reads the next group; t->end becomes UINT64_MAX when there is none. 0, or -1 (reported). */
static int group_read(struct walk_thread *t)
{
	struct group *g = &t->group;
	const uint64_t *rec;

	g->n = g->nrequests = 0;
	g->is_kept = false;
	t->end = UINT64_MAX;
	if (t->is_over)
		return 0;
	if (t->is_at_stretch)
		return add_sums(t);
	g->is_kept = t->stretch && t->stretch <= t->location->thread->nkept;
	drop_behind(t);
	while ((rec = spool_next(&t->cursor))) {
		struct entry *e = entry_add(g);

		if (!e)
			return -1;
		*e = (struct entry){ .rec = rec,
			.start = rec[1],
			.end = spool_record_end(rec),
			.region = spool_region(rec[0]),
			.type = spool_type(rec[0]) };
		if (spool_depth(rec[0]) > t->base)
			e->depth = spool_depth(rec[0]) - t->base;
		if (e->end > t->last_end)
			t->last_end = e->end;
		if (e->depth == 0 && !has_no_call(e->type)) {
			/* the last of several calls began later than the record */
			t->last_start = e->type == SPOOL_FOLD ? e->end : e->start;
			t->end = e->end;
			return 0;
		}
		if (g->n >= GROUP_MAX && !has_no_call(e->type)) {
			group_cut(t);
			return 0;
		}
	}
	if (stretch_reach(t)) {
		t->end = t->last_end;
		return g->n ? 0 : add_sums(t);
	}
	t->is_over = true;
	if (add_gap(t) < 0 || add_cut_calls(t) < 0)
		return -1;
	if (g->n)
		t->end = UINT64_MAX - 1; /* after all that has an end */
	return 0;
}

/* The same, with the launches that have no records in the spool. */
static int group_load(struct walk_thread *t)
{
	int ret = 0;

	if (t->has_next)
		calls_next_take(t);
	else
		ret = group_read(t);
	return ret < 0 || t->call == t->calls_behind ? ret : calls_insert(t, group_read);
}

/*
 * After records that were lost nobody knows which message or collective a call of MPI is, as they
 * are matched by their order: it stays a call.
 */
static void forget_partners(struct walk_thread *t, struct entry *e)
{
	t->is_behind_gap |= e->type == SPOOL_GAP && e->rec;
	if (!t->is_behind_gap || (e->type > SPOOL_RMA && e->type != SPOOL_DONE_SHORT) ||
		region_class(e->region) != REGION_CLASS_MPI ||
		region_infos[e->region].io != IO_OP_NONE)
		return;
	e->type = SPOOL_CALL;
	e->nrequests = 0;
}

/*
 * Resolves all requests of the loaded group and drops what is no call of its own. Requests of such
 * records belong to the call around them; a record inside that call (the clock of a new chunk) takes
 * none of them.
 */
static int group_resolve(struct walk *walk, struct walk_thread *t)
{
	struct group *g = &t->group;
	uint32_t first = 0, kept = 0;
	uint32_t inside = 0; /* the depth of records that wait for their call */

	for (uint32_t i = 0; i < g->n; i++) {
		struct entry *e = &g->entries[i];

		if (e->rec && resolve(walk, g, e->rec, e->type) < 0)
			return -1;
		if (e->type == ENTRY_SUMS && walk_sums_requests(walk, t->location, e->arg) < 0)
			return -1;
		if (has_no_call(e->type)) {
			inside = e->depth;
			continue;
		}
		if (!inside || e->depth < inside) {
			e->first_request = first;
			e->nrequests = g->nrequests - first;
			first = g->nrequests;
			inside = 0;
		}
		forget_partners(t, e);
		g->entries[kept++] = *e;
	}
	g->n = kept;
	return 0;
}

/* The thread whose group ended first, NULL when all are through. */
static struct walk_thread *next_thread(struct walk *walk)
{
	struct walk_thread *best = &walk->threads[0];

	for (uint32_t i = 1; i < walk->nthreads; i++)
		if (walk->threads[i].end < best->end)
			best = &walk->threads[i];
	return best->end == UINT64_MAX ? NULL : best;
}

static int walk_loop(struct walk *walk, walk_visitor visit, void *context)
{
	struct walk_thread *t;

	for (uint32_t i = 0; i < walk->nthreads; i++)
		if (group_load(&walk->threads[i]) < 0)
			return -1;
	while ((t = next_thread(walk)))
		if (group_resolve(walk, t) < 0 || visit(walk, t, context) < 0 || group_load(t) < 0)
			return -1;
	return 0;
}

int walk_run(struct process *process, struct location **locations, uint32_t n, walk_visitor visit,
	void *context)
{
	struct walk walk = { .process = process,
		.nthreads = n,
		.threads = calloc(n, sizeof(*walk.threads)),
		.posted = calloc((size_t)process->spool->comms.n + 1, sizeof(*walk.posted)) };
	int ret = -1;

	if (!walk.threads || !walk.posted) {
		free(walk.threads);
		free(walk.posted);
		log_error("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < n; i++) {
		walk.threads[i].location = locations[i];
		spool_cursor_start(&walk.threads[i].cursor, locations[i]->thread);
		stretch_reach(&walk.threads[i]);
		walk.threads[i].call = locations[i]->launches;
		walk.threads[i].calls_behind = locations[i]->launches_behind;
	}
	ret = walk_loop(&walk, visit, context);
	/* those that were never completed are not among the k-th to be completed */
	if (requests_have_collective(&walk.requests))
		locations[0]->scan.has_disorder = 1;
	for (uint32_t i = 0; i < n; i++) {
		locations[i]->scan.torn = walk.threads[i].cursor.torn;
		free(walk.threads[i].group.entries);
		free(walk.threads[i].group.requests);
		free(walk.threads[i].next.entries);
		free(walk.threads[i].next.requests);
	}
	requests_free(&walk.requests);
	free(walk.threads);
	free(walk.posted);
	return ret;
}

const uint64_t *group_call_around(const struct group *g, uint32_t i, enum region_class class)
{
	unsigned depth = g->entries[i].depth;

	for (uint32_t k = i + 1; k < g->n && depth; k++) {
		const struct entry *e = &g->entries[k];

		if (e->depth >= depth)
			continue;
		depth = e->depth;
		if (e->rec && region_class(e->region) == class)
			return e->rec;
	}
	return NULL;
}

static uint32_t wait_region(uint32_t region, unsigned how)
{
	bool polls = region == REGION_epoll_wait || region == REGION_epoll_pwait ||
		region == REGION_epoll_pwait2;

	if (how == SPOOL_SYNC_HANGUP)
		return REGION_POLL_HANGUP;
	return polls && how == SPOOL_SYNC_MISS ? (uint32_t)REGION_EPOLL_TIMEOUT : region;
}

uint32_t entry_region(const struct entry *e)
{
	if (e->type == SPOOL_THREAD_END)
		return REGION_THREAD_END;
	return e->type == SPOOL_SYNC ? wait_region(e->region, spool_a(e->rec[0])) : e->region;
}

uint32_t fold_region(const uint64_t *kind)
{
	return wait_region(fold_is_of(kind), fold_how(kind));
}

bool fold_io(const struct entry *fold, const uint64_t *kind, uint64_t words[4], struct entry *e)
{
	uint32_t region = fold_region(kind);

	if (!fold_calls(kind) || (fold_how(kind) && !fold_has_moved(kind)) ||
		region_class(region) != REGION_CLASS_IO)
		return false;
	words[0] = spool_word0(SPOOL_IO_PLAIN, 0, region, (uint32_t)kind[1]);
	words[1] = fold->start;
	words[2] = spool_word2(fold->end - fold->start, 4);
	words[3] = fold_has_moved(kind) ? fold_bytes(kind) : UINT64_MAX;
	*e = (struct entry){ .rec = words,
		.start = fold->start,
		.end = fold->end,
		.region = region,
		.type = SPOOL_IO_PLAIN,
		.is_sum = true };
	return true;
}
