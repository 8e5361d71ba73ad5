/*
 * merge_ranks.c - ranks of processes that no launcher and no MPI gave one: torch.multiprocessing.spawn
 * and whatever starts a training by itself. Members of the largest NCCL communicator have their
 * places there; without NCCL those that mark steps at the same time are the ranks, in the order in
 * which they were started. Others belong to the rank that they descend from.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "merge/merge_model.h"

/* The communicator of most members among those of a process; NULL: it has none. */
static const struct spool_nccl_comm *comm_of(const struct process *p)
{
	const struct spool_nccl_comm *best = NULL;

	for (uint32_t id = 1; p->spool && id < p->spool->nccl_comms.n; id++) {
		const struct spool_nccl_comm *c = &p->spool->nccl_comms.at[id];

		if (c->name && c->def.rank < c->def.size && (!best || c->def.size > best->def.size))
			best = c;
	}
	return best;
}

/* Ranks by the communicator that most processes have. Number of processes that are its members. */
static uint32_t ranks_of_nccl(struct merge *m)
{
	const struct spool_nccl_comm *best = NULL;
	uint32_t most = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct spool_nccl_comm *c = comm_of(&m->processes[i]);
		uint32_t n = 0;

		if (!c || (best && best->def.hash == c->def.hash))
			continue;
		for (uint32_t k = i; k < m->nprocesses; k++) {
			const struct spool_nccl_comm *other = comm_of(&m->processes[k]);

			n += other && other->def.hash == c->def.hash;
		}
		if (n > most) {
			most = n;
			best = c;
		}
	}
	for (uint32_t i = 0; i < m->nprocesses && most > 1; i++) {
		const struct spool_nccl_comm *c = comm_of(&m->processes[i]);

		if (c && c->def.hash == best->def.hash)
			m->processes[i].rank = (int32_t)c->def.rank;
	}
	return most;
}

static bool marks_steps(const struct process *p)
{
	for (uint32_t i = 0; i < p->nlocations; i++)
		if (p->locations[i].scan.has_steps)
			return true;
	return false;
}

/* The process that started it, as far as it is recorded; NULL: none. */
static struct process *parent_of(const struct merge *m, const struct process *p)
{
	for (uint32_t i = 0; p->spool && *p->spool->parent && i < m->nprocesses; i++)
		if (m->processes[i].spool && &m->processes[i] != p &&
			strcmp(m->processes[i].spool->folder, p->spool->parent) == 0)
			return &m->processes[i];
	return NULL;
}

/* The nearest process that it descends from and that marks steps; NULL: none. */
static const struct process *steps_above(const struct merge *m, const struct process *p)
{
	for (uint32_t depth = 0; depth < m->nprocesses && (p = parent_of(m, p)); depth++)
		if (marks_steps(p))
			return p;
	return NULL;
}

static int compare_pids(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->spool->def.pid > y->spool->def.pid) - (x->spool->def.pid < y->spool->def.pid);
}

/* Ranks by the order of their start, if there was a time when all of them were there. */
static int ranks_of_steps(struct merge *m)
{
	struct process **found = calloc(m->nprocesses + 1, sizeof(struct process *));
	int64_t latest = INT64_MIN, end = INT64_MAX;
	uint32_t n = 0;

	if (!found)
		return -1;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		if (!p->spool || !marks_steps(p) || steps_above(m, p))
			continue;
		found[n++] = p;
		latest = p->start_ns > latest ? p->start_ns : latest;
		end = p->start_ns + p->lived_ns < end ? p->start_ns + p->lived_ns : end;
	}
	qsort(found, n, sizeof(*found), compare_pids);
	for (uint32_t i = 0; i < n && n > 1 && latest < end; i++)
		found[i]->rank = (int32_t)i;
	free(found);
	return 0;
}

int merge_ranks(struct merge *m)
{
	for (uint32_t i = 0; i < m->nprocesses; i++)
		if (m->processes[i].rank >= 0)
			return 0;
	if (ranks_of_nccl(m) < 2 && ranks_of_steps(m) < 0)
		return -1;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i], *above = p;

		for (uint32_t depth = 0;
			p->rank < 0 && depth < m->nprocesses && (above = parent_of(m, above));
			depth++)
			p->rank = above->rank;
	}
	return 0;
}
