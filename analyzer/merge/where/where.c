/* where.c - reads the spools of a run as merge does, and keeps what is open at their end; see where.h. */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/par.h"
#include "merge/walk/walk_regions.h"
#include "merge/walk/walk.h"
#include "merge/nccl/nccl.h"
#include "merge/nccl/nccl_parts.h"
#include "merge/where/where.h"

struct where_reader {
	const struct merge *merge;
	const struct where *where;
	struct where_rank *rank;
	int hint;
};

/* The rank's part in a communicator of the archive, made when first wanted; NULL without memory. */
static struct where_part *part_of(struct where_rank *rank, uint32_t comm)
{
	struct where_part **part = &rank->parts[comm];

	if (!*part && !(*part = calloc(1, sizeof(**part))))
		log_error("out of memory");
	return *part;
}

static int64_t time_of(struct where_reader *reader, uint64_t ticks)
{
	const struct process *p = &reader->merge->processes[reader->rank->process];

	return (int64_t)process_time(reader->merge, p, ticks, &reader->hint);
}

static uint32_t comm_of(const struct where_reader *reader, uint32_t id)
{
	return process_comm(&reader->merge->processes[reader->rank->process], id);
}

/* The place of a request that is in flight; they are posted in the order of their ids. */
static struct where_pending *pending_find(struct where_rank *rank, uint64_t id)
{
	size_t at = LOWER_BOUND(i, 0, rank->pending.n, rank->pending.at[i].id < id);

	return at < rank->pending.n && rank->pending.at[at].id == id ? &rank->pending.at[at] : NULL;
}

/* Takes out what is done, when that is most of it. */
static void pending_tidy(struct where_rank *rank)
{
	size_t kept = 0;

	if (rank->pending.n < 64 || rank->pending.n < rank->pending.cap)
		return;
	for (size_t i = 0; i < rank->pending.n; i++)
		if (!rank->pending.at[i].is_done)
			rank->pending.at[kept++] = rank->pending.at[i];
	rank->pending.n = kept;
}

static int pending_add(struct where_reader *reader, const struct walk_request *request)
{
	struct where_rank *rank = reader->rank;
	struct where_pending *pending;
	uint32_t comm = request->kind == REQUEST_RMA || request->kind == REQUEST_IO
		? NONE
		: comm_of(reader, request->handle);

	pending_tidy(rank);
	pending = ARRAY_ADD(&rank->pending);
	if (!pending)
		return -1;
	*pending = (struct where_pending){ .id = request->id,
		.kind = request->kind,
		.region = request->region,
		.comm = comm,
		.peer = request->peer };
	/* a persistent one has its own count */
	if (request->kind == REQUEST_COLL && !request->place && comm != NONE)
		pending->number = rank->parts[comm] ? rank->parts[comm]->n : 0;
	else if (request->kind == REQUEST_COLL)
		pending->comm = NONE;
	return 0;
}

static int requests_note(struct where_reader *reader, const struct group *g, const struct entry *e)
{
	for (uint32_t i = 0; i < e->nrequests; i++) {
		const struct walk_request *request = &g->requests[e->first_request + i];
		struct where_pending *pending = pending_find(reader->rank, request->id);

		if (pending)
			pending->is_done = true;
		else if (!entry_completes(e) && pending_add(reader, request) < 0)
			return -1;
	}
	return 0;
}

static void mark_note(struct where_reader *reader, const struct walk_thread *t,
	const struct entry *e)
{
	const struct process *p = &reader->merge->processes[reader->rank->process];
	uint32_t name = spool_a(e->rec[0]);

	if (e->region == SPOOL_MARK_STEP && e->type == SPOOL_BEGIN) {
		reader->rank->step = e->rec[3] & ~SPOOL_STEP_FOUND;
		reader->rank->has_step = true;
	}
	if (e->region != SPOOL_MARK_PHASE || !t->location->is_main)
		return;
	reader->rank->phase = e->type == SPOOL_BEGIN && name < p->spool->names.n
		? p->spool->names.at[name]
		: NULL;
}

static int collective_note(struct where_reader *reader, const struct entry *e)
{
	bool full = e->type == SPOOL_COLL_FULL;
	uint32_t comm = comm_of(reader, spool_a(e->rec[0]));
	struct where_op op = { e->region, full ? (int32_t)e->rec[5] : SPOOL_ROOT_NONE, -1 };
	uint64_t received = full ? e->rec[4] : 0;
	struct where_part *part;

	if (comm == NONE)
		return 0;
	part = part_of(reader->rank, comm);
	if (!part)
		return -1;
	op.bytes = where_bytes_agreed(reader->where, reader->rank, comm, &op,
		e->rec[3] > received ? e->rec[3] : received);
	part->last[part->n++ % WHERE_KEPT] = op;
	return 0;
}

static void nccl_note(struct where_reader *reader, const struct entry *e)
{
	const struct merge *m = reader->merge;
	const struct process *p = &m->processes[reader->rank->process];
	const struct spool_nccl_comm *c = nccl_comm_of(p, spool_a(e->rec[0]));
	uint32_t seq = (uint32_t)e->rec[4], root = e->rec[4] >> 32, comm;
	struct where_part *part;

	if (!c || !c->name || c->global < m->ncomms || nccl_is_message(nccl_op(e->region)))
		return;
	comm = c->global - m->ncomms; /* they are numbered after MPI's */
	if (comm >= m->nnccl_comms || seq < reader->rank->nccl[comm].n)
		return;
	part = &reader->rank->nccl[comm];
	for (uint32_t i = 0; i < WHERE_KEPT && part->n + i < seq; i++)
		part->last[(seq - 1 - i) % WHERE_KEPT].region = REGION_NONE;
	part->last[seq % WHERE_KEPT] = (struct where_op){ e->region,
		root == SPOOL_NCCL_NO_PEER ? SPOOL_ROOT_NONE : (int32_t)root, (int64_t)e->rec[3] };
	part->n = seq + 1;
}

/* A call that had not returned, with what was noted of it when it began. */
static void open_note(struct where_reader *reader, struct where_thread *thread,
	const struct entry *e)
{
	const struct spool_inside *inside = &thread->location->thread->head
						     .inside[e->depth % SPOOL_MAX_DEPTH];
	struct where_call *call;

	if (thread->ncalls == SPOOL_MAX_DEPTH)
		return;
	call = &thread->calls[thread->ncalls++];
	*call = (struct where_call){ e->region, e->arg, WHERE_NO_PEER, -1,
		time_of(reader, e->start) };
	if (inside->arg >> 32)
		call->peer = spool_inside_peer(inside->arg);
	if (inside->bytes && inside->bytes < UINT32_MAX)
		call->bytes = inside->bytes - 1;
}

/* What was before the detail: how many collectives, and the markers that are open. */
static int sums_note(struct where_reader *reader, const struct walk_thread *t,
	const struct totals_sums *sums)
{
	const struct process *p = &reader->merge->processes[reader->rank->process];
	for (int i = 0; i < TOTALS_COMMS; i++) {
		uint32_t comm = comm_of(reader, sums->comms[i].comm);
		struct where_part *part = comm == NONE ? NULL : part_of(reader->rank, comm);

		if (comm != NONE && !part)
			return -1;
		if (part)
			part->n += (uint32_t)sums->comms[i].begun;
	}
	for (uint32_t i = 0; i < sums->nmarks && t->location->is_main; i++) {
		const struct totals_mark *mark = &sums->marks[i];

		if (mark->kind == SPOOL_MARK_STEP) {
			reader->rank->step = mark->value & ~SPOOL_STEP_FOUND;
			reader->rank->has_step = true;
		} else if (mark->kind == SPOOL_MARK_PHASE && mark->name < p->spool->names.n) {
			reader->rank->phase = p->spool->names.at[mark->name];
		}
	}
	return 0;
}

static int stretch_note(struct where_reader *reader, const struct walk_thread *t, uint32_t i)
{
	struct spool_stretch *stretch = spool_stretch(t->location->thread, i);
	int ret = stretch ? sums_note(reader, t, &stretch->sums) : -1;

	free(stretch);
	return ret;
}

static int visit(struct walk *walk, struct walk_thread *t, void *context)
{
	struct where_reader *reader = context;
	struct where_thread *thread = NULL;

	(void)walk;
	for (uint32_t i = 0; i < reader->rank->nthreads && !thread; i++)
		if (reader->rank->threads[i].location == t->location)
			thread = &reader->rank->threads[i];
	for (uint32_t i = 0; thread && i < t->group.n; i++) {
		const struct entry *e = &t->group.entries[i];

		if (e->type == SPOOL_GAP)
			continue;
		if (e->type == ENTRY_SUMS) {
			if (stretch_note(reader, t, e->arg) < 0)
				return -1;
			continue;
		}
		if (e->is_truncated) {
			open_note(reader, thread, e);
			continue;
		}
		if (requests_note(reader, &t->group, e) < 0)
			return -1;
		if (e->type == SPOOL_BEGIN || e->type == SPOOL_END)
			mark_note(reader, t, e);
		if ((e->type == SPOOL_COLL || e->type == SPOOL_COLL_FULL) &&
			collective_note(reader, e) < 0)
			return -1;
		if (e->type == SPOOL_NCCL)
			nccl_note(reader, e);
		thread->last = time_of(reader, e->end);
	}
	return 0;
}

static int rank_read(struct where *where, struct where_rank *rank)
{
	const struct merge *m = where->merge;
	struct process *p = &m->processes[rank->process];
	struct location **all = calloc(p->nlocations + 1, sizeof(*all));
	struct where_reader reader = { m, where, rank, 0 };
	uint32_t n = 0;
	int ret = 0;

	rank->threads = calloc(p->nlocations + 1, sizeof(*rank->threads));
	rank->parts = calloc(m->ncomms + 1, sizeof(*rank->parts));
	rank->nccl = calloc(m->nnccl_comms + 1, sizeof(*rank->nccl));
	if (!all || !rank->threads || !rank->parts || !rank->nccl) {
		log_error("out of memory");
		ret = -1;
	}
	for (uint32_t i = 0; ret == 0 && p->spool && i < p->nlocations; i++)
		if (p->locations[i].thread && !location_is_sampler(&p->locations[i])) {
			rank->threads[n].location = all[n] = &p->locations[i];
			n++;
		}
	rank->nthreads = n;
	rank->now = p->spool ? time_of(&reader, p->cut_ticks) : 0;
	if (ret == 0 && n)
		ret = walk_run(p, all, n, visit, &reader);
	for (uint32_t i = 0; i < n; i++) /* the heartbeat of a process that lives is a bit old */
		rank->now = rank->threads[i].last > rank->now ? rank->threads[i].last : rank->now;
	free(all);
	return ret;
}

static int rank_read_one(void *context, size_t i)
{
	struct where *where = context;

	return rank_read(where,
		i < where->nranks ? &where->ranks[i] : &where->children[i - where->nranks]);
}

/* All processes of the model that are ranks, or children of theirs. */
static int ranks_find(struct where *where)
{
	const struct merge *m = where->merge;

	where->ranks = calloc(m->nprocesses + 1, sizeof(*where->ranks));
	where->children = calloc(m->nprocesses + 1, sizeof(*where->children));
	where->place = calloc(m->nprocesses + 1, sizeof(*where->place));
	if (!where->ranks || !where->children || !where->place) {
		log_error("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		where->place[i] = NONE;
		if (m->processes[i].child) {
			where->children[where->nchildren++] = (struct where_rank){ .process = i,
				.rank = -1 };
			continue;
		}
		where->place[i] = where->nranks;
		where->ranks[where->nranks++] = (struct where_rank){ .process = i,
			.rank = m->processes[i].rank };
	}
	return 0;
}

int where_read(struct where *where, const struct merge *merge, int jobs)
{
	*where = (struct where){ .merge = merge };
	if (ranks_find(where) < 0 ||
		par_for(jobs, where->nranks + where->nchildren, rank_read_one, where) < 0)
		return -1;
	return where_connect(where);
}

static void rank_free(const struct where *where, struct where_rank *rank)
{
	free(rank->threads);
	for (uint32_t c = 0; rank->parts && c < where->merge->ncomms; c++)
		free(rank->parts[c]);
	free(rank->parts);
	free(rank->nccl);
	free(rank->pending.at);
	free(rank->waits_for.at);
}

void where_free(struct where *where)
{
	for (uint32_t i = 0; i < where->nranks; i++)
		rank_free(where, &where->ranks[i]);
	for (uint32_t i = 0; i < where->nchildren; i++)
		rank_free(where, &where->children[i]);
	free(where->ranks);
	free(where->children);
	free(where->place);
	free(where->hang.ranks);
	free(where->hang.waited_for);
}
