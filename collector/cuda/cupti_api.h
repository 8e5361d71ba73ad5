/*
 * cupti_api.h - as much of CUPTI as libtacho uses, in its own words: the library
 * is found at run time, in whatever version exists, so nothing of it is
 * included or linked. cupti_check.c compares this with the toolkit's headers.
 */
#ifndef COLLECTOR_CUPTI_API_H
#define COLLECTOR_CUPTI_API_H

#include "core/span.h"

#define CUPTI_OK		0
#define CUPTI_INVALID_PARAMETER 1
#define CUPTI_INVALID_OPERATION 4
#define CUPTI_NO_MORE		12
#define CUPTI_NOT_INITIALIZED	15
#define CUPTI_INVALID_KIND	21
#define CUPTI_NOT_SUPPORTED	27
#define CUPTI_BUSY		39 /* somebody else subscribed */
#define CUPTI_UNKNOWN		999
#define CUPTI_ENTER		0
#define CUPTI_EXIT		1
#define CUPTI_FLUSH_FORCED	1u
#define CUPTI_INVALID_STREAM	UINT32_MAX
/* cuptiGetVersion() of CUDA 11.1, the first whose records of kernels and copies name graph nodes */
#define CUPTI_VERSION_NODES 14
/* the same of CUDA 12.9, the first that survives that it gets no buffer */
#define CUPTI_VERSION_REFUSALS 27

enum cupti_domain { DOMAIN_DRIVER = 1, DOMAIN_RUNTIME = 2, DOMAIN_RESOURCE = 3 };
enum cupti_resource {
	RESOURCE_CONTEXT_CREATED = 1,
	RESOURCE_CONTEXT_DESTROYED = 2,
	RESOURCE_STREAM_DESTROYED = 4,
	RESOURCE_NODE_CREATED = 13,
	RESOURCE_EXEC_CREATED = 18,
	RESOURCE_NODE_CLONED = 20,
};

/* The last two are from CUDA 13.3's documentation. */
enum cupti_attribute {
	ATTRIBUTE_ZEROED_OUT = 5,
	ATTRIBUTE_PER_THREAD = 9,
	ATTRIBUTE_THREAD_ID = 21,
	ATTRIBUTE_CLOCK = 22
};

enum cupti_kind {
	KIND_MEMCPY = 1,
	KIND_MEMSET = 2,
	KIND_KERNEL = 3,
	KIND_DRIVER = 4,
	KIND_RUNTIME = 5,
	KIND_CONTEXT = 9,
	KIND_CONCURRENT_KERNEL = 10,
	KIND_OVERHEAD = 17,
	KIND_MEMCPY2 = 22,
	KIND_STREAM = 37,
	KIND_SYNCHRONIZATION = 38,
	KIND_GRAPH = 51,
};

/* What a callback of the runtime or driver domain gets. */
struct cupti_call {
	int site; /* CUPTI_ENTER, CUPTI_EXIT */
	const char *function;
	const void *params;
	const int *result; /* at the exit */
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *own; /* ours, from the call's entry to its exit */
	uint32_t correlation;
};

struct cupti_resource_data {
	void *context, *resource, *descriptor;
};

/* What the descriptor of a resource of graphs points to. */
struct cupti_graph {
	void *graph, *original_graph, *node, *original_node;
	int type;
	void *dependency, *exec;
};

#define CUPTI_THREAD_SYSTEM 1 /* threads have the numbers of gettid() */
#define CUPTI_NODE_KERNEL   0 /* type of a graph's node */

typedef void (*cupti_callback)(void *user, int domain, uint32_t number, const void *data);
typedef void (*cupti_buffer_requested)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*cupti_buffer_completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
	size_t valid);

/* FUNCTION(name after "cupti", parameters); OPTIONAL: older versions lack it */
#define CUPTI_FUNCTIONS(FUNCTION, OPTIONAL)                                                        \
	FUNCTION(Subscribe, (void **subscriber, cupti_callback callback, void *user))              \
	FUNCTION(Unsubscribe, (void *subscriber))                                                  \
	FUNCTION(EnableCallback, (uint32_t on, void *subscriber, int domain, uint32_t number))     \
	FUNCTION(ActivityRegisterCallbacks,                                                        \
		(cupti_buffer_requested requested, cupti_buffer_completed completed))              \
	FUNCTION(ActivityEnable, (int kind))                                                       \
	FUNCTION(ActivityDisable, (int kind))                                                      \
	FUNCTION(ActivityFlushAll, (uint32_t flag))                                                \
	FUNCTION(ActivityGetNextRecord, (uint8_t * buffer, size_t valid, void **record))           \
	FUNCTION(ActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *n))        \
	FUNCTION(GetTimestamp, (uint64_t * timestamp))                                             \
	FUNCTION(GetDeviceId, (void *context, uint32_t *device))                                   \
	FUNCTION(GetVersion, (uint32_t * version))                                                 \
	FUNCTION(GetContextId, (void *context, uint32_t *id))                                      \
	OPTIONAL(GetStreamIdEx, (void *context, void *stream, uint8_t per_thread, uint32_t *id))   \
	OPTIONAL(GetStreamId, (void *context, void *stream, uint32_t *id))                         \
	OPTIONAL(GetGraphNodeId, (void *node, uint64_t *id))                                       \
	OPTIONAL(ActivitySetAttribute, (int attribute, size_t *size, void *value))                 \
	OPTIONAL(SetThreadIdType, (int type))                                                      \
	OPTIONAL(ActivityEnableRuntimeApi, (uint32_t number, uint8_t on))                          \
	OPTIONAL(ActivityEnableDriverApi, (uint32_t number, uint8_t on))                           \
	OPTIONAL(ActivityEnableHWTrace, (uint8_t on))                                              \
	OPTIONAL(GetResultString, (int result, const char **text))                                 \
	OPTIONAL(ActivityRegisterTimestampCallback, (uint64_t(*now)(void)))

struct cupti {
#define FUNCTION(name, params) int(*name) params;
	CUPTI_FUNCTIONS(FUNCTION, FUNCTION)
#undef FUNCTION
	uint32_t version;
	char path[256]; /* of the library */
};

/* The library in use; meaningful once cupti_open() has found one. */
extern struct cupti tacho_cupti HIDDEN;

/*
 * Finds the next library worth a try, loaded ones first; `*next` counts them
 * from 0 on. False when there is no further one. Not on the hot path.
 */
bool cupti_open(unsigned *next) HIDDEN;

/*
 * A function of the loaded libcupti by its whole name, NULL when there is none: for calls that are
 * not ours.
 */
void *cupti_symbol(const char *name) HIDDEN;

/* What a result means. */
const char *cupti_text(int result) HIDDEN;

#endif
