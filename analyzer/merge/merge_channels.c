/* merge_channels.c - see merge_channels.h: open addressing, no removal. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/merge_channels.h"

#define FREE UINT32_MAX

static uint32_t hash(const struct merge_channel *k)
{
	uint64_t h = k->comm * 0x9e3779b97f4a7c15ull;

	h = (h ^ k->source) * 0xff51afd7ed558ccdull;
	h = (h ^ k->dest) * 0xc4ceb9fe1a85ec53ull;
	h = (h ^ k->tag) * 0x9e3779b97f4a7c15ull;
	return h >> 32;
}

static bool equal(const struct merge_channel *a, const struct merge_channel *b)
{
	return a->source == b->source && a->dest == b->dest && a->tag == b->tag &&
		a->comm == b->comm;
}

/* Where the key is or would stand. */
static struct merge_channel *probe(const struct merge_channels *c, const struct merge_channel *key)
{
	uint32_t i = hash(key) & (c->size - 1);

	while (c->at[i].comm != FREE && !equal(&c->at[i], key))
		i = (i + 1) & (c->size - 1);
	return &c->at[i];
}

static int grow(struct merge_channels *c)
{
	struct merge_channels bigger = { .size = c->size ? 2 * c->size : 256, .n = c->n };

	bigger.at = malloc(bigger.size * sizeof(*bigger.at));
	if (!bigger.at) {
		log_error("out of memory");
		return -1;
	}
	memset(bigger.at, 0xff, bigger.size * sizeof(*bigger.at));
	for (uint32_t i = 0; i < c->size; i++)
		if (c->at[i].comm != FREE)
			*probe(&bigger, &c->at[i]) = c->at[i];
	free(c->at);
	*c = bigger;
	return 0;
}

struct merge_channel *channel_get(struct merge_channels *channels, const struct merge_channel *key)
{
	struct merge_channel *at = channels->last;

	if (at && equal(at, key))
		return at;
	if (2 * channels->n >= channels->size && grow(channels) < 0)
		return NULL;
	at = probe(channels, key);
	if (at->comm == FREE) {
		*at = (struct merge_channel){ .comm = key->comm,
			.source = key->source,
			.dest = key->dest,
			.tag = key->tag };
		channels->n++;
	}
	channels->last = at;
	return at;
}

struct merge_channel *channel_find(const struct merge_channels *channels,
	const struct merge_channel *key)
{
	struct merge_channel *at = channels->size ? probe(channels, key) : NULL;

	return at && at->comm != FREE ? at : NULL;
}

int channels_add(struct merge_channels *into, const struct merge_channels *from)
{
	for (uint32_t i = 0; i < from->size; i++) {
		struct merge_channel *to;

		if (from->at[i].comm == FREE)
			continue;
		to = channel_get(into, &from->at[i]);
		if (!to)
			return -1;
		to->sends += from->at[i].sends;
		to->recvs += from->at[i].recvs;
		to->sends_from += from->at[i].sends_from;
		to->recvs_from += from->at[i].recvs_from;
	}
	return 0;
}

int channels_keep_unequal(struct merge_channels *channels)
{
	struct merge_channels kept = { 0 };

	for (uint32_t i = 0; i < channels->size; i++) {
		const struct merge_channel *c = &channels->at[i];
		struct merge_channel *to;

		if (c->comm == FREE || (c->sends == c->recvs && c->sends_from == c->recvs_from))
			continue;
		to = channel_get(&kept, c);
		if (!to) {
			channels_free(&kept);
			return -1;
		}
		to->matched = c->sends < c->recvs ? c->sends : c->recvs;
		to->sends = to->sent = to->sends_from = c->sends_from;
		to->recvs = to->received = to->recvs_from = c->recvs_from;
	}
	channels_free(channels);
	*channels = kept;
	return 0;
}

void channels_free(struct merge_channels *channels)
{
	free(channels->at);
	*channels = (struct merge_channels){ 0 };
}
