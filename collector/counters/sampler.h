/*
 * sampler.h - reads the counters of the node and of the process at intervals
 * and records them in its own spool (SPOOL_KIND_SAMPLER). It has no
 * thread: the helper, which also beats the heart, calls it.
 *
 * One process of a node reads the node's counters: the first live one to take the file
 * RUN/spool/.node.<host>.<n>. One that uses CUDA reads the GPUs' counters (.gpus.<host>.<n>). Every
 * joined process reads its own counters (/proc/self/io, stat). TACHO_SAMPLE_HZ is the rate (10; 0 =
 * never).
 */
#ifndef COLLECTOR_SAMPLER_H
#define COLLECTOR_SAMPLER_H

#include "core/source.h"

/* Set by attach/: the process uses CUDA, by the libraries that it has mapped. */
extern bool tacho_attached_gpus HIDDEN;

/*
 * A tick samples if it is time; it needs a few 10 µs. The end, in any thread, takes a last sample,
 * unless the helper is sampling at this moment, and notes the cost of sampling. Later ticks do nothing.
 */
extern const struct source tacho_counter_source HIDDEN;

#endif
