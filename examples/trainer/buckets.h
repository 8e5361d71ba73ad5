/* buckets.h - cuts the gradients into the pieces that are summed over the ranks at once. */
#ifndef TRAINER_BUCKETS_H
#define TRAINER_BUCKETS_H

#include <stdbool.h>

#include "model.h"

/*
 * Neighbouring tensors together until they reach `fusion_mb` (0: each alone); tiny_messages:
 * pieces of 1 KiB whatever the tensors. Bucket 0 holds the model's last tensors: backward
 * finishes them first, so buckets become ready in their order. Returns their number and fills
 * *buckets, which the caller frees; -1 having reported why.
 */
int buckets_cut(const struct model *model, double fusion_mb, bool tiny_messages,
	struct tensor **buckets);

#endif
