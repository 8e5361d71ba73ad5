/*
 * merge_comms.c - communicators and RMA windows across ranks. Every process
 * numbers its own; two are the same when kind, parent, place among the
 * parent's creations and member list agree. Several MPI jobs in one run (a
 * script with two mpiruns) are worlds of their own: the k-th process of a rank
 * that has an MPI_COMM_WORLD belongs to world k.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/merge_model.h"

/* Finds the communicators of a kind by what makes them equal. */
struct comm_index {
	uint32_t *slots; /* comm number + 1, 0 free */
	uint32_t size;
};

static uint64_t comm_hash(const struct comm *c)
{
	uint64_t h = c->kind * 31 + c->world;

	h = (h ^ c->parent) * 0x9e3779b97f4a7c15ull;
	h = (h ^ c->creation) * 0xff51afd7ed558ccdull;
	for (uint32_t i = 0; i < c->size + c->nremote; i++)
		h = (h ^ c->ranks[i]) * 0xc4ceb9fe1a85ec53ull;
	return h ^ h >> 32;
}

static bool comm_equal(const struct comm *a, const struct comm *b)
{
	return a->kind == b->kind && a->world == b->world && a->parent == b->parent &&
		a->creation == b->creation && a->size == b->size && a->nremote == b->nremote &&
		memcmp(a->ranks, b->ranks, (a->size + a->nremote) * sizeof(*a->ranks)) == 0;
}

static int index_grow(struct merge *m, struct comm_index *index)
{
	uint32_t size = index->size ? 2 * index->size : 64;
	uint32_t *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -1;
	for (uint32_t c = 0; c < m->ncomms; c++) {
		uint32_t i = comm_hash(&m->comms[c]) & (size - 1);

		while (slots[i])
			i = (i + 1) & (size - 1);
		slots[i] = c + 1;
	}
	free(index->slots);
	index->slots = slots;
	index->size = size;
	return 0;
}

/*
 * The number of the communicator like `key` (whose ranks are copied when it is new). NONE without
 * memory.
 */
static uint32_t comm_number(struct merge *m, struct comm_index *index, const struct comm *key)
{
	uint32_t i, n = key->size + key->nremote;
	struct comm *grown;

	if (2 * m->ncomms >= index->size && index_grow(m, index) < 0)
		return NONE;
	i = comm_hash(key) & (index->size - 1);
	while (index->slots[i]) {
		if (comm_equal(&m->comms[index->slots[i] - 1], key))
			return index->slots[i] - 1;
		i = (i + 1) & (index->size - 1);
	}
	grown = realloc(m->comms, (m->ncomms + 1) * sizeof(*grown));
	if (!grown)
		return NONE;
	m->comms = grown;
	grown[m->ncomms] = *key;
	grown[m->ncomms].ranks = malloc(n * sizeof(uint32_t) + 1);
	if (!grown[m->ncomms].ranks)
		return NONE;
	memcpy(grown[m->ncomms].ranks, key->ranks, n * sizeof(uint32_t));
	index->slots[i] = m->ncomms + 1;
	return m->ncomms++;
}

/*
 * Both sides of an inter-communicator list their own group first; the archive, the one with the
 * smaller rank.
 */
static bool ranks_in_order(const struct spool_comm *c, uint32_t *ranks)
{
	bool swap = c->def.nremote && c->def.size && c->ranks[c->def.size] < c->ranks[0];

	memcpy(ranks, c->ranks + (swap ? c->def.size : 0),
		(swap ? c->def.nremote : c->def.size) * sizeof(*ranks));
	memcpy(ranks + (swap ? c->def.nremote : c->def.size), c->ranks + (swap ? 0 : c->def.size),
		(swap ? c->def.size : c->def.nremote) * sizeof(*ranks));
	return swap;
}

static bool ranks_are_sane(const struct merge *m, const struct process *p,
	const struct spool_comm *c)
{
	for (uint32_t i = 0; i < c->def.size + c->def.nremote; i++)
		if (c->ranks[i] >= m->world_size[p->world])
			return false;
	return c->def.size && c->def.rank >= 0 && (uint32_t)c->def.rank < c->def.size;
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
		nth += all[i].ranks && all[i].def.kind == COMM_INTER &&
			all[i].def.size == c->def.size && all[i].def.nremote == c->def.nremote &&
			memcmp(all[i].ranks, c->ranks,
				(c->def.size + c->def.nremote) * sizeof(*c->ranks)) == 0;
	return nth;
}

/* Takes the process's communicator `id` into the archive. 0, or -1 without memory. */
static int comm_unify(struct merge *m, struct comm_index *index, struct process *p, uint32_t id)
{
	struct spool_comm *c = &p->spool->comms.at[id];
	struct comm key = { .kind = c->def.kind,
		.world = p->world,
		.size = c->def.size,
		.nremote = c->def.nremote,
		.parent = NONE,
		.name = c->name };
	bool swap;

	if (!c->ranks)
		return 0;
	c->global = NONE;
	if (!p->in_world || !ranks_are_sane(m, p, c)) {
		p->spool->lost[LOSS_NO_DEFINITION]++;
		c->ranks = NULL;
		return 0;
	}
	key.ranks = malloc((c->def.size + c->def.nremote) * sizeof(uint32_t));
	if (!key.ranks)
		return -1;
	swap = ranks_in_order(c, key.ranks);
	if (swap) {
		key.size = c->def.nremote;
		key.nremote = c->def.size;
	}
	c->side = swap;
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
	m->comms[c->global].nseen++;
	if (!m->comms[c->global].name[0])
		m->comms[c->global].name = c->name;
	return 0;
}

/* A process's MPI_COMM_WORLD, NULL when it has none. */
static const struct spool_comm *world_of(const struct spool_process *spool)
{
	for (uint32_t i = 1; i < spool->comms.n; i++)
		if (spool->comms.at[i].ranks && spool->comms.at[i].def.kind == COMM_WORLD &&
			spool->comms.at[i].def.rank >= 0 && spool->comms.at[i].def.size)
			return &spool->comms.at[i];
	return NULL;
}

static int compare_starts(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return strcmp(x->spool->folder, y->spool->folder);
}

static int world_grow(struct merge *m, uint32_t world, uint32_t size)
{
	while (m->nworlds <= world) {
		uint32_t *sizes = realloc(m->world_size, (m->nworlds + 1) * sizeof(*sizes));
		uint32_t *firsts = realloc(m->world_first, (m->nworlds + 1) * sizeof(*firsts));

		m->world_size = sizes ? sizes : m->world_size;
		m->world_first = firsts ? firsts : m->world_first;
		if (!sizes || !firsts)
			return -1;
		m->world_size[m->nworlds++] = 0;
	}
	if (size > m->world_size[world])
		m->world_size[world] = size;
	return 0;
}

/* Puts each process that has MPI_COMM_WORLD into a world, and learns its rank from it. */
static int worlds_find(struct merge *m)
{
	uint32_t first = 0;

	qsort(m->processes, m->nprocesses, sizeof(*m->processes), compare_starts);
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];
		const struct spool_comm *world = world_of(p->spool);

		if (!world)
			continue;
		p->in_world = true;
		p->rank = world->def.rank;
		for (uint32_t k = 0; k < i; k++)
			p->world += m->processes[k].in_world && m->processes[k].rank == p->rank;
		if (world_grow(m, p->world, world->def.size) < 0)
			return -1;
	}
	for (uint32_t w = 0; w < m->nworlds; w++) {
		m->world_first[w] = first;
		first += m->world_size[w];
	}
	return 0;
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
	return compare_starts(a, b);
}

int merge_comms(struct merge *m)
{
	struct comm_index index = { 0 };
	int ret = worlds_find(m);

	qsort(m->processes, m->nprocesses, sizeof(*m->processes), compare_world_ranks);
	for (uint32_t i = 0; ret == 0 && i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		for (uint32_t id = 1; ret == 0 && id < p->spool->comms.n; id++)
			ret = comm_unify(m, &index, p, id);
		if (ret == 0)
			ret = windows_unify(m, p);
	}
	free(index.slots);
	if (ret < 0)
		log_error("out of memory");
	return ret;
}
