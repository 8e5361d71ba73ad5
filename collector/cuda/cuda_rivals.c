/*
 * cuda_rivals.c - CUPTI's functions by which another tool of the process (the profiler in PyTorch) would
 * take our place, most without asking: registering callbacks replaces ours, disabling a kind or
 * finalising ends ours. While GPUs are recorded they are those of a guest (cuda_guest.h), by
 * TACHO_CUPTI_YIELD=0 refused with the error that CUPTI itself has for a second subscriber, or by 1 its
 * own from then on, and the trace says since when. At any other time the calls pass through.
 *
 * One that subscribes by cuptiSubscribe_v2 and its kin is another subscriber next to ours (cupti_v2.h).
 * Where CUPTI has only one, it has CUPTI until it leaves it (cuda_leave.h).
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_capture.h"
#include "cuda/cuda_guest.h"
#include "cuda/cuda_leave.h"
#include "cuda/cupti_v2.h"
#include "core/dlsym.h"
#include "core/process.h"

enum way { WAY_THROUGH, WAY_GUEST, WAY_REFUSED };

static void *handed_to; /* subscriber of the profiler that has CUPTI instead of us */

/* What becomes of the call. */
static enum way way_of(const char *name)
{
	const char *yield = getenv("TACHO_CUPTI_YIELD");

	if (!cuda_is_on())
		return WAY_THROUGH;
	if (yield && !strcmp(yield, "1")) {
		cuda_yield();
		return WAY_THROUGH;
	}
	if (!yield || strcmp(yield, "0") != 0)
		return WAY_GUEST;
	say_once(SAY_RIVAL,
		"another profiler in this program (%s) is refused, by TACHO_CUPTI_YIELD=0", name);
	return WAY_REFUSED;
}

/* `guest`: what the call is for a guest; of_guest: whether it is of its subscriber, or has none */
#define RIVAL(name, params, args, of_guest, guest)                                                 \
	TACHO_EXPORT int name params;                                                              \
	TACHO_EXPORT int name params                                                               \
	{                                                                                          \
		enum way way = (of_guest) ? way_of(#name) : WAY_THROUGH;                           \
		int(*real) params;                                                                 \
                                                                                                   \
		if (way == WAY_GUEST)                                                              \
			return guest;                                                              \
		real = way == WAY_THROUGH ? cupti_symbol(#name) : NULL;                            \
		return real ? real args : CUPTI_BUSY;                                              \
	}

#define RIVALS                                                                                     \
	RIVAL(cuptiSubscribe, (void **subscriber, cupti_callback callback, void *user),            \
		(subscriber, callback, user), true, guest_subscribe(subscriber, callback, user))   \
	RIVAL(cuptiEnableCallback, (uint32_t on, void *subscriber, int domain, uint32_t number),   \
		(on, subscriber, domain, number), guest_is(subscriber),                            \
		guest_callback_enable(on, domain, number))                                         \
	RIVAL(cuptiEnableDomain, (uint32_t on, void *subscriber, int domain),                      \
		(on, subscriber, domain), guest_is(subscriber),                                    \
		guest_callback_enable(on, domain, UINT32_MAX))                                     \
	RIVAL(cuptiEnableAllDomains, (uint32_t on, void *subscriber), (on, subscriber),            \
		guest_is(subscriber), guest_callback_enable(on, -1, UINT32_MAX))                   \
	RIVAL(cuptiGetCallbackState,                                                               \
		(uint32_t * on, void *subscriber, int domain, uint32_t number),                    \
		(on, subscriber, domain, number), guest_is(subscriber),                            \
		guest_callback_state(on, domain, number))                                          \
	RIVAL(cuptiActivityRegisterCallbacks,                                                      \
		(cupti_buffer_requested requested, cupti_buffer_completed completed),              \
		(requested, completed), true, guest_register(requested, completed))                \
	RIVAL(cuptiActivityRegisterTimestampCallback, (uint64_t(*now)(void)), (now), true,         \
		guest_clock(now))                                                                  \
	RIVAL(cuptiActivityEnable, (int kind), (kind), true, guest_enable(kind))                   \
	RIVAL(cuptiActivityDisable, (int kind), (kind), true, guest_disable(kind))                 \
	RIVAL(cuptiFinalize, (void), (), true, guest_finalize())

RIVALS
#undef RIVAL

/* One that names its subscriber: next to us, in our place, or ours as far as it has callbacks only. */
TACHO_EXPORT int cuptiSubscribe_v2(void **subscriber, cupti_callback callback, void *user,
	const struct cupti_params *params);
TACHO_EXPORT int cuptiSubscribe_v2(void **subscriber, cupti_callback callback, void *user,
	const struct cupti_params *params)
{
	enum way way = way_of(__func__);
	int (*real)(void **, cupti_callback, void *, const struct cupti_params *);
	int ret;

	if (way == WAY_REFUSED)
		return CUPTI_BUSY;
	if (way == WAY_GUEST && cupti_v2_is_on())
		return cupti_v2_join(subscriber, callback, user, params);
	if (way == WAY_GUEST && !cupti_v2_exists())
		return guest_subscribe(subscriber, callback, user);
	real = cupti_symbol(__func__);
	if (!real)
		return CUPTI_BUSY;
	if (way == WAY_GUEST)
		cuda_hand_over();
	ret = real(subscriber, callback, user, params);
	if (way == WAY_GUEST && ret != CUPTI_OK)
		cuda_come_back();
	else if (way == WAY_GUEST)
		handed_to = *subscriber;
	return ret;
}

TACHO_EXPORT int cuptiUnsubscribe(void *subscriber);
TACHO_EXPORT int cuptiUnsubscribe(void *subscriber)
{
	enum way way = guest_is(subscriber) ? way_of(__func__) : WAY_THROUGH;
	int (*real)(void *) = way == WAY_THROUGH ? cupti_symbol(__func__) : NULL;
	int ret;

	if (way == WAY_GUEST)
		return guest_unsubscribe();
	ret = real ? real(subscriber) : CUPTI_BUSY;
	if (ret == CUPTI_OK && handed_to && handed_to == subscriber) {
		handed_to = NULL;
		cuda_come_back();
	}
	return ret;
}

/* Calls without a subscriber, which CUPTI refuses while named subscribers exist: a guest's. */
#define NAMELESS(name, params, args, ours)                                                         \
	TACHO_EXPORT int name params;                                                              \
	TACHO_EXPORT int name params                                                               \
	{                                                                                          \
		int(*real) params;                                                                 \
                                                                                                   \
		if (cupti_v2_is_on() && cuda_is_on())                                              \
			return ours;                                                               \
		real = cupti_symbol(#name);                                                        \
		return real ? real args : CUPTI_BUSY;                                              \
	}

#define NAMELESS_CALLS                                                                             \
	NAMELESS(cuptiActivityGetNextRecord, (uint8_t * buffer, size_t valid, void **record),      \
		(buffer, valid, record), tacho_cupti.ActivityGetNextRecord(buffer, valid, record)) \
	NAMELESS(cuptiActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *n),   \
		(context, stream, n),                                                              \
		tacho_cupti.ActivityGetNumDroppedRecords(context, stream, n))                      \
	NAMELESS(cuptiGetTimestamp, (uint64_t * timestamp), (timestamp),                           \
		tacho_cupti.GetTimestamp(timestamp))                                               \
	NAMELESS(cuptiActivitySetAttribute, (int attribute, size_t *size, void *value),            \
		(attribute, size, value), cupti_v2_attribute(attribute, size, value, true))        \
	NAMELESS(cuptiActivityGetAttribute, (int attribute, size_t *size, void *value),            \
		(attribute, size, value), cupti_v2_attribute(attribute, size, value, false))       \
	NAMELESS(cuptiSetThreadIdType, (int type), (type),                                         \
		cupti_v2_attribute(ATTRIBUTE_THREAD_ID, &(size_t){ sizeof(type) }, &type, true))   \
	NAMELESS(cuptiActivityPushExternalCorrelationId, (int kind, uint64_t id), (kind, id),      \
		cupti_v2_push(kind, id))                                                           \
	NAMELESS(cuptiActivityPopExternalCorrelationId, (int kind, uint64_t *last), (kind, last),  \
		cupti_v2_pop(kind, last))

NAMELESS_CALLS
#undef NAMELESS

/* The wrapper of a name; NULL for any other name. */
static void *cuda_rival(const char *name)
{
#define RIVAL(function, params, args, of_guest, guest) { #function, (void *)&function },
#define NAMELESS(function, params, args, ours)	       { #function, (void *)&function },
	static const struct {
		const char *name;
		void *wrapper;
	} wrappers[] = { RIVALS NAMELESS_CALLS{ "cuptiSubscribe_v2", (void *)&cuptiSubscribe_v2 },
		{ "cuptiUnsubscribe", (void *)&cuptiUnsubscribe } };

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++)
		if (!strcmp(name, wrappers[i].name))
			return wrappers[i].wrapper;
	return NULL;
}

static struct dlsym_answer rival_lookup(void *handle, const char *name)
{
	void *wrapper = cuda_rival(name), *found = wrapper ? dlsym_real(handle, name) : NULL;

	return found && !dlsym_is_ours(found) ? (struct dlsym_answer){ wrapper, 1 }
					      : (struct dlsym_answer){ .is_final = 0 };
}

const struct source tacho_rival_source = { .lookup = rival_lookup };
