/*
 * nvml_gpm.h - activity of the parts of a GPU by NVML's GPM (Hopper and later, no root): for nvml.c,
 * on its thread. GPM has counters in samples; figures are those between two samples.
 */
#ifndef COLLECTOR_NVML_GPM_H
#define COLLECTOR_NVML_GPM_H

#include "counters/nvml.h"

#define NVML_GPM_LEAST_NS 120000000u /* between two samples: they are refreshed each 100 ms */

/* Finds the functions in NVML's library. */
void nvml_gpm_find(void *library) HIDDEN;

/* Takes a first sample of the device; false: it has no GPM. */
bool nvml_gpm_start(unsigned gpu, void *device) HIDDEN;

/* Adds the activity since the sample before; nothing if nvml_gpm_start() returned false. */
void nvml_gpm_read(unsigned gpu, void *device, struct nvml_reading *reading) HIDDEN;

void nvml_gpm_forked(void) HIDDEN;

#endif
