/*
 * merge_comms.c - communicators and RMA windows across ranks. Every process
 * numbers its own; two are the same when kind, parent, place among the
 * parent's creations and member list agree. Those with members of two worlds
 * are completed by merge_bridges.c.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/merge_comms.h"

/* A rank of a world among all of the run's; NONE: of another world, or damaged. */
static uint32_t mpi_number(const struct world *world, uint32_t rank)
{
	return rank < world->size ? world->first + rank : NONE;
}

static bool ranks_are_sane(const struct merge *m, const struct process *p,
	const struct spool_comm *c)
{
	bool joins = c->def.kind >= COMM_INTRA; /* it may have members of another world */

	for (uint32_t i = 0; i < c->def.size + c->def.nremote; i++)
		if (c->ranks[i] >= m->worlds[p->world].size && !(joins && c->ranks[i] == NONE))
			return false;
	return c->def.size && c->def.rank >= 0 && (uint32_t)c->def.rank < c->def.size;
}

/* Its members as numbers of MPI ranks, in `key`. 0, or -1 without memory. */
static int ranks_find(const struct merge *m, const struct process *p, const struct spool_comm *c,
	struct merge_comm *key)
{
	uint32_t n = c->def.size + c->def.nremote, *numbers = malloc(n * sizeof(*numbers) + 1);

	key->ranks = malloc(n * sizeof(*key->ranks) + 1);
	for (uint32_t i = 0; numbers && key->ranks && i < n; i++)
		numbers[i] = mpi_number(&m->worlds[p->world], c->ranks[i]);
	if (numbers && key->ranks)
		comm_order(key, key->ranks, numbers, numbers + c->def.size);
	free(numbers);
	return numbers && key->ranks ? 0 : -1;
}

/*
 * Both sides of an inter-communicator made it from different parents, so its
 * place among those between the same two groups identifies it.
 */
static uint32_t inter_nth(const struct process *p, uint32_t id)
{
	const struct spool_comm *all = p->spool->comms.at, *c = &all[id];
	uint32_t nth = 0;

	for (uint32_t i = 1; i < id; i++)
		nth += all[i].ranks && comm_is_inter(all[i].def.kind) &&
			all[i].def.size == c->def.size && all[i].def.nremote == c->def.nremote &&
			memcmp(all[i].ranks, c->ranks,
				(c->def.size + c->def.nremote) * sizeof(*c->ranks)) == 0;
	return nth;
}

static uint32_t archive_kind(uint32_t kind)
{
	switch (kind) {
	case COMM_PARENT: return COMM_INTER;
	case COMM_GROUP: return COMM_INTRA;
	default: return kind;
	}
}

/* Takes the process's communicator `id` into the archive. 0, or -1 without memory. */
static int comm_unify(struct merge *m, struct comm_index *index, struct process *p, uint32_t id)
{
	struct spool_comm *c = &p->spool->comms.at[id];
	struct merge_comm key = { .kind = archive_kind(c->def.kind),
		.to_parent = c->def.kind == COMM_PARENT,
		.world = p->world,
		.size = c->def.size,
		.nremote = c->def.nremote,
		.parent = NONE,
		.name = c->name };

	if (!c->ranks)
		return 0;
	c->global = NONE;
	if (!p->in_world || !ranks_are_sane(m, p, c)) {
		p->spool->lost[LOSS_NO_DEFINITION]++;
		c->ranks = NULL;
		return 0;
	}
	if (ranks_find(m, p, c, &key) < 0) {
		free(key.ranks);
		return -1;
	}
	if (key.kind == COMM_SELF) {
		key.size = 0; /* one for all processes */
		key.world = 0;
	} else if (key.kind == COMM_INTER) {
		key.creation = inter_nth(p, id);
	} else if (key.kind != COMM_WORLD) {
		key.creation = c->def.creation;
		/* made by group: the two sides of an inter-communicator have different parents */
		if (!(c->def.creation & COMM_BY_GROUP) && c->def.parent && c->def.parent < id &&
			p->spool->comms.at[c->def.parent].ranks)
			key.parent = p->spool->comms.at[c->def.parent].global;
	}
	c->global = comm_number(m, index, &key);
	free(key.ranks);
	if (c->global == NONE)
		return -1;
	if (!m->comms[c->global].name[0])
		m->comms[c->global].name = c->name;
	return 0;
}

/* Of inter-communicators: which group is the process's own. */
static void sides_find(const struct merge *m, struct process *p)
{
	for (uint32_t id = 1; id < p->spool->comms.n; id++) {
		struct spool_comm *c = &p->spool->comms.at[id];

		if (c->ranks && comm_is_inter(c->def.kind))
			c->side = m->comms[c->global].ranks[0] !=
				mpi_number(&m->worlds[p->world], c->ranks[0]);
	}
}

static int windows_unify(struct merge *m, struct process *p)
{
	struct spool_process *s = p->spool;
	uint32_t *count = calloc(m->ncomms + 1, sizeof(*count));

	if (!count)
		return -1;
	for (uint32_t id = 1; id < s->windows.n; id++) {
		uint32_t local = s->windows.at[id].comm, comm, w;

		s->windows.at[id].global = NONE;
		comm = local && local < s->comms.n && s->comms.at[local].ranks
			? s->comms.at[local].global
			: NONE;
		if (comm == NONE)
			continue;
		for (w = 0; w < m->nwindows; w++)
			if (m->windows[w].comm == comm && m->windows[w].nth == count[comm])
				break;
		if (w == m->nwindows) {
			struct window *grown = realloc(m->windows, (w + 1) * sizeof(*grown));

			if (!grown) {
				free(count);
				return -1;
			}
			m->windows = grown;
			grown[m->nwindows++] = (struct window){ comm, count[comm] };
		}
		count[comm]++;
		s->windows.at[id].global = w;
	}
	free(count);
	return 0;
}

static int compare_world_ranks(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->world != y->world)
		return x->world < y->world ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return process_compare_starts(a, b);
}

int merge_comms(struct merge *m)
{
	struct comm_index index = { 0 };
	int ret = 0;

	if (merge_worlds(m) < 0 || merge_groups(m) < 0)
		return -1;
	qsort(m->processes, m->nprocesses, sizeof(*m->processes), compare_world_ranks);
	for (uint32_t i = 0; ret == 0 && i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		for (uint32_t id = 1; ret == 0 && id < p->spool->comms.n; id++)
			ret = comm_unify(m, &index, p, id);
	}
	free(index.slots);
	if (ret == 0)
		ret = merge_bridges(m);
	if (ret == 0)
		worlds_rank(m);
	for (uint32_t i = 0; ret == 0 && i < m->nprocesses; i++) {
		sides_find(m, &m->processes[i]);
		ret = windows_unify(m, &m->processes[i]);
	}
	if (ret < 0)
		log_error("out of memory");
	return ret;
}
