/*
 * sampler.h - reads the counters of the node and of the process at intervals
 * and records them in a spool of its own (SPOOL_KIND_SAMPLER). It has no
 * thread: the helper, which also beats the heart, calls it.
 *
 * One process of a node reads the node's counters: who first takes the file
 * RUN/spool/.node.<host>.<n> and is alive; and one that uses CUDA those of its GPUs
 * (.gpus.<host>.<n>). Every joined process reads its own (/proc/self/io, stat). TACHO_SAMPLE_HZ says how often (10; 0 = never).
 */
#ifndef COLLECTOR_SAMPLER_H
#define COLLECTOR_SAMPLER_H

#include <stdint.h>

#include "core/span.h"

/*
 * In the helper, when it starts and then whenever it wakes: samples if
 * it is time. Returns when (CLOCK_MONOTONIC, ns) it wants to be called again;
 * UINT64_MAX = never. The time it needs is a few 10 µs.
 */
uint64_t sampler_tick(void) HIDDEN;

/* In the helper, when it wakes that was to sleep until then at most (CLOCK_MONOTONIC, ns). */
void sampler_woke(uint64_t until_ns) HIDDEN;

/* In the helper: the program, which ran at `since_ns`, is stopped; it is no longer. */
void sampler_stopped(uint64_t since_ns) HIDDEN;
void sampler_runs(void) HIDDEN;

/*
 * At the end of the process, by any thread, before DEF_END is written: takes
 * a last sample, unless the helper is sampling at this moment, and
 * notes what sampling cost. Later ticks do nothing.
 */
void sampler_end(void) HIDDEN;

#endif
