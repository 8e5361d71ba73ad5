/*
 * cuda_sample.h - holds what it costs to record launches of kernels: above a limit those of a sample
 * of steps only. Copies, waits, NCCL and graph launches are recorded in all steps.
 *
 * The cost is measured where it matters: steps of a random sample are made with and without it, and
 * their durations compared. All ranks record the same steps: the first one to propose a change names
 * the share of steps and the step from which on it holds, as with the capture window (core/capture.h).
 */
#ifndef COLLECTOR_CUDA_SAMPLE_H
#define COLLECTOR_CUDA_SAMPLE_H

#include "cuda/cuda_capture.h"

/* Launches are watched: there is a limit, and CUPTI is ours. Set once, before the first callback. */
extern bool tacho_sample_watches HIDDEN;

/* What is switched, by the files above this one. */
struct sample_switch {
	bool (*is_ours)(void);	  /* CUPTI is, in this process */
	bool (*is_shared)(void);  /* another profiler reads its activities: they stay as they are */
	void (*turn)(bool is_on); /* callbacks of launches, and records of kernels */
};

/* Reads the limit, as CUPTI is taken. */
void cuda_sample_start(const struct sample_switch *with) HIDDEN;

/* The main thread begins a step. Keeps errno. */
void cuda_sample_step(uint64_t number) HIDDEN;

/* For the helper: what other ranks have proposed. Returns when to look again. */
uint64_t cuda_sample_tick(void) HIDDEN;

/* Notes how many kernels were launched; at the end as well. */
void cuda_sample_count(void) HIDDEN;

/* A call of NCCL begins (1) or ends (-1) on this thread: its launches are recorded in any step. */
void cuda_sample_nccl(int change) HIDDEN;

/*
 * A launch of a kernel begins; false: it is not to be recorded. One that is ends with
 * cuda_sample_launched(), after its record.
 */
bool cuda_sample_launches(void) HIDDEN;
void cuda_sample_launched(uint32_t correlation) HIDDEN;

/* A recorded launch has not returned, as its last callback was switched off. */
void cuda_sample_lost(void) HIDDEN;

/* Whether launches are recorded at present. */
bool cuda_sample_is_on(void) HIDDEN;

/* CUPTI is another profiler's meanwhile, or ours again. */
void cuda_sample_away(bool is_away) HIDDEN;

/* A graph is about to be launched. */
void cuda_sample_graph(void) HIDDEN;

#endif
