/*
 * loader.h - brings batches from disk to the trainer: reader threads take
 * sample after sample of a plan, read, prepare and put it at its place in one
 * of `prefetch` batch buffers; the trainer takes the batches in order. Which
 * sample lands where follows from the plan alone, never from timing.
 */
#ifndef TRAINER_LOADER_H
#define TRAINER_LOADER_H

#include "dataset.h"
#include "preprocess.h"

/* One pass over a split, or the rest of one. */
struct plan {
	int split;
	bool augment;
	long seed;
	uint64_t epoch; /* decides order (when shuffled) and augmentation */
	bool shuffle;
	int nsamples;		     /* of the split that are used */
	int batch;		     /* samples of a whole batch, over all ranks */
	int first_batch, last_batch; /* this one's excluded */
	int rank, nranks;	     /* which part of each batch is read here */
};

struct batch {
	const float *input;
	const struct target *targets;
	int count; /* of this rank; may be 0 in a last, small batch */
	int total; /* of all ranks */
};

struct loader;

/*
 * readers 0: batches are read by loader_next() itself. delay_ms: slow storage,
 * added to every sample read. max_batch: samples of
 * this rank in a batch, at most. NULL having reported why.
 */
struct loader *loader_create(const struct dataset *dataset, const struct preprocess *preprocess,
	int readers, int prefetch, int max_batch, double delay_ms);
/* Starts a plan; the one before has been read to its end. 0, or -1 having reported why. */
int loader_start(struct loader *loader, const struct plan *plan);
/* Waits for the next batch. 1, 0 at the end of the plan, -1 when reading failed (reported). */
int loader_next(struct loader *loader, struct batch *batch);
/* Gives back the batch of the last loader_next(). */
void loader_done(struct loader *loader);
/* Ends the threads, also in the middle of a plan. */
void loader_free(struct loader *loader);

#endif
