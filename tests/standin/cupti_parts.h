/* Between the parts of the stand-in libcupti. */
#ifndef STANDIN_CUPTI_PARTS_H
#define STANDIN_CUPTI_PARTS_H

#include "standin.h"

#include <cupti.h>

#ifndef STANDIN_CUDA
#error "STANDIN_CUDA is not given"
#endif

/* ---- cupti_state.c: what is switched on ---- */

bool cupti_kind_on(CUpti_ActivityKind kind);
/* Puts hooks into the core while anything is on, takes them out when nothing is. */
void cupti_hooks_update(void);
CUptiResult cupti_driver_error(void); /* CUPTI_SUCCESS where a driver is */

/* ---- cupti_callback.c ---- */

bool cupti_subscribed(void);
void cupti_call_enter(struct standin_call *call);
void cupti_call_leave(struct standin_call *call);
void cupti_resource(enum standin_resource what, CUcontext ctx, void *object, void *from);
/* Spends the ns that the environment variable has, as the real one does. */
void cupti_cost(const char *name);

/* ---- cupti_record.c: records in their genuine layouts ---- */

void cupti_activity(const struct standin_act *act);
void *cupti_reserve(const struct standin_act *act);
void cupti_record_api(const struct standin_call *call, uint64_t end);
void cupti_record_devices(void);
void cupti_record_context(CUcontext ctx);
void cupti_record_stream(CUstream stream);
void cupti_record_overhead(CUpti_ActivityOverheadKind kind, uint64_t start, uint64_t end);
/* Bytes of a record of that kind in this library's layout, 0: no such kind. */
size_t cupti_record_size(CUpti_ActivityKind kind);

/* ---- cupti_buffer.c: the client's buffers ---- */

/* Writes a record of SIZE bytes; DEVICE: of the device, so that faults apply to it. */
void cupti_put(const void *record, size_t size);
void cupti_put_device(void *record, size_t size, uint64_t *end);
/* The next cupti_put_device() of this thread reserves a place, or fills the one given. */
void cupti_slot_begin(void *slot);
/* The place reserved, NULL: none. */
void *cupti_slot_end(void);
/* Such faults let no record be where it was reserved. */
bool cupti_reserves(void);

uint64_t cupti_now(void);
/* CUPTI's time of the device's, which is CLOCK_MONOTONIC; 0 stays 0. */
uint64_t cupti_device_time(uint64_t device);

#endif
