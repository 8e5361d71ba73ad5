/* merge_comm_index.c - finds a communicator by kind, parent, place and members; see merge_comms.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "merge/merge_comms.h"

static uint64_t comm_hash(const struct merge_comm *c)
{
	uint64_t h = c->kind * 31 + c->world;

	h = (h ^ c->parent) * 0x9e3779b97f4a7c15ull;
	h = (h ^ c->creation) * 0xff51afd7ed558ccdull;
	for (uint32_t i = 0; i < c->size + c->nremote; i++)
		h = (h ^ c->ranks[i]) * 0xc4ceb9fe1a85ec53ull;
	return h ^ h >> 32;
}

static bool comm_equal(const struct merge_comm *a, const struct merge_comm *b)
{
	return a->kind == b->kind && a->world == b->world && a->parent == b->parent &&
		a->to_parent == b->to_parent && a->creation == b->creation && a->size == b->size &&
		a->nremote == b->nremote &&
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

uint32_t comm_number(struct merge *m, struct comm_index *index, const struct merge_comm *key)
{
	uint32_t i, n = key->size + key->nremote;
	struct merge_comm *grown;

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

bool comm_is_inter(uint32_t kind)
{
	return kind == COMM_INTER || kind == COMM_PARENT;
}

void comm_order(struct merge_comm *c, uint32_t *ranks, const uint32_t *own, const uint32_t *other)
{
	bool swap = c->nremote && other[0] < own[0];
	uint32_t nown = c->size, nother = c->nremote;

	memcpy(ranks + (swap ? nother : 0), own, nown * sizeof(*ranks));
	memcpy(ranks + (swap ? 0 : nown), other, nother * sizeof(*ranks));
	c->size = swap ? nother : nown;
	c->nremote = swap ? nown : nother;
}
