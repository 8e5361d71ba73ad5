/*
 * checkpoint.h - the state of a training on disk, from which it continues as if it had never
 * stopped. Rank 0 writes; a file exists complete or not at all.
 */
#ifndef TRAINER_CHECKPOINT_H
#define TRAINER_CHECKPOINT_H

#include "job.h"
#include "model.h"
#include "optimizer.h"
#include "options.h"

struct checkpoint;

/* NULL having reported why. */
struct checkpoint *checkpoint_create(const struct options *options, const struct job *job,
	const struct model *model, const struct optimizer *optimizer);
/*
 * Is it time, before step `step`? Then writes the state (blocking: while all
 * ranks wait, as its own phase; in the background: copies it and lets a
 * thread write). Between phases only. 0, or -1 having reported why.
 */
bool checkpoint_due(const struct checkpoint *checkpoint, uint64_t step);
int checkpoint_save(struct checkpoint *checkpoint, uint64_t step);
/*
 * Fills weights and velocity from the file on all ranks and sets *step; leaves
 * all alone when there is no file. 0, or -1 having reported why.
 */
int checkpoint_load(struct checkpoint *checkpoint, uint64_t *step);
/* Waits for a write in the background. 0, or -1 when that failed. */
int checkpoint_free(struct checkpoint *checkpoint);

#endif
