/*
 * cupti_v2.h - CUPTI of CUDA 13.3 and later has several subscribers, each with separate kinds and
 * buffers, where the driver is r610 or later and all of them use the calls that name their
 * subscriber. CUPTI then carries out a program's calls that name none for our subscriber.
 */
#ifndef COLLECTOR_CUPTI_V2_H
#define COLLECTOR_CUPTI_V2_H

#include "cuda/cupti_api.h"

/* What cuptiSubscribe_v2 takes, as of CUDA 13.3; the last two members are not in earlier ones. */
struct cupti_params {
	size_t size;
	const char *name;
	char *old_name;
	size_t old_size;
	uint8_t allow_several, padding[7];
};

#define CUPTI_PARAMS_OLD offsetof(struct cupti_params, allow_several)

/*
 * Subscribes as one of several; tacho_cupti then has the calls of this subscriber. Otherwise CUPTI's
 * error, and tacho_cupti is as it was.
 */
int cupti_v2_subscribe(void **subscriber, cupti_callback callback) HIDDEN;

/* Whether we are one of several, and the loaded library can have several. */
bool cupti_v2_is_on(void) HIDDEN;
bool cupti_v2_exists(void) HIDDEN;

/* We have left. */
void cupti_v2_left(void) HIDDEN;

/* Another subscriber of the program, next to ours: it shares, whatever it asks for. */
int cupti_v2_join(void **subscriber, cupti_callback callback, void *user,
	const struct cupti_params *params) HIDDEN;

/* A guest's calls that name no subscriber; CUPTI_INVALID_OPERATION: the library does not have them. */
int cupti_v2_attribute(int attribute, size_t *size, void *value, bool set) HIDDEN;
int cupti_v2_push(int kind, uint64_t id) HIDDEN;
int cupti_v2_pop(int kind, uint64_t *last) HIDDEN;

#endif
