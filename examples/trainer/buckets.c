/* buckets.c - see buckets.h. */
#include "config.h"

#include <stdlib.h>

#include "buckets.h"
#include "say.h"

#define TINY_COUNT 256 /* floats of a tiny message */

struct cut {
	struct tensor *buckets;
	int nbuckets;
	size_t limit; /* floats of a bucket */
};

/* Joins [offset, offset + count), which is before all others, to the last bucket if it fits. */
static void piece_add(struct cut *cut, size_t offset, size_t count)
{
	struct tensor *last = cut->nbuckets ? &cut->buckets[cut->nbuckets - 1] : NULL;

	if (!last || last->count + count > cut->limit) {
		cut->buckets[cut->nbuckets++] = (struct tensor){ offset, count };
	} else {
		last->offset = offset;
		last->count += count;
	}
}

int buckets_cut(const struct model *model, double fusion_mb, bool tiny_messages,
	struct tensor **buckets)
{
	size_t piece = tiny_messages ? TINY_COUNT : model->nweights;
	struct cut cut = { .limit = tiny_messages ? 0 : fusion_mb * 1e6 / sizeof(float) };

	cut.buckets = calloc(model->ntensors + model->nweights / piece, sizeof(*cut.buckets));
	if (!cut.buckets)
		return fail("not enough memory for gradient buckets");
	for (int i = model->ntensors - 1; i >= 0; i--) {
		struct tensor tensor = model->tensors[i];

		for (size_t left = tensor.count; left > 0;) {
			size_t count = left < piece ? left : piece;

			left -= count;
			piece_add(&cut, tensor.offset + left, count);
		}
	}
	*buckets = cut.buckets;
	return cut.nbuckets;
}
