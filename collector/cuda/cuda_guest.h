/*
 * cuda_guest.h - another profiler of this process beside us, as PyTorch's is: it has a separate
 * subscriber, which shares ours, and the kinds of activities that it enables belong to it alone.
 * These functions carry out its calls of CUPTI, for cuda_rivals.c; any thread; each answers as
 * CUPTI does.
 */
#ifndef COLLECTOR_CUDA_GUEST_H
#define COLLECTOR_CUDA_GUEST_H

#include "cuda/cupti_api.h"

/* Callbacks of the guest go to the subscriber that we have. */
void guest_start(void *subscriber) HIDDEN;

bool guest_is(const void *subscriber) HIDDEN;
int guest_subscribe(void **subscriber, cupti_callback callback, void *user) HIDDEN;
int guest_unsubscribe(void) HIDDEN;

/* number UINT32_MAX: all of the domain; domain -1: all of all */
int guest_callback_enable(bool on, int domain, uint32_t number) HIDDEN;
int guest_callback_state(uint32_t *on, int domain, uint32_t number) HIDDEN;

int guest_register(cupti_buffer_requested requested, cupti_buffer_completed completed) HIDDEN;
int guest_clock(uint64_t (*now)(void)) HIDDEN;
int guest_enable(int kind) HIDDEN;
int guest_disable(int kind) HIDDEN;
int guest_finalize(void) HIDDEN;

/* Whether activities are the guest's now; for the thread that fetches, and for buffers. */
bool guest_has_activities(void) HIDDEN;
void guest_buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records) HIDDEN;
void guest_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
	size_t valid) HIDDEN;

/* Whether the guest has asked for a callback; passes one on, if it has. */
bool guest_wants(int domain, uint32_t number) HIDDEN;
void guest_call(int domain, uint32_t number, const void *data) HIDDEN;

#endif
