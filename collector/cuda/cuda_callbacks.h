/*
 * cuda_callbacks.h - which of CUPTI's callbacks are calls that are recorded, and where their arguments lie.
 */
#ifndef COLLECTOR_CUDA_CALLBACKS_H
#define COLLECTOR_CUDA_CALLBACKS_H

#include "cuda/cuda_capture.h"

/* Columns of cuda_callbacks.def as numbers; offsets are below them all. */
enum { NONE = 0xff, NULL_STREAM = 0xfe, CONFIG = 0xfd };

/* Region 0: none of ours. */
struct cuda_callback {
	uint16_t region;
	uint8_t stream, word; /* where in the parameters they are, or as above */
	bool per_thread;      /* stream 0 is the thread's default stream */
	uint16_t by_record;   /* region of a launch that has a record of CUPTI's, not a callback */
};

/* Launches have records, or had. */
extern bool tacho_launch_records HIDDEN;

/*
 * Before that, with a library that we have subscribed to: how launches are recorded, as the user says and
 * CUPTI allows. The name of the way.
 */
const char *cuda_launches_choose(void) HIDDEN;

/*
 * From now on launches have callbacks where they had records: another profiler switches kinds of records
 * on and off, and with these ours.
 */
void cuda_launches_by_callbacks(void) HIDDEN;

/* The region of a launch that began then and has a record; 0: none of ours. */
unsigned cuda_launch_by_record(int domain, uint32_t number, uint64_t start) HIDDEN;

/* Asks CUPTI for the calls to report. 0, or CUPTI's first error. */
int cuda_callbacks_enable(void *subscriber) HIDDEN;

/* NULL: the domain has no such number that may be a recorded call. */
const struct cuda_callback *cuda_callback_of(int domain, uint32_t number) HIDDEN;

/* Whether it was asked for, as a call or as something that is made. */
bool cuda_callback_is_ours(int domain, uint32_t number) HIDDEN;

static inline bool cuda_is_launch(unsigned region)
{
	switch (region) {
	case REGION_cudaLaunchKernel:
	case REGION_cudaLaunchKernelExC:
	case REGION_cudaLaunchCooperativeKernel:
	case REGION_cuLaunchKernel:
	case REGION_cuLaunchKernelEx:
	case REGION_cuLaunchCooperativeKernel: return true;
	default: return false;
	}
}

#endif
