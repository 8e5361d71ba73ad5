/*
 * cupti_v2.c - see cupti_v2.h. CUPTI's headers of CUDA 13.0 do not have these calls: parameters and
 * numbers are from the documentation of CUDA 13.3. Only all subscribers together could promise that
 * buffers need not be zero, so this one does not.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/cupti_v2.h"

#define LEAST_VERSION 130300

typedef void (*requested_v2)(uint8_t **buffer, size_t *size, size_t *max_records, void *info);
typedef void (*completed_v2)(uint8_t *buffer, size_t size, size_t valid, void *info);

/* CALL(name after "cupti", parameters) */
#define CALLS(CALL)                                                                                \
	CALL(Subscribe_v2, (void **, cupti_callback, void *user, struct cupti_params *))           \
	CALL(ActivityRegisterCallbacks_v2, (void *, requested_v2, completed_v2))                   \
	CALL(ActivityEnable_v2, (void *, int kind, void *config))                                  \
	CALL(ActivityDisable_v2, (void *, int kind, void *config))                                 \
	CALL(ActivityGetNextRecord_v2, (void *, uint8_t *buffer, size_t valid, void **record))     \
	CALL(ActivityGetNumDroppedRecords_v2, (void *, void *context, uint32_t stream, size_t *n)) \
	CALL(ActivitySetAttribute_v2, (void *, int attribute, size_t *size, void *value))          \
	CALL(ActivityGetAttribute_v2, (void *, int attribute, size_t *size, void *value))          \
	CALL(ActivityPushExternalCorrelationId_v2, (void *, int kind, uint64_t id))                \
	CALL(ActivityPopExternalCorrelationId_v2, (void *, int kind, uint64_t *last))              \
	CALL(GetTimestamp_v2, (void *, uint64_t *timestamp))

static struct calls {
#define CALL(name, params) int(*name) params;
	CALLS(CALL)
#undef CALL
} v2;

static void *ours; /* NULL: we are not one of several */
static cupti_buffer_requested requested;
static cupti_buffer_completed completed;

bool cupti_v2_is_on(void)
{
	return ours != NULL;
}

static bool calls_find(struct calls *calls)
{
	bool complete = true;

#define CALL(name, params)                                                                         \
	calls->name = (int(*) params)cupti_symbol("cupti" #name);                                  \
	complete &= calls->name != NULL;
	CALLS(CALL)
#undef CALL
	return complete && tacho_cupti.version >= LEAST_VERSION;
}

bool cupti_v2_exists(void)
{
	struct calls calls;

	return calls_find(&calls);
}

/* --- the calls of ours, in the form that those without a subscriber have --- */

static void buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records, void *info)
{
	(void)info;
	requested(buffer, size, max_records);
}

static void buffer_completed(uint8_t *buffer, size_t size, size_t valid, void *info)
{
	(void)info;
	completed(NULL, 0, buffer, size, valid);
}

static int register_callbacks(cupti_buffer_requested request, cupti_buffer_completed complete)
{
	requested = request;
	completed = complete;
	return v2.ActivityRegisterCallbacks_v2(ours, buffer_requested, buffer_completed);
}

static int enable(int kind)
{
	return v2.ActivityEnable_v2(ours, kind, NULL);
}

static int disable(int kind)
{
	return v2.ActivityDisable_v2(ours, kind, NULL);
}

static int get_next_record(uint8_t *buffer, size_t valid, void **record)
{
	return v2.ActivityGetNextRecord_v2(ours, buffer, valid, record);
}

static int get_dropped(void *context, uint32_t stream, size_t *n)
{
	return v2.ActivityGetNumDroppedRecords_v2(ours, context, stream, n);
}

static int get_timestamp(uint64_t *timestamp)
{
	return v2.GetTimestamp_v2(ours, timestamp);
}

static int set_attribute(int attribute, size_t *size, void *value)
{
	return attribute == ATTRIBUTE_ZEROED_OUT
		? CUPTI_INVALID_OPERATION
		: v2.ActivitySetAttribute_v2(ours, attribute, size, value);
}

/* Next to others from CUDA 13.4 on. */
static int register_clock(uint64_t (*now)(void))
{
	size_t size = sizeof(now);

	return v2.ActivitySetAttribute_v2(ours, ATTRIBUTE_CLOCK, &size, &now);
}

int cupti_v2_subscribe(void **subscriber, cupti_callback callback)
{
	const char *wanted = getenv("TACHO_CUPTI_V2");
	struct cupti_params params = { .size = sizeof(params),
		.name = "tacho",
		.allow_several = 1 };
	uint64_t time;
	int error;

	if ((wanted && !strcmp(wanted, "0")) || !calls_find(&v2))
		return CUPTI_INVALID_OPERATION;
	error = v2.Subscribe_v2(subscriber, callback, NULL, &params);
	if (error != CUPTI_OK)
		return error;
	error = v2.GetTimestamp_v2(*subscriber, &time);
	if (error != CUPTI_OK) {
		tacho_cupti.Unsubscribe(*subscriber);
		return error;
	}
	ours = *subscriber;
	tacho_cupti.ActivityRegisterCallbacks = register_callbacks;
	tacho_cupti.ActivityEnable = enable;
	tacho_cupti.ActivityDisable = disable;
	tacho_cupti.ActivityGetNextRecord = get_next_record;
	tacho_cupti.ActivityGetNumDroppedRecords = get_dropped;
	tacho_cupti.GetTimestamp = get_timestamp;
	tacho_cupti.ActivitySetAttribute = set_attribute;
	tacho_cupti.ActivityRegisterTimestampCallback = register_clock;
	return CUPTI_OK;
}

void cupti_v2_left(void)
{
	ours = NULL;
}

int cupti_v2_join(void **subscriber, cupti_callback callback, void *user,
	const struct cupti_params *params)
{
	struct cupti_params shared = { .size = sizeof(shared) };

	if (params)
		memcpy(&shared, params,
			params->size < sizeof(shared) ? CUPTI_PARAMS_OLD : sizeof(shared));
	shared.size = sizeof(shared);
	shared.allow_several = 1;
	return v2.Subscribe_v2(subscriber, callback, user, &shared);
}

int cupti_v2_attribute(int attribute, size_t *size, void *value, bool set)
{
	if (set && attribute == ATTRIBUTE_ZEROED_OUT)
		return CUPTI_OK; /* CUPTI zeroes them, or we do */
	return (set ? v2.ActivitySetAttribute_v2 : v2.ActivityGetAttribute_v2)(ours, attribute,
		size, value);
}

int cupti_v2_push(int kind, uint64_t id)
{
	return v2.ActivityPushExternalCorrelationId_v2(ours, kind, id);
}

int cupti_v2_pop(int kind, uint64_t *last)
{
	return v2.ActivityPopExternalCorrelationId_v2(ours, kind, last);
}
