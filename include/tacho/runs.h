/*
 * runs.h - lists of ranks as runs of equal steps: MPI_COMM_WORLD of any size is one run. Both sides use it.
 */
#ifndef TACHO_RUNS_H
#define TACHO_RUNS_H

#include <stdint.h>

/* `n` members: first, first + step, … (modulo 2^32; a step of 0 repeats it). */
struct spool_run {
	uint32_t first, step, n;
};

/* Writes `n` members as runs, of which there are at most (n + 1) / 2 if `n` > 1. Returns how many. */
static inline uint32_t runs_make(struct spool_run *runs, const uint32_t *members, uint32_t n)
{
	uint32_t nruns = 0;

	for (uint32_t i = 0; i < n;) {
		struct spool_run run = { members[i], 0, 1 };

		if (i + 1 < n)
			run.step = members[i + 1] - members[i];
		while (i + run.n < n && members[i + run.n] == run.first + run.n * run.step)
			run.n++;
		i += run.n;
		runs[nruns++] = run;
	}
	return nruns;
}

#endif
