/*
 * keep.h - which steps stay in detail where the budget does not hold all of a run: the slowest, and
 * every so many-th, each with the ones before and after it.
 */
#ifndef COLLECTOR_KEEP_H
#define COLLECTOR_KEEP_H

#include "core/source.h"

#define KEEP_SLOW   32 /* steps; of the others, every so many-th that they are no more than… */
#define KEEP_SAMPLE 32
#define KEEP_MOST   (KEEP_SLOW + KEEP_SAMPLE)

/* A stretch of time in ticks, both ends included. */
struct keep_window {
	uint64_t begin, end;
};

/* On the thread that marks steps; never waits. */
void keep_step_begin(uint64_t number) HIDDEN;
void keep_step_end(void) HIDDEN;

/* A forked child forgets the parent's. */
extern const struct source tacho_keep_source HIDDEN;

/*
 * The stretches to keep that overlap the one from `begin` to `end`, in order and apart from each
 * other; none where another thread is looking just now.
 */
unsigned keep_windows(uint64_t begin, uint64_t end, struct keep_window out[KEEP_MOST]) HIDDEN;

/* Keeps fewer from now on. False: there are hardly any. */
bool keep_fewer(void) HIDDEN;

/* Changes whenever some are no longer kept. */
uint32_t keep_generation(void) HIDDEN;

#endif
