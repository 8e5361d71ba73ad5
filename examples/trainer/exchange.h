/*
 * exchange.h - everything between ranks: start and end of MPI, and the sum of
 * the gradients over all ranks, in buckets.
 */
#ifndef TRAINER_EXCHANGE_H
#define TRAINER_EXCHANGE_H

#include <stddef.h>

#include "model.h"

struct job {
	int rank, nranks;
};

/* MPI_Init_thread; works without mpirun as one rank. */
void job_start(struct job *job, int *argc, char ***argv);
void job_end(void);
/* Ends all ranks with `status` after a failure that has been said. */
void job_abort(int status) __attribute__((noreturn));

/* The greatest of all ranks' `value`. */
int job_greatest(int value);
/* Adds `count` doubles over all ranks, in place. */
void job_sum(double *values, int count);
/* Copies rank 0's bytes to all. */
void job_copy(void *data, size_t nbytes);
void job_barrier(void);

struct exchange;

/*
 * fusion_mb: neighbouring tensors are summed together until they reach this
 * size; 0: each alone. NULL having said why.
 */
struct exchange *exchange_create(const struct model *model, const struct job *job,
				 double fusion_mb);
/* A step's backward pass begins. */
void exchange_begin(struct exchange *exchange);
/* Gradients [offset, offset + count) are final on this rank: model_ready. */
void exchange_ready(void *exchange, size_t offset, size_t count);
/* Returns when all gradients are summed over the ranks. */
void exchange_end(struct exchange *exchange);
int exchange_buckets(const struct exchange *exchange);
void exchange_free(struct exchange *exchange);

#endif
