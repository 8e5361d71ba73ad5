/*
 * cuda.h - training on GPUs, as the rest of the trainer sees it: a table of functions in the
 * module trainer-cuda.so, which is loaded for --device cuda only, so that training on the CPU
 * needs no CUDA library. Work is queued; functions return before GPUs have done it, unless they
 * give results back. All return 0, or -1 having reported why.
 */
#ifndef TRAINER_CUDA_H
#define TRAINER_CUDA_H

#include <stdio.h>

#include "loader.h"
#include "model.h"
#include "options.h"

/* The GPUs of this process. */
struct cuda;

struct cuda_setup {
	const struct options *options;
	struct model *model;	/* layers and parameters; its other arrays are not used */
	float *velocity;	/* of the optimizer, as many as parameters */
	int classes, max_batch; /* of this rank */
	int rank, nranks, local_rank;
	/* Copies rank 0's bytes to all ranks. */
	void (*copy_to_all)(void *data, size_t nbytes);
	/* The greatest of all ranks' values. */
	int (*greatest)(int value);
};

struct cuda_module {
	struct cuda *(*open)(const struct cuda_setup *setup);
	/* The devices, their number and the libraries, for people. */
	const char *(*describe)(const struct cuda *cuda);
	/* Buckets that the gradients are summed in. */
	int (*buckets)(const struct cuda *cuda);
	/* A whole step; `repeats` more forward passes: a slow GPU (plant.h). */
	int (*step)(struct cuda *cuda, const struct batch *batch, double rate, int repeats);
	/* Forward only, for the loss; `repeats` more passes that count nothing (plant.h). */
	int (*evaluate)(struct cuda *cuda, const struct batch *batch, int repeats);
	/* Waits, adds what steps and evaluations lost since the last call, and starts anew. */
	int (*loss)(struct cuda *cuda, struct loss *loss);
	/* Parameters and velocity from the host to all GPUs, and back from the first. */
	int (*push)(struct cuda *cuda);
	int (*pull)(struct cuda *cuda);
	/* Lines of truth.h: launches, copies and communication since the start. */
	void (*truth)(FILE *out);
	void (*close)(struct cuda *cuda);
};

/* The symbol of the module. */
extern const struct cuda_module trainer_cuda;

/* Loads the module. NULL having reported why. */
const struct cuda_module *cuda_load(void);

#endif
