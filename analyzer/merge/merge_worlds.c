/*
 * merge_worlds.c - MPI jobs of one run: a script with two mpiruns, or processes that
 * MPI_Comm_spawn started. World 0 has the run's ranks; processes of others are children.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "base/log.h"
#include "merge/merge_model.h"

/* A process's MPI_COMM_WORLD, NULL when it has none. */
static const struct spool_comm *world_of(const struct spool_process *spool)
{
	for (uint32_t i = 1; i < spool->comms.n; i++) {
		const struct spool_comm *c = &spool->comms.at[i];

		if (c->ranks && c->def.kind == COMM_WORLD && c->def.rank >= 0 &&
			(uint32_t)c->def.rank < c->def.size)
			return c;
	}
	return NULL;
}

static bool is_spawned(const struct spool_process *spool)
{
	for (uint32_t i = 1; i < spool->comms.n; i++)
		if (spool->comms.at[i].ranks && spool->comms.at[i].def.kind == COMM_PARENT)
			return true;
	return false;
}

int process_compare_starts(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return strcmp(x->spool->folder, y->spool->folder);
}

/* Tells worlds apart: by size and origin, then by how many processes had the same rank before. */
struct worlds_index {
	struct idmap ranks;  /* (size, spawned, rank) → processes that have it */
	struct idmap kinds;  /* (size, spawned) → its number below */
	struct idmap worlds; /* (number, which one of the kind) → world */
	uint32_t nkinds;
};

static uint32_t kind_number(struct worlds_index *index, uint32_t size, bool spawned)
{
	uint64_t key = (uint64_t)size << 1 | spawned;
	uint32_t kind = idmap_find(&index->kinds, key);

	if (kind == IDMAP_NONE) {
		kind = index->nkinds++;
		if (idmap_set(&index->kinds, key, kind) < 0)
			return NONE;
	}
	return kind;
}

/* The world of the next process with this rank. NONE without memory. */
static uint32_t world_next(struct merge *m, struct worlds_index *index,
	const struct spool_def_comm *def, bool spawned)
{
	uint32_t kind = kind_number(index, def->size, spawned), nth, world;
	uint64_t rank_key = (uint64_t)kind << 32 | (uint32_t)def->rank;

	if (kind == NONE)
		return NONE;
	nth = idmap_find(&index->ranks, rank_key);
	nth = nth == IDMAP_NONE ? 0 : nth;
	world = idmap_find(&index->worlds, (uint64_t)kind << 32 | nth);
	if (idmap_set(&index->ranks, rank_key, nth + 1) < 0)
		return NONE;
	if (world == IDMAP_NONE) {
		struct world *grown = realloc(m->worlds, (m->nworlds + 1) * sizeof(*grown));

		if (!grown || idmap_set(&index->worlds, (uint64_t)kind << 32 | nth, m->nworlds) < 0)
			return NONE;
		m->worlds = grown;
		grown[world = m->nworlds++] = (struct world){ .size = def->size,
			.spawned = spawned,
			.spawner = NONE };
	}
	return world;
}

/* Gives each process that has MPI_COMM_WORLD its world. */
static int worlds_find(struct merge *m)
{
	struct worlds_index index = { 0 };
	int ret = 0;

	for (uint32_t i = 0; i < m->nprocesses && ret == 0; i++) {
		struct process *p = &m->processes[i];
		const struct spool_comm *world = world_of(p->spool);

		if (!world)
			continue;
		p->in_world = true;
		p->rank = world->def.rank;
		p->world = world_next(m, &index, &world->def, is_spawned(p->spool));
		ret = p->world == NONE ? -1 : 0;
	}
	idmap_free(&index.ranks);
	idmap_free(&index.kinds);
	idmap_free(&index.worlds);
	return ret;
}

/*
 * The run's ranks are those of the world with the most processes that nobody spawned: a script
 * prepares by one process and trains with eight. A launcher that starts ranks anew makes a world
 * each time: of these the one counts that ended well, whatever a failed one had waited for before.
 * Else, of equal ones, it is the one of which all ranks lived more than twice as long, else the one
 * of which fewer failed.
 */
static bool world_is_better(const struct world *world, const struct world *than)
{
	if (world->spawned != than->spawned)
		return than->spawned;
	if (world->there != than->there)
		return world->there > than->there;
	if (world->size != than->size)
		return world->size > than->size;
	if (world->attempt && than->attempt && !world->is_job && !world->failed != !than->failed)
		return !world->failed;
	if (world->lived / 2 > than->lived || world->lived < than->lived / 2)
		return world->lived > than->lived;
	if (world->failed != than->failed)
		return world->failed < than->failed;
	return world->lived > than->lived;
}

/* Ticks, which are alike on all nodes for this purpose; clocks are not known yet. */
static uint64_t lived(const struct process *p)
{
	uint64_t last = p->spool->ended ? p->spool->end.ticks : p->spool->heartbeat;

	return last > p->spool->def.start.ticks ? last - p->spool->def.start.ticks : 0;
}

static void attempt_missing(const struct merge *m)
{
	if (m->options->job)
		log_error("%s has no MPI job %d of %u: jobs are counted from 1", m->run,
			m->options->job, m->njobs ? m->njobs : 1);
	else
		log_error("no process of %s is of attempt %d: attempts are counted from 1", m->run,
			m->options->attempt);
}

/* The best world of those that were asked for; NONE: there is none (reported). */
static uint32_t world_of_attempt(const struct merge *m, int attempt)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];

		if (p->in_world && p->attempt == attempt &&
			(best == NONE || world_is_better(&m->worlds[p->world], &m->worlds[best])))
			best = p->world;
	}
	if (best == NONE)
		attempt_missing(m);
	return best;
}

static uint32_t world_choose(struct merge *m)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];
		struct world *world;

		if (!p->in_world)
			continue;
		world = &m->worlds[p->world];
		world->there++;
		world->failed += !p->spool->ended || p->spool->end.status;
		if (world->there == 1 || lived(p) < world->lived)
			world->lived = lived(p);
	}
	if (m->options->attempt || (m->options->job && m->njobs))
		return world_of_attempt(m,
			m->options->attempt ? m->options->attempt : m->options->job);
	if (m->options->job > 1) {
		attempt_missing(m);
		return NONE;
	}
	for (uint32_t w = 1; w < m->nworlds; w++)
		if (world_is_better(&m->worlds[w], &m->worlds[best]))
			best = w;
	return best;
}

/* Makes `best` world 0; the others keep their order. */
static void world_first(struct merge *m, uint32_t best)
{
	struct world chosen = m->worlds[best];

	memmove(m->worlds + 1, m->worlds, best * sizeof(*m->worlds));
	m->worlds[0] = chosen;
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		if (p->in_world)
			p->world = p->world == best ? 0 : p->world + (p->world < best);
	}
}

int merge_worlds(struct merge *m)
{
	uint32_t best;

	qsort(m->processes, m->nprocesses, sizeof(*m->processes), process_compare_starts);
	if (worlds_find(m) < 0 || merge_attempts(m) < 0) {
		log_error("out of memory");
		return -1;
	}
	if (!m->nworlds) {
		if (attempt_choose(m))
			return 0;
		attempt_missing(m);
		return -1;
	}
	best = world_choose(m);
	if (best == NONE)
		return -1;
	world_first(m, best);
	for (uint32_t w = 0; w < m->nworlds; w++) {
		m->worlds[w].first = m->nmpi;
		m->nmpi += m->worlds[w].size;
	}
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		p->aside = p->world > 0;
		if (p->in_world)
			p->mpi_number = m->worlds[p->world].first + (uint32_t)p->rank;
	}
	return 0;
}

void worlds_rank(struct merge *m)
{
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];
		const struct world *world = p->world ? &m->worlds[p->world] : NULL;
		uint32_t spawner = world && world->spawned ? world->spawner : (uint32_t)p->rank;

		/* of those that a spawned process spawned nobody asks further */
		if (world)
			p->rank = spawner < m->worlds[0].size ? (int32_t)spawner : 0;
	}
}
