/*
 * cuda_leave.h - leaves CUPTI to another profiler of this process, where both cannot have it: for good, or
 * until that one has left it. Any thread, one at a time by CUPTI's own rules for subscribers.
 */
#ifndef COLLECTOR_CUDA_LEAVE_H
#define COLLECTOR_CUDA_LEAVE_H

#include "core/span.h"

/* Delivers what CUPTI has, and leaves CUPTI to another profiler. */
void cuda_yield(void) HIDDEN;

/* The same, until cuda_come_back(). The trace says from when to when. */
void cuda_hand_over(void) HIDDEN;
void cuda_come_back(void) HIDDEN;

#endif
