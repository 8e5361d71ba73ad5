/* train.h - the training itself: epochs of steps, validation, test, and their figures. */
#ifndef TRAINER_TRAIN_H
#define TRAINER_TRAIN_H

#include "checkpoint.h"
#include "cuda.h"
#include "exchange.h"
#include "loader.h"
#include "optimizer.h"
#include "options.h"

struct trainer {
	const struct options *options;
	struct job job;
	struct preprocess preprocess;
	struct dataset dataset;
	struct loader *loader;
	struct model model;
	struct optimizer optimizer;
	struct exchange *exchange;
	struct checkpoint *checkpoint;	  /* NULL: none wanted */
	const struct cuda_module *module; /* NULL: on the CPU */
	struct cuda *cuda;
	float *grad_logits;
	int classes;
	int global_batch, local_batch; /* samples of a step over all ranks; at most on one */
	uint64_t epoch_steps, steps;   /* of an epoch; of the whole run */
	uint64_t step;		       /* the next */
	bool headed;		       /* the table of epochs has its heading */
};

/*
 * Everything needed before the first step. 0, or -1 having reported why. Undone by trainer_close(),
 * which reports and returns likewise.
 */
int trainer_open(struct trainer *trainer, const struct options *options, const struct job *job);
/* Trains, validates, tests. 0, or -1 having reported why. */
int trainer_run(struct trainer *trainer);
int trainer_close(struct trainer *trainer);

#endif
