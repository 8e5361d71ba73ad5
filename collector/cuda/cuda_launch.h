/* cuda_launch.h - how many kernels the process has launched, recorded or not. */
#ifndef COLLECTOR_CUDA_LAUNCH_H
#define COLLECTOR_CUDA_LAUNCH_H

#include "core/span.h"

/* Whether the thread is in a launch that is counted. */
extern __thread unsigned tacho_launch_depth HIDDEN __attribute__((tls_model("initial-exec")));

uint64_t cuda_launches_counted(void) HIDDEN;

#endif
