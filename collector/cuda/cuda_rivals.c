/*
 * cuda_rivals.c - CUPTI's functions by which another tool of the process (the profiler in PyTorch) would
 * take our place, most without asking: registering callbacks replaces ours, disabling a kind or
 * finalising ends ours. While GPUs are recorded they are those of a guest (cuda_guest.h), by
 * TACHO_CUPTI_YIELD=0 refused with the error that CUPTI itself has for a second subscriber, or by 1 its
 * own from then on, and the trace says since when. At any other time the calls pass through.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_capture.h"
#include "cuda/cuda_guest.h"
#include "core/dlsym.h"
#include "core/process.h"

enum way { WAY_THROUGH, WAY_GUEST, WAY_REFUSED };

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
	RIVAL(cuptiSubscribe_v2,                                                                   \
		(void **subscriber, cupti_callback callback, void *user, void *params),            \
		(subscriber, callback, user, params), true,                                        \
		guest_subscribe(subscriber, callback, user))                                       \
	RIVAL(cuptiUnsubscribe, (void *subscriber), (subscriber), guest_is(subscriber),            \
		guest_unsubscribe())                                                               \
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

/* The wrapper of a name; NULL for any other name. */
static void *cuda_rival(const char *name)
{
#define RIVAL(function, params, args, of_guest, guest) { #function, (void *)&function },
	static const struct {
		const char *name;
		void *wrapper;
	} wrappers[] = { RIVALS };

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
