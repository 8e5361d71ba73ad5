/*
 * cuptiSubscribe_v2: as in CUDA 13.0 it says who is in the way; as in CUDA 13.3 (STANDIN_SEVERAL) there
 * are several subscribers, with callbacks, kinds and buffers of their own.
 *
 * What CUPTI's documentation of CUDA 13.3 says ("Multiple Subscribers" and the API's reference), and this does:
 * - "The first subscriber that calls cuptiSubscribe_v2 must set allowMultipleSubscribers"; "All subscribers
 *   must use the same setting"; else CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED. A driver before r610
 *   has one subscriber (fault "single").
 * - "V1 APIs and V2 APIs cannot be used together": of a call without a subscriber while there is one by
 *   cuptiSubscribe_v2 the answer is CUPTI_ERROR_NOT_COMPATIBLE, of cuptiSubscribe the above, and the other way
 *   round. Nothing says whether that holds when all have left: it does only with the fault "sticky".
 * - "cuptiFinalize will return early without performing a tear-down if more than one subscriber is active."
 * - CUPTI_ACTIVITY_ATTR_TIMESTAMP_CALLBACK is refused, since it is supported beside others from CUDA 13.4 on.
 * Not followed: user-defined records, times and identifiers of external correlation by subscriber.
 */
#include "cupti_parts.h"

#include <stdio.h>
#include <string.h>

static char name[CUPTI_SUBSCRIBER_NAME_MAX_LEN] = "another tool";

#if !STANDIN_SEVERAL

bool cupti_is_scoped(void)
{
	return false;
}

void cupti_scope_left(unsigned client)
{
	(void)client;
}

STANDIN_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *handle,
	CUpti_CallbackFunc callback, void *userdata, CUpti_SubscriberParams *params)
{
	CUptiResult ret = cuptiSubscribe(handle, callback, userdata);

	if (params && ret == CUPTI_SUCCESS && params->subscriberName)
		snprintf(name, sizeof(name), "%s", params->subscriberName);
	if (params && ret == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
		params->oldSubscriberName)
		snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", name);
	return ret;
}

#else

/* CUpti_SubscriberParams of CUDA 13.3 */
struct params {
	CUpti_SubscriberParams old;
	uint8_t allow_several, padding[7];
};

enum { ATTR_SEVERAL = 12, ATTR_CLOCK = 22 };
enum { SEVERAL_NO, SEVERAL_YES, SEVERAL_UNSET };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint scoped; /* clients that subscribed so */
static atomic_bool is_scoped[CLIENTS], was_scoped;
static unsigned several = SEVERAL_UNSET;

bool cupti_is_scoped(void)
{
	return atomic_load(&scoped) || (standin_fault("sticky") && atomic_load(&was_scoped));
}

void cupti_scope_left(unsigned client)
{
	if (!atomic_exchange(&is_scoped[client], false))
		return;
	for (unsigned kind = 0;
		cupti_client_disable(client, (CUpti_ActivityKind)kind) == CUPTI_SUCCESS; kind++)
		;
	cupti_client_register(client, NULL, NULL);
	pthread_mutex_lock(&lock);
	if (!atomic_fetch_sub(&scoped, 1) || !atomic_load(&scoped))
		several = SEVERAL_UNSET;
	pthread_mutex_unlock(&lock);
}

/* Whether calls without a subscriber are in use. */
static bool is_global(void)
{
	static atomic_bool was;
	bool is = !atomic_load(&is_scoped[0]) &&
		(atomic_load(&cupti_subscribers[0].taken) || cupti_client_any_kind(0));

	if (is)
		atomic_store(&was, true);
	return is || (standin_fault("sticky") && atomic_load(&was));
}

static CUptiResult join(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *userdata,
	unsigned wanted)
{
	unsigned i = 0;

	if (standin_fault("taken") || is_global() || (standin_fault("single") && wanted) ||
		(several != SEVERAL_UNSET && (wanted != several || !wanted)))
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	while (i < CLIENTS && !cupti_client_take(i, callback, userdata))
		i++;
	if (i == CLIENTS)
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	several = wanted;
	atomic_store(&is_scoped[i], true);
	atomic_store(&was_scoped, true);
	atomic_fetch_add(&scoped, 1);
	*handle = &cupti_subscribers[i];
	return CUPTI_SUCCESS;
}

STANDIN_EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *handle,
	CUpti_CallbackFunc callback, void *userdata, CUpti_SubscriberParams *params)
{
	unsigned wanted = params && params->structSize > sizeof(*params)
		? ((struct params *)params)->allow_several
		: SEVERAL_NO;
	CUptiResult ret = cupti_driver_error();

	if (ret != CUPTI_SUCCESS)
		return ret;
	if (!handle || (params && !params->structSize))
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&lock);
	ret = join(handle, callback, userdata, wanted);
	pthread_mutex_unlock(&lock);
	if (params && ret == CUPTI_SUCCESS && params->subscriberName)
		snprintf(name, sizeof(name), "%s", params->subscriberName);
	if (params && ret != CUPTI_SUCCESS && params->oldSubscriberName)
		snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", name);
	cupti_hooks_update();
	return ret;
}

/* The client, CLIENTS: none. */
static unsigned client_of(CUpti_SubscriberHandle handle)
{
	unsigned i = 0;

	while (i < CLIENTS && (handle != &cupti_subscribers[i] || !atomic_load(&is_scoped[i])))
		i++;
	return i;
}

/* A function of a subscriber; `client` is its number. */
#define SCOPED(function, params, body)                                                             \
	STANDIN_EXPORT CUptiResult function params;                                                \
	STANDIN_EXPORT CUptiResult function params                                                 \
	{                                                                                          \
		unsigned client = client_of(handle);                                               \
                                                                                                   \
		if (client == CLIENTS)                                                             \
			return CUPTI_ERROR_INVALID_PARAMETER;                                      \
		return body;                                                                       \
	}

SCOPED(cuptiActivityEnable_v2,
	(CUpti_SubscriberHandle handle, CUpti_ActivityKind kind, void *config),
	((void)config, cupti_client_enable(client, kind)))
SCOPED(cuptiActivityDisable_v2,
	(CUpti_SubscriberHandle handle, CUpti_ActivityKind kind, void *config),
	((void)config, cupti_client_disable(client, kind)))
SCOPED(cuptiActivityGetNextRecord_v2,
	(CUpti_SubscriberHandle handle, uint8_t *buffer, size_t valid, CUpti_Activity **record),
	cupti_next_record(buffer, valid, record))
SCOPED(cuptiActivityGetNumDroppedRecords_v2,
	(CUpti_SubscriberHandle handle, CUcontext context, uint32_t stream, size_t *count),
	((void)context, (void)stream,
		count ? (*count = cupti_client_dropped(client), CUPTI_SUCCESS)
		      : CUPTI_ERROR_INVALID_PARAMETER))
SCOPED(cuptiActivitySetAttribute_v2,
	(CUpti_SubscriberHandle handle, CUpti_ActivityAttribute which, size_t *size, void *value),
	(int)which == ATTR_SEVERAL	   ? CUPTI_ERROR_INVALID_PARAMETER
		: (int)which == ATTR_CLOCK ? CUPTI_ERROR_NOT_SUPPORTED
					   : cupti_client_attribute_set(client, which, size, value))
SCOPED(cuptiGetTimestamp_v2, (CUpti_SubscriberHandle handle, uint64_t *now),
	now ? (*now = cupti_now(), CUPTI_SUCCESS) : CUPTI_ERROR_INVALID_PARAMETER)
SCOPED(cuptiActivityPushExternalCorrelationId_v2,
	(CUpti_SubscriberHandle handle, CUpti_ExternalCorrelationKind kind, uint64_t id),
	cupti_external_push(kind, id))
SCOPED(cuptiActivityPopExternalCorrelationId_v2,
	(CUpti_SubscriberHandle handle, CUpti_ExternalCorrelationKind kind, uint64_t *last),
	cupti_external_pop(kind, last))

STANDIN_EXPORT CUptiResult cuptiActivityGetAttribute_v2(CUpti_SubscriberHandle handle,
	CUpti_ActivityAttribute which, size_t *size, void *value);
STANDIN_EXPORT CUptiResult cuptiActivityGetAttribute_v2(CUpti_SubscriberHandle handle,
	CUpti_ActivityAttribute which, size_t *size, void *value)
{
	unsigned client = client_of(handle);
	uint8_t state = (uint8_t)several;

	if ((int)which == ATTR_SEVERAL && size && *size == sizeof(state) && value)
		return memcpy(value, &state, sizeof(state)), CUPTI_SUCCESS;
	return client < CLIENTS ? cupti_client_attribute(client, which, size, value)
				: CUPTI_ERROR_INVALID_PARAMETER;
}

/* The second forms of the buffers' callbacks have one more parameter, and one other one less. */
typedef void (*requested_v2)(uint8_t **, size_t *, size_t *, void *info);
typedef void (*completed_v2)(uint8_t *, size_t size, size_t valid, void *info);

static struct own {
	_Atomic(requested_v2) requested;
	_Atomic(completed_v2) completed;
} own[CLIENTS];

/* "CUPTI should set the size of the structure" */
struct info {
	size_t size;
	uint64_t thread;
	void *layouts;
};

#define OWN(i)                                                                                     \
	static void requested_##i(uint8_t **buffer, size_t *size, size_t *max)                     \
	{                                                                                          \
		struct info info = { .size = sizeof(info) };                                       \
                                                                                                   \
		atomic_load (&own[i].requested)(buffer, size, max, &info);                         \
	}                                                                                          \
	static void completed_##i(CUcontext context, uint32_t stream, uint8_t *buffer,             \
		size_t size, size_t valid)                                                         \
	{                                                                                          \
		struct info info = { .size = sizeof(info) };                                       \
                                                                                                   \
		(void)context, (void)stream;                                                       \
		atomic_load (&own[i].completed)(buffer, size, valid, &info);                       \
	}
OWN(0)
OWN(1)
OWN(2)
OWN(3)

static CUptiResult register_own(unsigned client, requested_v2 requested, completed_v2 completed)
{
	static const struct {
		CUpti_BuffersCallbackRequestFunc requested;
		cupti_completed completed;
	} through[CLIENTS] = { { requested_0, completed_0 }, { requested_1, completed_1 },
		{ requested_2, completed_2 }, { requested_3, completed_3 } };

	if (!requested || !completed)
		return CUPTI_ERROR_INVALID_PARAMETER;
	atomic_store(&own[client].requested, requested);
	atomic_store(&own[client].completed, completed);
	cupti_client_register(client, through[client].requested, through[client].completed);
	return CUPTI_SUCCESS;
}

SCOPED(cuptiActivityRegisterCallbacks_v2,
	(CUpti_SubscriberHandle handle, requested_v2 requested, completed_v2 completed),
	register_own(client, requested, completed))

#endif
