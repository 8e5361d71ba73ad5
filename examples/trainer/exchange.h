/*
 * exchange.h - the sum of the gradients over all ranks: in buckets of
 * neighbouring tensors, after the backward pass or under it, flat or node by
 * node.
 */
#ifndef TRAINER_EXCHANGE_H
#define TRAINER_EXCHANGE_H

#include "job.h"
#include "model.h"
#include "options.h"

struct exchange;

/*
 * Buckets of options->fusion_mb: neighbouring tensors are summed together
 * until they reach this size; 0: each alone. tiny_messages: pieces of 1 KiB
 * whatever the tensors. All ranks call it together. NULL having reported why.
 */
struct exchange *exchange_create(const struct model *model, const struct job *job,
	const struct options *options, bool tiny_messages);
/* A step's backward pass begins. */
void exchange_begin(struct exchange *exchange);
/* Gradients [offset, offset + count) are final on this rank: model_ready. */
void exchange_ready(void *exchange, size_t offset, size_t count);
/* Returns when all gradients are summed over the ranks. */
void exchange_end(struct exchange *exchange);
int exchange_buckets(const struct exchange *exchange);
/* All ranks call it together. */
void exchange_free(struct exchange *exchange);

#endif
