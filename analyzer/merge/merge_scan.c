/*
 * merge_scan.c - the first pass: extents of the locations, messages counted
 * per channel, clock pairs. Processes are shared among threads and among the
 * ranks of a parallel merge; afterwards every rank knows everything.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/merge_channels.h"
#include "merge/gpu/gpu.h"
#include "merge/merge_messages.h"
#include "merge/nccl/nccl.h"
#include "merge/walk/walk_regions.h"
#include "merge/merge_scan.h"
#include "merge/clock/clock_socket.h"
#include "merge/merge_stream.h"
#include "merge/merge_sums.h"
#include "merge/clock/clock_sync.h"
#include "merge/walk/walk.h"
#include "merge/merge_whole.h"
#include "base/par.h"

struct record_scan {
	struct merge *merge;
	struct process *process;
	struct merge_channels channels;
	const struct entry *entry; /* whose messages are being counted */
	uint64_t latest;	   /* of the collectives completed, the one posted last */
};

static int message_count(void *context, const struct message_end *message)
{
	struct record_scan *scan = context;
	struct merge_channel *channel = channel_get(&scan->channels, &message->channel);

	if (!channel)
		return -1;
	return sync_message(scan->merge, scan->process, scan->entry, message,
		message->is_send ? channel->sends++ : channel->recvs++);
}

static bool is_join(const struct entry *e)
{
	enum region_class class = region_class(e->region);

	if (e->type == SPOOL_CUDA || e->type == SPOOL_NCCL || e->type == SPOOL_BEGIN)
		return true;
	return e->type < SPOOL_CLOCK &&
		(class == REGION_CLASS_MPI || class == REGION_CLASS_CUDA ||
			class == REGION_CLASS_NCCL || class == REGION_CLASS_TORCH);
}

static bool is_init(const struct entry *e)
{
	const char *name = region_infos[e->region].name;

	return e->type < SPOOL_BEGIN &&
		((strncmp(name, "MPI_Init", 8) == 0 && strcmp(name, "MPI_Initialized") != 0) ||
			strcmp(name, "MPI_Session_init") == 0);
}

static void scan_entry(struct location_scan *s, const struct entry *e)
{
	uint32_t region = entry_region(e);

	if (region && e->type != SPOOL_BEGIN && e->type != SPOOL_END && e->type != SPOOL_FOLD)
		s->used[region / 32] |= 1u << region % 32;
	for (unsigned k = 3; e->type == SPOOL_FOLD && k < spool_words(e->rec[2]);
		k += SPOOL_FOLD_WORDS) {
		if (!fold_calls(&e->rec[k]))
			continue;
		region = fold_region(&e->rec[k]);
		s->used[region / 32] |= 1u << region % 32;
	}
	if (!s->nrecords++)
		s->first = e->start;
	if (e->start < s->first)
		s->first = e->start;
	if (!e->is_truncated && e->end > s->last)
		s->last = e->end;
	if (e->is_truncated && e->start > s->last)
		s->last = e->start;
	if (is_join(e) && e->start < s->first_join)
		s->first_join = e->start;
	if (is_init(e))
		s->has_init = 1;
	if (e->type == SPOOL_BEGIN && e->region == SPOOL_MARK_STEP)
		s->has_steps = 1;
	s->nstep_ends += e->type == SPOOL_END && e->region == SPOOL_MARK_STEP;
	if (e->type == SPOOL_COLL || e->type == SPOOL_COLL_FULL ||
		(e->type == SPOOL_RMA && e->region == REGION_MPI_Win_fence))
		s->has_collectives = 1;
}

/* What an entry has moved through sockets, or each kind of calls that it sums. */
static int sockets_add(struct record_scan *scan, struct process *p, struct location *l,
	const struct entry *e)
{
	uint64_t words[4];
	struct entry io;

	if (e->type != SPOOL_FOLD)
		return socket_sync_add(scan->merge, p, e) < 0 || stream_add(p, l, e) < 0 ? -1 : 0;
	for (unsigned k = 3; k < spool_words(e->rec[2]); k += SPOOL_FOLD_WORDS)
		if (fold_io(e, &e->rec[k], words, &io) &&
			(socket_sync_add(scan->merge, p, &io) < 0 || stream_add(p, l, &io) < 0))
			return -1;
	return 0;
}

/*
 * Whoever reads the archive counts non-blocking collectives when they complete. Persistent ones say
 * which they are.
 */
static void order_look(struct record_scan *scan, struct location_scan *s, const struct group *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		const struct entry *e = &g->entries[i];

		for (uint32_t k = 0; entry_completes(e) && k < e->nrequests; k++) {
			const struct walk_request *r = &g->requests[e->first_request + k];

			if (r->kind != REQUEST_COLL || r->place)
				continue;
			if (r->id < scan->latest)
				s->has_disorder = 1;
			else
				scan->latest = r->id;
		}
	}
}

/* Threads may note the same mark at once; they all write the same. */
static void mark_use(struct merge *m, const struct process *p, const struct entry *e)
{
	uint32_t mark = process_mark(p, spool_a(e->rec[0]), e->region);

	if (mark != NONE)
		__atomic_store_n(&m->mark_used[mark], 1, __ATOMIC_RELAXED);
}

static int scan_group(struct walk *walk, struct walk_thread *t, void *context)
{
	struct record_scan *scan = context;
	struct location_scan *s = &t->location->scan;

	if (t->group.nrequests) {
		s->has_requests = 1;
		order_look(scan, s, &t->group);
	}
	if (gpu_scan_group(walk->process, &t->group, &t->location->captures) < 0 ||
		nccl_scan_group(walk->process, &t->group) < 0)
		return -1;
	for (uint32_t i = 0; i < t->group.n; i++) {
		const struct entry *e = &t->group.entries[i];

		if (e->type == SPOOL_NCCL_PLAN || e->type == SPOOL_GRAPH)
			continue;
		if (e->type == ENTRY_SUMS) {
			if (sums_scan(scan->merge, walk, t->location, e->arg, &scan->channels) < 0)
				return -1;
			continue;
		}
		if (e->type == SPOOL_CLOCK) {
			if (process_clock_add(walk->process, e->rec) < 0)
				return -1;
			continue;
		}
		scan_entry(s, e);
		if (sync_add(scan->merge, walk->process, &t->group, e) < 0 ||
			sockets_add(scan, walk->process, t->location, e) < 0)
			return -1;
		if (e->type == SPOOL_BEGIN)
			mark_use(scan->merge, walk->process, e);
		scan->entry = e;
		if (!t->group.is_kept &&
			messages_of(scan->merge, walk->process, &t->group, e, message_count, scan) <
				0)
			return -1;
	}
	return 0;
}

static int scan_process(struct record_scan *scan)
{
	struct process *p = scan->process;
	struct location **all = calloc(p->nlocations + 1, sizeof(*all));
	int ret = 0;

	if (!all)
		return -1;
	for (uint32_t i = 0; i < p->nlocations; i++) {
		p->locations[i].process = p;
		all[i] = &p->locations[i];
	}
	if (scan->merge->summed)
		ret = whole_sum(p);
	if (ret == 0)
		ret = gpu_scan(p);
	if (ret == 0 && p->nlocations)
		ret = walk_run(p, all, p->nlocations, scan_group, scan);
	if (gpu_scan_end(p) < 0)
		ret = -1;
	if (ret == 0)
		ret = nccl_scan_end(p);
	if (ret == 0)
		ret = nccl_scan_sync(scan->merge, p);
	if (socket_sync_end(scan->merge, p) < 0)
		ret = -1;
	for (unsigned i = 0; i < p->spool->nthreads; i++)
		spool_thread_rest(p->spool->threads[i]);
	free(all);
	return ret;
}

struct scan_job {
	struct merge *merge;
	struct record_scan *scans; /* one per process */
};

static int scan_one(void *context, size_t i)
{
	struct scan_job *job = context;

	if (job->merge->processes[i].par != par_rank())
		return 0;
	job->scans[i] = (struct record_scan){ .merge = job->merge,
		.process = &job->merge->processes[i] };
	return scan_process(&job->scans[i]);
}

/* Bytes of a process's spools, by which the work is shared. */
static uint64_t process_bytes(const struct process *p)
{
	uint64_t bytes = 4096;

	for (uint32_t i = 0; i < p->nlocations; i++)
		bytes += p->locations[i].thread->map_size;
	for (uint32_t i = 0; i < p->gpu->nspools; i++)
		bytes += p->gpu->spools[i].thread->map_size;
	return bytes;
}

void merge_share(struct merge *m)
{
	uint64_t *load = calloc(par_size(), sizeof(*load));

	for (uint32_t i = 0; load && i < m->nprocesses; i++) {
		int least = 0;

		for (int r = 1; r < par_size(); r++)
			if (load[r] < load[least])
				least = r;
		m->processes[i].par = least;
		load[least] += process_bytes(&m->processes[i]);
	}
	free(load);
}

/* What one rank tells the others of a process, before its locations and pairs. */
struct scan_message {
	uint32_t process, nlocations, nclocks, nstreams, nactive;
	struct gpu_totals gpu;
};

struct buffer {
	char *at;
	size_t n, size;
};

static int put(struct buffer *b, const void *data, size_t n)
{
	if (b->n + n > b->size) {
		size_t size = 2 * (b->n + n);
		char *grown = realloc(b->at, size);

		if (!grown) {
			log_error("out of memory");
			return -1;
		}
		b->at = grown;
		b->size = size;
	}
	if (n)
		memcpy(b->at + b->n, data, n);
	b->n += n;
	return 0;
}

static int put_process(struct buffer *b, const struct process *p, uint32_t number)
{
	struct scan_message head = { number, p->nlocations, p->clocks.n, p->gpu->nstreams,
		p->gpu->nactivities > 0, p->gpu->totals };

	if (put(b, &head, sizeof(head)) < 0)
		return -1;
	for (uint32_t i = 0; i < p->nlocations; i++)
		if (put(b, &p->locations[i].scan, sizeof(p->locations[i].scan)) < 0)
			return -1;
	if (put(b, p->clocks.at, p->clocks.n * sizeof(*p->clocks.at)) < 0)
		return -1;
	return put(b, p->gpu->streams, p->gpu->nstreams * sizeof(*p->gpu->streams));
}

/* Takes in what a rank said of its processes; returns what is after them (its channels). */
static const char *take_processes(struct merge *m, const char *at, uint32_t count, bool mine)
{
	while (count--) {
		struct scan_message head;
		struct process *p;

		memcpy(&head, at, sizeof(head));
		at += sizeof(head);
		p = &m->processes[head.process];
		for (uint32_t i = 0; i < head.nlocations; i++, at += sizeof(struct location_scan))
			if (!mine)
				memcpy(&p->locations[i].scan, at, sizeof(struct location_scan));
		if (!mine && head.nclocks) {
			p->clocks.at = malloc(head.nclocks * sizeof(*p->clocks.at));
			p->clocks.n = p->clocks.at ? head.nclocks : 0;
			if (p->clocks.at)
				memcpy(p->clocks.at, at, head.nclocks * sizeof(*p->clocks.at));
		}
		at += head.nclocks * sizeof(struct spool_def_clock);
		if (!mine)
			gpu_take(p, head.nstreams, at, head.nactive, &head.gpu);
		at += head.nstreams * sizeof(struct gpu_stream);
	}
	return at;
}

/* Tells all ranks what each found. */
static int scans_swap(struct merge *m, struct merge_channels *channels)
{
	struct buffer b = { 0 };
	size_t *sizes = NULL;
	uint32_t count = 0;
	char *all = NULL;
	const char *at;
	int ret = 0;

	if (par_size() == 1)
		return channels_add(m->channels, channels);
	for (uint32_t i = 0; i < m->nprocesses; i++)
		count += m->processes[i].par == par_rank();
	ret = put(&b, &count, sizeof(count));
	for (uint32_t i = 0; ret == 0 && i < m->nprocesses; i++)
		if (m->processes[i].par == par_rank())
			ret = put_process(&b, &m->processes[i], i);
	if (ret == 0)
		ret = put(&b, &channels->size, sizeof(channels->size));
	if (ret == 0)
		ret = put(&b, channels->at, channels->size * sizeof(*channels->at));
	if (par_any_failed(ret) || par_allgather(b.at, b.n, &all, &sizes) < 0) {
		free(b.at);
		return -1;
	}
	at = all;
	for (int r = 0; r < par_size(); at += sizes[r++]) {
		struct merge_channels theirs = { 0 };
		const char *rest;

		memcpy(&count, at, sizeof(count));
		rest = take_processes(m, at + sizeof(count), count, r == par_rank());
		memcpy(&theirs.size, rest, sizeof(theirs.size));
		theirs.at = malloc(theirs.size * sizeof(*theirs.at) + 1);
		if (!theirs.at) {
			ret = -1;
			continue;
		}
		memcpy(theirs.at, rest + sizeof(theirs.size), theirs.size * sizeof(*theirs.at));
		if (channels_add(m->channels, &theirs) < 0)
			ret = -1;
		channels_free(&theirs);
	}
	free(all);
	free(sizes);
	free(b.at);
	return par_any_failed(ret) ? -1 : 0;
}

/* A mark is used when any rank of the merge met it. */
static int marks_swap(struct merge *m)
{
	size_t *sizes;
	char *all;

	if (par_allgather(m->mark_used, m->nmarks, &all, &sizes) < 0)
		return -1;
	for (size_t i = 0; i < (size_t)m->nmarks * par_size(); i++)
		m->mark_used[i % m->nmarks] |= all[i];
	free(all);
	free(sizes);
	return 0;
}

int merge_scan(struct merge *m, int jobs)
{
	struct scan_job job = { m, calloc(m->nprocesses, sizeof(*job.scans)) };
	struct merge_channels mine = { 0 };
	int ret = -1;

	m->channels = calloc(1, sizeof(*m->channels));
	if (job.scans && m->channels)
		ret = par_for(jobs, m->nprocesses, scan_one, &job);
	for (uint32_t i = 0; job.scans && i < m->nprocesses; i++) {
		if (ret == 0)
			ret = channels_add(&mine, &job.scans[i].channels);
		channels_free(&job.scans[i].channels);
	}
	free(job.scans);
	ret = par_any_failed(ret);
	if (ret == 0)
		ret = scans_swap(m, &mine);
	if (ret == 0)
		ret = marks_swap(m);
	channels_free(&mine);
	return ret;
}
