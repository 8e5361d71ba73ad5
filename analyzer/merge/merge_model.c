/*
 * merge_model.c - the processes of the run: read, put on nodes and clocks, and
 * ordered: who is rank 3, who is its child, which number each location has.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/containers.h"
#include "base/log.h"
#include "base/rundir.h"
#include "merge/gpu/gpu.h"
#include "merge/merge_model.h"
#include "merge/merge_stream.h"
#include "merge/nccl/nccl.h"
#include "merge/clock/clock_sync.h"
#include "spool/spool_lives.h"
#include "tacho/host.h"

static bool process_init(struct process *p, struct spool_process *spool)
{
	*p = (struct process){ .spool = spool, .rank = -1, .mpi_number = NONE, .parent = NONE };
	p->locations = calloc(spool->nthreads + 1, sizeof(*p->locations));
	for (uint32_t i = 0; p->locations && i < spool->nthreads; i++) {
		struct location *l = &p->locations[p->nlocations];

		if (spool->threads[i]->head.kind == SPOOL_KIND_GPU)
			continue;
		l->thread = spool->threads[i];
		l->scan.first_join = UINT64_MAX;
		p->nlocations++;
	}
	p->start_ns = spool->def.start.realtime_ns;
	p->rank = spool->def.rank;
	return p->locations && gpu_open(p) == 0;
}

/* The node of a process by host and boot, added when new. NONE without memory. */
static uint32_t node_of(struct merge *m, const struct spool_process *spool)
{
	struct merge_node *grown;

	for (uint32_t i = 0; i < m->nnodes; i++)
		if (strcmp(m->nodes[i].hostname, spool->hostname) == 0 &&
			strcmp(m->nodes[i].boot_id, spool->boot_id) == 0)
			return i;
	grown = realloc(m->nodes, (m->nnodes + 1) * sizeof(*grown));
	if (!grown)
		return NONE;
	m->nodes = grown;
	grown[m->nnodes] = (struct merge_node){ .hostname = spool->hostname,
		.boot_id = spool->boot_id };
	return m->nnodes++;
}

/* When reading began, on this node's clocks. */
struct instant {
	uint64_t tsc, monotonic_ns;
};

static struct instant instant_now(void)
{
	struct instant now = { 0 };
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	now.monotonic_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
#if defined(__x86_64__)
	now.tsc = __builtin_ia32_rdtsc();
#endif
	return now;
}

/*
 * The same in ticks of a process that is here, so that a snapshot has all of them at one instant;
 * 0: it is elsewhere, or has activities of GPUs, which are noted after they have ended.
 */
static uint64_t instant_ticks(const struct merge *m, const struct process *p,
	const struct instant *instant)
{
	const struct spool_process *s = p->spool;

	if (!m->options->snapshot || !s->nthreads || !node_is_here(&m->nodes[p->node]))
		return 0;
	for (unsigned i = 0; i < s->nthreads; i++)
		if (s->threads[i]->head.kind == SPOOL_KIND_GPU)
			return 0;
	return s->threads[0]->head.clock == SPOOL_CLOCK_TSC ? instant->tsc : instant->monotonic_ns;
}

static int process_add(struct merge *m, const struct spool_place *place,
	const struct instant *instant)
{
	struct spool_process *spool = spool_process_open(place);
	struct process *p = &m->processes[m->nprocesses];

	if (!spool)
		return -1;
	if (!spool->defined) {
		log_warn("%s/%s has no definitions: this process is not in the trace", place->dir,
			place->folder);
		spool_process_close(spool);
		m->nlost_processes++;
		return 0;
	}
	if (!process_init(p, spool)) {
		log_error("out of memory");
		return -1;
	}
	m->nprocesses++;
	p->node = node_of(m, spool);
	if (p->node == NONE)
		return -1;
	if (m->options->goes_on)
		spool_process_freeze(spool, instant_ticks(m, p, instant));
	return 0;
}

static void process_free(struct process *p)
{
	gpu_free(p);
	nccl_free(p);
	spool_process_close(p->spool);
	free(p->locations);
	free(p->clocks.at);
	free(p->syncs.at);
	free(p->sync_seq);
	free(p->coll_seq);
	free(p->mark_of);
	stream_free(p);
}

/* The last of the children that the totals of a process represent. */
struct last_child {
	uint32_t pid, k, node;
	uint32_t sums; /* index of that process */
};

static int compare_last_children(const void *a, const void *b)
{
	const struct last_child *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Into `lasts`, if it is not NULL. Returns how many there are. */
static size_t last_children_gather(const struct merge *m, struct last_child *lasts)
{
	size_t n = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++)
		for (uint32_t l = 0; l < m->processes[i].nlocations; l++) {
			const struct totals_sums
				*totals = m->processes[i].locations[l].thread->sums;

			if (!totals || !totals->children)
				continue;
			if (lasts)
				lasts[n] = (struct last_child){ totals->last_pid, totals->last_k,
					m->processes[i].node, i };
			n++;
		}
	return n;
}

static bool is_in_totals(const struct last_child *lasts, size_t n, const struct merge *m,
	uint32_t i)
{
	const struct process *p = &m->processes[i];
	const char *dot = strrchr(p->spool->folder, '.');
	size_t at = LOWER_BOUND(l, (size_t)0, n, lasts[l].pid < p->spool->def.pid);

	for (; dot && at < n && lasts[at].pid == p->spool->def.pid; at++)
		if (lasts[at].k == strtoul(dot + 1, NULL, 10) && lasts[at].node == p->node &&
			lasts[at].sums != i)
			return true;
	return false;
}

/*
 * Drops children that are in the totals of others and whose folder could not be removed any more.
 */
static int summed_drop(struct merge *m)
{
	size_t n = last_children_gather(m, NULL);
	struct last_child *lasts = calloc(n + 1, sizeof(*lasts));
	uint32_t kept = 0;

	if (!lasts)
		return -1;
	last_children_gather(m, lasts);
	qsort(lasts, n, sizeof(*lasts), compare_last_children);
	for (uint32_t i = 0; n && i < m->nprocesses; i++)
		if (is_in_totals(lasts, n, m, i))
			process_free(&m->processes[i]);
		else
			m->processes[kept++] = m->processes[i];
	if (n)
		m->nprocesses = kept;
	free(lasts);
	return 0;
}

static int found_add(struct merge *m, const struct spool_places *found)
{
	const struct instant instant = instant_now();
	int ret = 0;

	m->processes = calloc(found->n + 1, sizeof(*m->processes));
	if (!m->processes)
		return -1;
	for (size_t i = 0; i < found->n && ret == 0; i++)
		ret = process_add(m, &found->at[i], &instant);
	return ret < 0 ? ret : summed_drop(m);
}

/* Of a run in progress spools may be on the disks of its nodes. */
static int places_find(struct merge *m, struct spool_places *found, struct run_places *places)
{
	if (run_places_read(m->run, places) < 0)
		return -1;
	for (size_t i = 0; i < places->n; i++)
		spool_places_add(found, places->here[i]);
	m->is_part = places->elsewhere > 0;
	if (m->is_part)
		log_warn("only this node is covered: the spools of %zu ranks are on the "
			 "disks of others, of %s for one",
			places->elsewhere, places->host);
	return 0;
}

int merge_model_read(struct merge *m, const char *spool_dir)
{
	struct run_places places = { 0 };
	struct spool_places found = { 0 };
	int ret = spool_places_add(&found, spool_dir);

	if (ret < 0)
		log_error("cannot read %s: %s (is this the folder of a recorded run?)", spool_dir,
			strerror(errno));
	if (ret == 0 && m->options->goes_on)
		ret = places_find(m, &found, &places);
	if (ret == 0)
		ret = found_add(m, &found);
	spool_places_free(&found);
	run_places_free(&places);
	if (ret == 0 && m->nprocesses == 0) {
		log_error("%s holds no process: nothing was recorded (does the command use MPI, "
			  "CUDA, files or markers, "
			  "and was it started with tacho record?)",
			spool_dir);
		ret = -1;
	}
	return ret;
}

static bool text_of(const char *path, char *text, int size)
{
	FILE *file = run_file_read(path);
	bool read = file && fgets(text, size, file);

	if (file)
		fclose(file);
	text[read ? strcspn(text, "\n") : 0] = '\0';
	return read;
}

bool node_is_here(const struct merge_node *node)
{
	char boot_id[64], hostname[HOST_ROOM];

	host_name(hostname);
	return text_of("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id)) &&
		strcmp(boot_id, node->boot_id) == 0 && strcmp(hostname, node->hostname) == 0;
}

/* A pair of now: lets even a process that left a single pair have a rate. */
static bool pair_now(const struct merge_node *node, struct spool_def_clock *pair)
{
#if defined(__x86_64__)
	struct timespec mono, real;

	if (!node_is_here(node))
		return false;
	pair->ticks = __builtin_ia32_rdtsc();
	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	pair->monotonic_ns = mono.tv_sec * 1000000000ull + mono.tv_nsec;
	pair->realtime_ns = real.tv_sec * 1000000000ull + real.tv_nsec;
	return true;
#else
	(void)node, (void)pair;
	return false;
#endif
}

int process_clock_add(struct process *p, const uint64_t *rec)
{
	if (!spool_table_reserve((void **)&p->clocks.at, &p->nclocks_room, p->clocks.n,
		    sizeof(*p->clocks.at)))
		return -1;
	p->clocks.at[p->clocks.n++] = (struct spool_def_clock){ rec[1], rec[3], rec[4] };
	return 0;
}

static int node_fit(struct merge *m, uint32_t number)
{
	struct merge_node *node = &m->nodes[number];
	struct spool_def_clock *pairs;
	unsigned n = 0, kind = SPOOL_CLOCK_TSC, size = 1;

	for (uint32_t i = 0; i < m->nprocesses; i++)
		if (m->processes[i].node == number)
			size += m->processes[i].spool->clocks.n + m->processes[i].clocks.n;
	pairs = calloc(size, sizeof(*pairs));
	if (!pairs) {
		log_error("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];

		if (p->node != number)
			continue;
		kind = p->spool->def.clock;
		if (p->spool->clocks.n)
			memcpy(pairs + n, p->spool->clocks.at, p->spool->clocks.n * sizeof(*pairs));
		n += p->spool->clocks.n;
		if (p->clocks.n)
			memcpy(pairs + n, p->clocks.at, p->clocks.n * sizeof(*pairs));
		n += p->clocks.n;
	}
	if (n == 1 && kind == SPOOL_CLOCK_TSC && pair_now(node, &pairs[1]))
		n++;
	clock_fit(&node->clock, pairs, n, kind);
	free(pairs);
	if (node->clock.jump_ns)
		log_warn("the clock of %s was set by %.3f s during the run; the trace keeps the "
			 "time of its start",
			node->hostname, node->clock.jump_ns / 1e9);
	return 0;
}

/* The process's last sign of life. */
static uint64_t cut_of(const struct process *p)
{
	uint64_t cut = p->spool->ended ? p->spool->end.ticks : p->spool->heartbeat;

	for (uint32_t i = 0; i < p->nlocations; i++)
		if (p->locations[i].scan.nrecords && p->locations[i].scan.last > cut)
			cut = p->locations[i].scan.last;
	if (cut > p->spool->latest)
		cut = p->spool->latest;
	return cut > p->spool->def.start.ticks ? cut : p->spool->def.start.ticks;
}

static bool process_called(const struct process *p, uint32_t region)
{
	for (uint32_t i = 0; i < p->nlocations; i++)
		if (p->locations[i].scan.used[region / 32] >> region % 32 & 1)
			return true;
	return false;
}

/*
 * A rank that exits with a failure between MPI_Init and MPI_Finalize did not
 * come to its end: MPI's own handlers leave by exit when mpirun dies or
 * another rank aborts.
 */
static bool left_early(const struct process *p)
{
	return p->spool->end.status != 0 && !process_called(p, REGION_MPI_Finalize) &&
		(process_called(p, REGION_MPI_Init) || process_called(p, REGION_MPI_Init_thread));
}

static enum process_end end_of(const struct merge *m, const struct process *p)
{
	if (p->spool->ended)
		return left_early(p) ? PROCESS_KILLED : PROCESS_FINISHED;
	/* of other nodes nobody knows here */
	if (m->options->snapshot && !node_is_here(&m->nodes[p->node]))
		return PROCESS_RUNNING;
	if (node_is_here(&m->nodes[p->node]) && spool_process_lives(&p->spool->def))
		return PROCESS_RUNNING;
	return PROCESS_KILLED;
}

static void process_times(struct merge *m, struct process *p)
{
	const struct clock *clock = &m->nodes[p->node].clock;
	int hint = 0;

	p->end = end_of(m, p);
	p->cut_ticks = cut_of(p);
	p->start_ns = clock_ns(clock, p->spool->def.start.ticks, &hint);
	p->lived_ns = clock_ns(clock, p->cut_ticks, &hint) - p->start_ns;
	p->join_ns = INT64_MAX;
	for (uint32_t i = 0; i < p->nlocations; i++) {
		struct location_scan *scan = &p->locations[i].scan;
		int64_t ns;

		if (scan->first_join != UINT64_MAX) {
			ns = clock_ns(clock, scan->first_join, &hint);
			p->join_ns = ns < p->join_ns ? ns : p->join_ns;
		}
		if (!scan->nrecords)
			continue;
		ns = clock_ns(clock, scan->first, &hint);
		m->start_ns = ns < m->start_ns ? ns : m->start_ns;
	}
}

/*
 * A forked child is there from then on, if that is at all within the run; others with the first
 * event of any of their threads.
 */
static void process_begin(const struct merge *m, struct process *p)
{
	const struct spool_def_process *def = &p->spool->def;
	int hint = 0;

	p->begin_ticks = UINT64_MAX;
	for (uint32_t i = 0; i < p->nlocations; i++)
		if (p->locations[i].scan.nrecords && !location_is_sampler(&p->locations[i]) &&
			p->locations[i].scan.first < p->begin_ticks)
			p->begin_ticks = p->locations[i].scan.first;
	if (def->forked && def->forked <= def->start.ticks &&
		clock_ns(&m->nodes[p->node].clock, def->forked, &hint) >= m->start_ns)
		p->begin_ticks = def->forked;
}

int merge_clocks(struct merge *m)
{
	m->start_ns = INT64_MAX;
	for (uint32_t i = 0; i < m->nnodes; i++)
		if (node_fit(m, i) < 0)
			return -1;
	if (merge_sync(m) < 0)
		return -1;
	for (uint32_t i = 0; i < m->nprocesses; i++)
		process_times(m, &m->processes[i]);
	for (uint32_t i = 0; m->start_ns == INT64_MAX && i < m->nprocesses; i++)
		m->start_ns = m->processes[i].start_ns;
	for (uint32_t i = 0; i < m->nprocesses; i++)
		process_begin(m, &m->processes[i]);
	return 0;
}

void merge_model_free(struct merge *m)
{
	for (uint32_t i = 0; i < m->nprocesses; i++)
		process_free(&m->processes[i]);
	for (uint32_t i = 0; i < m->ncomms; i++)
		free(m->comms[i].ranks);
	free(m->mpi_process);
	free(m->worlds);
	free(m->group_ranks);
	free(m->processes);
	free(m->nodes);
	free(m->comms);
	free(m->windows);
	free(m->files);
	free(m->marks);
	free(m->mark_used);
	free(m->region_ref);
}
