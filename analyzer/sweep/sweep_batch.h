/* sweep_batch.h - a run as a job of Slurm's, submitted and waited for. For sweep_run.c. */
#ifndef ANALYZER_SWEEP_BATCH_H
#define ANALYZER_SWEEP_BATCH_H

#include "sweep/sweep.h"

/*
 * Submits a command of the program, or finds the job of an earlier sweep, and waits for its end. Its
 * exit status; -1: it could not be submitted (reported).
 */
int sweep_batch_run(struct sweep *sweep, struct sweep_run *run, const char *program, char **argv);

#endif
