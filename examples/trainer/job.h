/* job.h - the ranks together: start and end of MPI, and small things all of them agree on. */
#ifndef TRAINER_JOB_H
#define TRAINER_JOB_H

#include <stdbool.h>
#include <stddef.h>

struct job {
	int rank, nranks;
	bool threads; /* MPI may be called by another thread than main's, one at a time */
};

/* MPI_Init_thread; works without mpirun as one rank. */
void job_start(struct job *job, int *argc, char ***argv);
void job_end(void);
/* Ends all ranks with `status` after a failure that has been reported. */
void job_abort(int status) __attribute__((noreturn));

/* This process's index on its node. All ranks call it together. */
int job_local_rank(const struct job *job);
/* The greatest of all ranks' `value`. */
int job_greatest(int value);
/* Adds `count` doubles over all ranks, in place. */
void job_sum(double *values, int count);
/* Copies rank 0's bytes to all. */
void job_copy(void *data, size_t nbytes);

#endif
