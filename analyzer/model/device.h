/*
 * device.h - interprets the definitions about accelerators: groups and streams of a device, the
 * processes that use it, the kind of an activity. Foreign archives may keep streams in the
 * process's own group: the result is the same.
 */
#ifndef ANALYZER_DEVICE_H
#define ANALYZER_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/containers.h"

struct model;
struct in_region;

/* What a device does: the first that applies is its state. */
enum activity_class {
	ACTIVITY_COMPUTE,
	ACTIVITY_NCCL,
	ACTIVITY_MEMCPY,
	ACTIVITY_CLASS_COUNT,
	ACTIVITY_NONE /* memory that is allocated: nothing that a device does */
};

struct device_use {
	uint32_t process, ordinal;
};

struct device {
	const char *uuid, *name, *pci, *kind; /* NULL: not recorded */
	uint32_t node;			      /* MODEL_NONE: not recorded */
	uint32_t ordinal;		      /* in the first process that uses it */
	ARRAY_OF(struct device_use) uses;
	ARRAY_OF(uint32_t) streams; /* locations */
};

/*
 * Builds the devices and streams of the model; locations must exist. 0, or -1 without memory
 * (reported).
 */
int devices_build(struct model *model);
void devices_free(struct model *model);

/* Class of a device's region by its name and role. */
enum activity_class activity_classify(const struct in_region *region);

/* A readable name of a kernel: demangled, or a copy of `name`. To be freed; NULL without memory. */
char *kernel_name(const char *name);

/* What a runtime call does to the order of things on a device. */
enum device_call {
	DEVICE_CALL_NONE,
	DEVICE_CALL_STREAM_SYNC,
	DEVICE_CALL_DEVICE_SYNC,
	DEVICE_CALL_FREE, /* waits for the device if it frees something */
	DEVICE_CALL_EVENT_SYNC,
	DEVICE_CALL_RECORD,
	DEVICE_CALL_WAIT_EVENT,
	DEVICE_CALL_STREAM_QUERY,
	DEVICE_CALL_EVENT_QUERY,
	DEVICE_CALL_COPY
};

/* By name: cuda*, cu*, hip* alike. */
enum device_call device_call_classify(const char *name);

#endif
