/*
 * merge_order.c - the order of the archive: the rank's process is the first of a rank to make an
 * MPI, CUDA, NCCL or marker call, else the one that lived longest, with the programs that it was
 * before exec (shells start helpers before they become the program); the others of that rank are
 * its children, and so are processes of other MPI jobs than the one that has the run's ranks.
 * Ranks that left no spool get a silent location, so that communicators stay complete.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "base/log.h"
#include "merge/gpu/gpu.h"
#include "merge/merge_model.h"
#include "tacho/slot.h"

static int rank_key(const struct process *p)
{
	return p->rank < 0 ? 0 : p->rank;
}

enum { DESCENT_MOST = 64 }; /* generations of processes */

/* Rank by rank; in a rank those of the MPI worlds first, then by first call. */
static int compare_claims(const struct process *x, const struct process *y)
{
	if (rank_key(x) != rank_key(y))
		return rank_key(x) < rank_key(y) ? -1 : 1;
	if (x->aside != y->aside)
		return x->aside ? 1 : -1;
	if (x->is_other_attempt != y->is_other_attempt)
		return x->is_other_attempt ? 1 : -1;
	if (x->in_world != y->in_world)
		return x->in_world ? -1 : 1;
	if (x->world != y->world)
		return x->world < y->world ? -1 : 1;
	if (x->join_ns != y->join_ns)
		return x->join_ns < y->join_ns ? -1 : 1;
	if (x->spool->def.is_child != y->spool->def.is_child)
		return x->spool->def.is_child ? 1 : -1;
	return 0;
}

static int compare_processes(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	int order = compare_claims(x, y);

	if (!order && x->chain_ns != y->chain_ns)
		return x->chain_ns > y->chain_ns ? -1 : 1;
	return order ? order : process_compare_starts(x, y);
}

static bool is_first_of_rank(const struct merge *m, uint32_t i)
{
	return i == 0 || rank_key(&m->processes[i - 1]) != rank_key(&m->processes[i]);
}

static int compare_by_rank(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	int order;

	if (x->child != y->child)
		return x->child ? 1 : -1;
	order = compare_claims(x, y);
	return order ? order : process_compare_starts(x, y);
}

static int compare_folders(const void *a, const void *b, void *context)
{
	const struct process *processes = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return strcmp(processes[x].spool->folder, processes[y].spool->folder);
}

/* Each process's parent by the name of its folder, NONE. 0, or -1 without memory. */
static int parents_find(struct merge *m)
{
	uint32_t n = m->nprocesses, *order = malloc((n + 1) * sizeof(*order));

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, n, sizeof(*order), compare_folders, m->processes);
	for (uint32_t i = 0; order && i < n; i++) {
		struct process *p = &m->processes[i];
		uint32_t at = LOWER_BOUND(k, 0, n,
			strcmp(m->processes[order[k]].spool->folder, p->spool->parent) < 0);

		p->parent = *p->spool->parent && at < n && order[at] != i &&
				strcmp(m->processes[order[at]].spool->folder, p->spool->parent) == 0
			? order[at]
			: NONE;
	}
	free(order);
	return order ? 0 : -1;
}

/* What processes of other worlds started is no rank, either, whatever their environment says. */
static int descendants_mark(struct merge *m)
{
	if (parents_find(m) < 0)
		return -1;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *above = &m->processes[i];

		for (uint32_t depth = 0; !above->in_world && !above->aside &&
			above->parent != NONE && depth < DESCENT_MOST;
			depth++)
			above = &m->processes[above->parent];
		if (above->aside && !m->processes[i].in_world) {
			m->processes[i].aside = true;
			m->processes[i].rank = above->rank;
		}
	}
	return 0;
}

/* The process of a rank among the first `nranks`, NONE. */
static uint32_t rank_process(const struct merge *m, uint32_t nranks, int32_t rank)
{
	uint32_t at = LOWER_BOUND(k, 0, nranks, rank_key(&m->processes[k]) < rank);

	return at < nranks && rank_key(&m->processes[at]) == rank ? at : NONE;
}

/*
 * Whether it was a rank itself in another attempt than the run's: the first of the rank's processes
 * in that one. Those before it are in order.
 */
static bool was_rank(const struct merge *m, uint32_t i, uint32_t rank)
{
	const struct process *p = &m->processes[i];

	if (rank == NONE || p->attempt <= 0 || m->processes[rank].attempt <= 0 ||
		p->attempt == m->processes[rank].attempt)
		return false;
	for (; i > 0 && m->processes[i - 1].child && rank_key(&m->processes[i - 1]) == rank_key(p);
		i--)
		if (m->processes[i - 1].attempt == p->attempt)
			return false;
	return true;
}

/* Programs that a process became by exec have its pid: from the second on with their number. */
static void child_name(struct process *p)
{
	const char *dot = strrchr(p->spool->folder, '.');
	unsigned long k = dot ? strtoul(dot + 1, NULL, 10) : 0;
	int n = snprintf(p->name, sizeof(p->name), "rank %d child %u", rank_key(p),
		p->spool->def.pid);

	if (k && k < SLOT_FIRST_K)
		snprintf(p->name + n, sizeof(p->name) - (size_t)n, ".%lu", k);
}

/* Names, and parents of those that name none; ranks come first and in order. */
static void name_processes(struct merge *m)
{
	uint32_t nranks = 0;

	while (nranks < m->nprocesses && !m->processes[nranks].child)
		nranks++;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];
		uint32_t rank;

		if (!p->child) {
			snprintf(p->name, sizeof(p->name), "rank %d", rank_key(p));
			continue;
		}
		rank = rank_process(m, nranks, rank_key(p));
		if (m->njobs && p->in_world && m->worlds[p->world].is_job)
			snprintf(p->name, sizeof(p->name), "rank %u of job %d",
				p->mpi_number - m->worlds[p->world].first, p->attempt);
		else if (was_rank(m, i, rank))
			snprintf(p->name, sizeof(p->name), "rank %d of attempt %d", rank_key(p),
				p->attempt);
		else
			child_name(p);
		if (p->parent == NONE)
			p->parent = rank;
	}
}

/*
 * How much a thread is the main one: it called MPI_Init, else it makes the steps (a training in a
 * thread, as Ray Train has it), else it is the initial one.
 */
static uint32_t main_score(const struct location *l)
{
	if (location_is_sampler(l))
		return 0;
	return 1 + 2 * (l->thread && l->thread->head.is_main) + 4 * (l->scan.has_steps != 0) +
		8 * (l->scan.has_init != 0);
}

/* Of several that are as much the main thread, the first. */
static void choose_main(struct process *p)
{
	uint32_t best = 0, best_score = 0;

	for (uint32_t i = 0; i < p->nlocations; i++) {
		uint32_t score = main_score(&p->locations[i]);

		if (score > best_score) {
			best_score = score;
			best = i;
		}
	}
	if (p->nlocations)
		p->locations[best].is_main = true;
}

/* Adds a silent process for a rank of a world that left no spool; of other worlds, a child. */
static int placeholder_add(struct merge *m, uint32_t world, uint32_t rank)
{
	struct process *grown = realloc(m->processes, (m->nprocesses + 1) * sizeof(*grown)), *p;

	if (!grown)
		return -1;
	m->processes = grown;
	p = &grown[m->nprocesses++];
	*p = (struct process){ .world = world,
		.in_world = true,
		.aside = world > 0,
		.child = world > 0,
		.rank = rank,
		.mpi_number = world < m->nworlds ? m->worlds[world].first + rank : NONE,
		.parent = world ? 0 : NONE,
		.end = PROCESS_KILLED,
		.nlocations = 1,
		.locations = calloc(1, sizeof(*p->locations)) };
	if (!p->locations)
		return -1;
	p->locations[0].is_main = true;
	snprintf(p->name, sizeof(p->name), world ? "rank %u of job %u" : "rank %u", rank,
		world + 1);
	return 0;
}

/*
 * Names the silent processes from number `first` on in one line, as a dead node takes many ranks:
 * 0,16-31.
 */
static int missing_say(const struct merge *m, uint32_t first)
{
	const struct process *p = m->processes;
	char *ranks = NULL, job[32] = "";
	bool many = m->nprocesses - first > 1;
	size_t size = 0;
	FILE *out = open_memstream(&ranks, &size);

	if (!out)
		return -1;
	for (uint32_t i = first, end; i < m->nprocesses; i = end) {
		for (end = i + 1; end < m->nprocesses && p[end].rank == p[end - 1].rank + 1; end++)
			;
		fprintf(out, end - i > 1 ? "%s%d-%d" : "%s%d", i > first ? "," : "", p[i].rank,
			p[end - 1].rank);
	}
	if (fclose(out) < 0)
		return -1;
	if (p[first].world)
		snprintf(job, sizeof(job), " of job %u", p[first].world + 1);
	if (!m->is_part)
		log_warn("rank%s %s%s left no spool: %s in the trace without events",
			many ? "s" : "", ranks, job, many ? "they are" : "it is");
	free(ranks);
	return 0;
}

static void worlds_enter(struct merge *m)
{
	memset(m->mpi_process, 0xff, m->nmpi * sizeof(*m->mpi_process));
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		/* it was killed before MPI_Init */
		if (!p->in_world && !p->child && p->rank >= 0 && m->nworlds &&
			(uint32_t)p->rank < m->worlds[0].size)
			p->mpi_number = (uint32_t)p->rank;
		if (p->mpi_number != NONE)
			m->mpi_process[p->mpi_number] = i;
	}
}

static int world_fill(struct merge *m, uint32_t world)
{
	uint32_t first = m->nprocesses;

	for (uint32_t r = 0; r < m->worlds[world].size; r++) {
		uint32_t *process = &m->mpi_process[m->worlds[world].first + r];

		if (*process != NONE)
			continue;
		*process = m->nprocesses;
		if (placeholder_add(m, world, r) < 0)
			return -1;
		m->nmissing_ranks += world == 0;
	}
	return m->nprocesses > first ? missing_say(m, first) : 0;
}

static int worlds_fill(struct merge *m)
{
	m->mpi_process = malloc((m->nmpi + 1) * sizeof(*m->mpi_process));
	if (!m->mpi_process)
		return -1;
	worlds_enter(m);
	for (uint32_t w = 0; w < m->nworlds; w++)
		if (world_fill(m, w) < 0)
			return -1;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		if (p->aside && p->parent == NONE)
			p->parent = m->mpi_process[p->rank];
	}
	return 0;
}

static void collectives_look(struct merge *m)
{
	for (uint32_t i = 0; i < m->nprocesses; i++)
		for (uint32_t k = 0; k < m->processes[i].nlocations; k++) {
			const struct location *l = &m->processes[i].locations[k];

			m->numbers_collectives |= l->scan.has_disorder || l->scan.has_sums ||
				(l->scan.has_collectives && !l->is_main);
		}
}

static int compare_ranks(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* Adds `n` silent processes with the least ranks that nobody has. 0, or -1 without memory. */
static int free_ranks_add(struct merge *m, uint32_t n)
{
	uint32_t ntaken = m->nprocesses, k = 0;
	int32_t *taken = malloc((ntaken + 1) * sizeof(*taken));
	int ret = taken ? 0 : -1;

	for (uint32_t i = 0; taken && i < ntaken; i++)
		taken[i] = m->processes[i].rank;
	if (taken)
		qsort(taken, ntaken, sizeof(*taken), compare_ranks);
	for (int32_t i = 0, rank = 0; i < (int32_t)n && ret == 0; i++, rank++) {
		for (; k < ntaken && taken[k] <= rank; k++)
			rank += taken[k] == rank;
		ret = placeholder_add(m, 0, (uint32_t)rank);
	}
	free(taken);
	return ret;
}

/* The same, complete but for what is said of them. */
static int silent_add(struct merge *m, uint32_t n)
{
	uint32_t first = m->nprocesses;

	if (free_ranks_add(m, n) < 0) {
		log_error("out of memory");
		return -1;
	}
	for (uint32_t i = first; i < m->nprocesses; i++) {
		m->processes[i].in_world = false;
		m->processes[i].first_location = m->nlocations++;
	}
	for (uint32_t i = 0; i < m->nprocesses; i++) /* they may have moved */
		for (uint32_t k = 0; k < m->processes[i].nlocations; k++)
			m->processes[i].locations[k].process = &m->processes[i];
	m->nmissing_ranks += n;
	return 0;
}

int merge_silent_ranks(struct merge *m, uint32_t n)
{
	uint32_t first = m->nprocesses;

	return silent_add(m, n) < 0 ? -1 : missing_say(m, first);
}

uint32_t merge_silent_crowd(struct merge *m, uint32_t n)
{
	uint32_t shared = m->nprocesses;

	if (silent_add(m, 1) < 0)
		return NONE;
	m->nmissing_ranks += n - 1;
	snprintf(m->processes[shared].name, sizeof(m->processes[shared].name),
		"%u ranks without a spool", n);
	log_warn("%u ranks of an NCCL communicator left no spool, too many for a location each: "
		 "one stands for them all (unless --ranks left them out, its size may be damaged)",
		n);
	return shared;
}

static int out_of_memory(void)
{
	log_error("out of memory");
	return -1;
}

static int compare_pids(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->spool->def.pid != y->spool->def.pid)
		return x->spool->def.pid < y->spool->def.pid ? -1 : 1;
	return process_compare_starts(x, y);
}

/* A process that becomes other programs by exec lives on as the last of them. */
static int successors_live(struct merge *m)
{
	struct process **order = malloc((m->nprocesses + 1) * sizeof(*order));

	if (!order)
		return -1;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		order[i] = &m->processes[i];
		order[i]->chain_ns = order[i]->lived_ns;
	}
	qsort(order, m->nprocesses, sizeof(*order), compare_pids);
	for (uint32_t i = 1; i < m->nprocesses; i++)
		if (order[i]->node == order[i - 1]->node &&
			order[i]->spool->def.pid == order[i - 1]->spool->def.pid)
			order[i]->chain_ns += order[i - 1]->chain_ns;
	free(order);
	return 0;
}

int merge_model_order(struct merge *m)
{
	uint64_t next = 0;

	if (descendants_mark(m) < 0 || successors_live(m) < 0)
		return out_of_memory();
	qsort(m->processes, m->nprocesses, sizeof(*m->processes), compare_processes);
	for (uint32_t i = 0; i < m->nprocesses; i++)
		m->processes[i].child = m->processes[i].aside || !is_first_of_rank(m, i);
	qsort(m->processes, m->nprocesses, sizeof(*m->processes), compare_by_rank);
	if (parents_find(m) < 0)
		return out_of_memory();
	name_processes(m);
	if (worlds_fill(m) < 0)
		return out_of_memory();
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		/* A process without its own thread still needs a location to represent it. */
		if (p->nlocations == 0)
			p->nlocations = 1;
		choose_main(p);
		p->first_location = next;
		next += p->nlocations;
		for (uint32_t k = 0; k < p->nlocations; k++)
			p->locations[k].process = p;
	}
	collectives_look(m);
	for (uint32_t i = 0; i < m->nprocesses; i++)
		if (gpu_number(m, &m->processes[i], &next) < 0)
			return -1;
	m->nlocations = next;
	return 0;
}
