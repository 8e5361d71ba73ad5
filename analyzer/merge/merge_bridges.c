/*
 * merge_bridges.c - communicators between MPI jobs: of MPI_Comm_spawn, MPI_Comm_connect and
 * MPI_Comm_accept, and what is made from them. A process names members of its own world only, so
 * each side's definition is half of one; the halves are put together here.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "merge/merge_comms.h"

struct bridges {
	struct merge_comm *old; /* the communicators as they were defined, by number */
	uint32_t n;
	uint32_t *partner; /* [number] = the other half, NONE */
	uint32_t *alias;   /* [number] = what it became, NONE: its members are not known */
	struct comm_index index;
};

static uint32_t foreign_count(const struct merge_comm *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->size + c->nremote; i++)
		n += c->ranks[i] == NONE;
	return n;
}

static bool is_half(const struct merge_comm *c)
{
	return c->kind == COMM_INTER && c->nremote && c->ranks[c->size] == NONE;
}

/* Of the two halves of a spawn one is to_parent; MPI_Comm_connect and accept make none of these. */
static bool fit_together(const struct merge_comm *a, const struct merge_comm *b)
{
	return a->world != b->world && a->size == b->nremote && a->nremote == b->size &&
		!(a->to_parent && b->to_parent);
}

/* Halves with the same sizes together, in the order in which their worlds began. */
static int compare_halves(const void *a, const void *b, void *context)
{
	const struct merge_comm *comms = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct merge_comm *x = &comms[i], *y = &comms[k];
	uint64_t sizes[2] = { (uint64_t)x->size + x->nremote, (uint64_t)y->size + y->nremote };

	if (sizes[0] != sizes[1])
		return sizes[0] < sizes[1] ? -1 : 1;
	return (i > k) - (i < k);
}

/* Which halves belong together: those that fit, the first with the first. */
static int halves_pair(struct bridges *b)
{
	uint32_t *halves = malloc((b->n + 1) * sizeof(*halves)), n = 0;

	if (!halves)
		return -1;
	for (uint32_t i = 0; i < b->n; i++)
		if (is_half(&b->old[i]))
			halves[n++] = i;
	qsort_r(halves, n, sizeof(*halves), compare_halves, b->old);
	for (uint32_t i = 0; i < n; i++) {
		const struct merge_comm *half = &b->old[halves[i]];
		uint32_t sizes = half->size + half->nremote;

		for (uint32_t k = i + 1; b->partner[halves[i]] == NONE && k < n; k++) {
			const struct merge_comm *other = &b->old[halves[k]];

			if (other->size + other->nremote != sizes)
				break;
			if (b->partner[halves[k]] != NONE || !fit_together(half, other))
				continue;
			b->partner[halves[i]] = halves[k];
			b->partner[halves[k]] = halves[i];
		}
	}
	free(halves);
	return 0;
}

static int inter_complete(struct bridges *b, uint32_t number, struct merge_comm *key)
{
	const struct merge_comm *half = &b->old[number], *other;
	uint32_t partner = b->partner[number];

	key->nremote = 0; /* where nothing is known of the other group */
	if (partner == NONE)
		return 0;
	if (partner < number) {
		b->alias[number] = b->alias[partner];
		return 0;
	}
	other = &b->old[partner];
	key->world = NONE;
	key->nremote = other->size;
	key->ranks = malloc((half->size + other->size) * sizeof(*key->ranks));
	if (!key->ranks)
		return -1;
	comm_order(key, key->ranks, half->ranks, other->ranks);
	return 0;
}

/* The members of a communicator that are of another world, in order. */
struct foreign {
	const uint32_t *at, *mask; /* `mask`: only those where it is NONE; NULL: all of them */
	uint32_t n, next;
};

static struct foreign foreign_members(const struct merge *m, const struct bridges *b,
	uint32_t parent)
{
	const struct merge_comm *old = parent == NONE ? NULL : &b->old[parent];

	if (!old || b->alias[parent] == NONE)
		return (struct foreign){ 0 };
	if (old->kind != COMM_INTER)
		return (struct foreign){ m->comms[b->alias[parent]].ranks, old->ranks, old->size,
			0 };
	if (b->partner[parent] == NONE)
		return (struct foreign){ 0 };
	old = &b->old[b->partner[parent]];
	return (struct foreign){ old->ranks, NULL, old->size, 0 };
}

static uint32_t foreign_next(struct foreign *f)
{
	while (f->next < f->n && f->mask && f->mask[f->next] != NONE)
		f->next++;
	return f->next < f->n ? f->at[f->next++] : NONE;
}

/*
 * What is made from such a communicator has all of its foreign members in the same order, or it is
 * not known which, and it is left out. 0, or -1 without memory.
 */
static int intra_complete(const struct merge *m, struct bridges *b, uint32_t number,
	struct merge_comm *key)
{
	const struct merge_comm *old = &b->old[number];
	struct foreign foreign = foreign_members(m, b, old->parent);

	b->alias[number] = NONE;
	key->world = NONE;
	key->ranks = malloc((old->size + 1) * sizeof(*key->ranks));
	if (!key->ranks)
		return -1;
	for (uint32_t i = 0; i < old->size; i++) {
		key->ranks[i] = old->ranks[i] == NONE ? foreign_next(&foreign) : old->ranks[i];
		if (key->ranks[i] == NONE)
			return 0;
	}
	if (foreign_next(&foreign) == NONE)
		b->alias[number] = number;
	return 0;
}

/* Takes a communicator over, completed. 0, or -1 without memory. */
static int comm_take(struct merge *m, struct bridges *b, uint32_t number)
{
	const struct merge_comm *old = &b->old[number];
	struct merge_comm key = *old;
	int ret = 0;

	b->alias[number] = number;
	key.parent = old->parent == NONE ? NONE : b->alias[old->parent];
	if (is_half(old))
		ret = inter_complete(b, number, &key);
	else if (foreign_count(old))
		ret = intra_complete(m, b, number, &key);
	if (ret == 0 && b->alias[number] == number) {
		b->alias[number] = comm_number(m, &b->index, &key);
		ret = b->alias[number] == NONE ? -1 : 0;
	}
	if (key.ranks != old->ranks)
		free(key.ranks);
	return ret;
}

static void processes_follow(struct merge *m, const struct bridges *b)
{
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct spool_process *s = m->processes[i].spool;

		for (uint32_t id = 1; id < s->comms.n; id++) {
			struct spool_comm *c = &s->comms.at[id];

			if (!c->ranks)
				continue;
			c->global = b->alias[c->global];
			if (c->global != NONE)
				continue;
			c->ranks = NULL;
			s->lost[LOSS_NO_DEFINITION]++;
		}
	}
}

static void spawners_find(struct merge *m, const struct bridges *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (b->old[i].to_parent && b->partner[i] != NONE)
			m->worlds[b->old[i].world].spawner = b->old[b->partner[i]].ranks[0];
}

static int bridges_build(struct merge *m, struct bridges *b)
{
	b->partner = malloc((b->n + 1) * sizeof(*b->partner));
	b->alias = malloc((b->n + 1) * sizeof(*b->alias));
	if (!b->partner || !b->alias)
		return -1;
	memset(b->partner, 0xff, (b->n + 1) * sizeof(*b->partner));
	if (halves_pair(b) < 0)
		return -1;
	for (uint32_t i = 0; i < b->n; i++)
		if (comm_take(m, b, i) < 0)
			return -1;
	processes_follow(m, b);
	spawners_find(m, b);
	return 0;
}

int merge_bridges(struct merge *m)
{
	struct bridges b = { .old = m->comms, .n = m->ncomms };
	uint32_t nforeign = 0;
	int ret;

	for (uint32_t i = 0; i < b.n && !nforeign; i++)
		nforeign = foreign_count(&b.old[i]);
	if (!nforeign)
		return 0;
	m->comms = NULL;
	m->ncomms = 0;
	ret = bridges_build(m, &b);
	for (uint32_t i = 0; i < b.n; i++)
		free(b.old[i].ranks);
	free(b.old);
	free(b.partner);
	free(b.alias);
	free(b.index.slots);
	return ret;
}
