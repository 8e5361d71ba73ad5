/* Between the parts of the stand-in libcupti. */
#ifndef STANDIN_CUPTI_PARTS_H
#define STANDIN_CUPTI_PARTS_H

#include "standin.h"

#include <cupti.h>

#ifndef STANDIN_CUDA
#error "STANDIN_CUDA is not given"
#endif
#ifndef STANDIN_SEVERAL
#define STANDIN_SEVERAL 0 /* as CUDA 13.3: several clients that subscribe by themselves */
#endif

/* The first one also serves calls that name no subscriber. */
enum { CLIENTS = STANDIN_SEVERAL ? 4 : 1 };

/* ---- cupti_state.c: enabled kinds and callbacks ---- */

bool cupti_kind_on(CUpti_ActivityKind kind); /* for anybody */
bool cupti_client_kind_on(unsigned client, CUpti_ActivityKind kind);
bool cupti_client_any_kind(unsigned client);
CUptiResult cupti_client_enable(unsigned client, CUpti_ActivityKind kind);
CUptiResult cupti_client_disable(unsigned client, CUpti_ActivityKind kind);
/* Whether the client gets a record of the call of that kind that has the number. */
bool cupti_client_api_on(unsigned client, CUpti_ActivityKind kind, uint32_t cbid);
/* Puts hooks into the core while anything is on, takes them out when nothing is. */
void cupti_hooks_update(void);
void cupti_context_seen(void);	      /* so the driver is initialised */
CUptiResult cupti_driver_error(void); /* CUPTI_SUCCESS where a driver is */

/* ---- cupti_callback.c ---- */

struct CUpti_Subscriber_st {
	atomic_bool taken;
	CUpti_CallbackFunc callback;
	void *userdata;
	atomic_bool on[CUPTI_CB_DOMAIN_SIZE][1024];
};
extern struct CUpti_Subscriber_st cupti_subscribers[CLIENTS];

bool cupti_subscribed(void);
/* Takes the client's place, unless it is taken. */
bool cupti_client_take(unsigned client, CUpti_CallbackFunc callback, void *userdata);
/*
 * For a call that names no subscriber: CUPTI_SUCCESS unless there is no driver, or clients that
 * name theirs.
 */
CUptiResult cupti_global_error(void);
void cupti_call_enter(struct standin_call *call);
void cupti_call_leave(struct standin_call *call);
void cupti_resource(enum standin_resource what, CUcontext ctx, void *object, void *from);
/* Spends the ns that the environment variable has, as the real one does. */
void cupti_cost(const char *name);

/* ---- cupti_record.c: records in their genuine layouts ---- */

void cupti_activity(const struct standin_act *act);
void *cupti_reserve(const struct standin_act *act);
void cupti_record_api(const struct standin_call *call, uint64_t end);
CUptiResult cupti_external_push(CUpti_ExternalCorrelationKind kind, uint64_t id);
CUptiResult cupti_external_pop(CUpti_ExternalCorrelationKind kind, uint64_t *last);
void cupti_record_devices(void);
void cupti_record_context(CUcontext ctx);
void cupti_record_stream(CUstream stream);
void cupti_record_overhead(CUpti_ActivityOverheadKind kind, uint64_t start, uint64_t end);
/* Bytes of a record of that kind in this library's layout, 0: no such kind. */
size_t cupti_record_size(CUpti_ActivityKind kind);

/* ---- cupti_v2.c: clients that subscribe by themselves ---- */

/* Whether there is one. */
bool cupti_is_scoped(void);
/* A client has left. */
void cupti_scope_left(unsigned client);

/* ---- cupti_buffer.c: the clients' buffers ---- */

typedef void (*cupti_completed)(CUcontext, uint32_t stream, uint8_t *, size_t size, size_t valid);
void cupti_client_register(unsigned client, CUpti_BuffersCallbackRequestFunc request,
	cupti_completed complete);
size_t cupti_client_dropped(unsigned client);
CUptiResult cupti_client_attribute(unsigned client, CUpti_ActivityAttribute which, size_t *size,
	void *value);
CUptiResult cupti_client_attribute_set(unsigned client, CUpti_ActivityAttribute which, size_t *size,
	void *value);
CUptiResult cupti_next_record(uint8_t *buffer, size_t valid, CUpti_Activity **record);

/* Writes a record of SIZE bytes; DEVICE: of the device, so that faults apply to it. */
void cupti_put(const void *record, size_t size);
void cupti_put_device(void *record, size_t size, uint64_t *end);
/* The next cupti_put_device() of this thread reserves a place, or fills the one given. */
void cupti_slot_begin(void *places);
/* The places reserved, NULL: none. */
void *cupti_slot_end(void);
/* Such faults let no record be where it was reserved. */
bool cupti_reserves(void);

uint32_t cupti_thread_id(void); /* of the calling thread, as records have it */
uint64_t cupti_now(void);
/* CUPTI's time of the device's, which is CLOCK_MONOTONIC; 0 stays 0. */
uint64_t cupti_device_time(uint64_t device);

#endif
